"""The scaling page's settings: valid or refused by name, and the same after a trip through a URL."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.core.limits import MAX_D, MAX_SEED
from attnviz.features.sweeps.arguments import MAX_DIM, MAX_DIMS, MAX_FACTOR, MAX_KEYS, MAX_TRIALS, check_scales
from attnviz.features.sweeps.experiment import sample_row
from attnviz.features.sweeps.settings import HEADS, MAX_P, OWN, SCALE_CHOICES, SweepSettings, playground_scenario
from attnviz.features.sweeps.sources import SOURCES

dimensions = st.integers(1, MAX_DIM)
settings_of_sweeps = st.builds(
    SweepSettings,
    dims=st.lists(dimensions, min_size=1, max_size=MAX_DIMS, unique=True).map(tuple),
    trials=st.integers(2, MAX_TRIALS),
    keys=st.integers(2, MAX_KEYS),
    seed=st.integers(0, MAX_SEED),
    source=st.sampled_from(SOURCES),
    scales=st.lists(st.sampled_from(SCALE_CHOICES), min_size=1, unique=True).map(tuple),
    p=st.floats(0, MAX_P),
    dim=st.integers(0, MAX_DIM),
    statistics=st.sampled_from(["all", "dot products"]),
    times=st.floats(-MAX_FACTOR, MAX_FACTOR),
    heads=st.sampled_from(HEADS),
)


@given(settings_of_sweeps)
def test_the_picked_dimension_is_one_of_those_swept(settings: SweepSettings) -> None:
    assert settings.picked in settings.dims
    if settings.dim in settings.dims:
        assert settings.picked == settings.dim
    else:
        assert abs(settings.picked - 64) == min(abs(dim - 64) for dim in settings.dims)


@given(settings_of_sweeps)
def test_the_swept_scales_are_taken_by_the_sweep(settings: SweepSettings) -> None:
    exponents = check_scales(settings.swept_scales())
    assert len(exponents) == len(settings.scales)
    assert (OWN in settings.scales) == (f"{settings.p:g}" in exponents)


# The way to the playground


@given(st.integers(1, MAX_D), st.sampled_from(SOURCES), st.integers(0, MAX_SEED), st.sampled_from(["stable", "table"]))
def test_the_playground_has_the_picked_width_and_what_still_fits(
    d_out: int, source: str, seed: int, embedding: str
) -> None:
    edits = [("x", 1, 0, 0.5), ("w_q", 0, 0, 0.25)]
    scenario = Scenario("dog bites man", embedding=embedding, d_out=3, edits=edits)
    settings = SweepSettings(dims=(d_out,), source=source, seed=seed)
    opened = playground_scenario(scenario, settings)
    assert (opened.text, opened.d_out) == (scenario.text, d_out)
    assert torch.equal(opened.matrix("x"), scenario.matrix("x"))  # these vectors depend on the seed, so that it stays
    assert opened.init == (source.removesuffix("-projections") if settings.of_projections else scenario.init)
    drawn_alike = (opened.init, opened.d_out) == (scenario.init, scenario.d_out)
    assert opened.edits == tuple(edit for edit in scenario.edits if edit.matrix == "x" or drawn_alike)


@pytest.mark.parametrize("source", [source for source in SOURCES if source.endswith("-projections")])
def test_the_playground_has_the_scores_of_the_row_where_x_does_not_depend_on_the_seed(source: str) -> None:
    edits = [("x", 1, 0, 0.5), ("w_q", 0, 0, 0.25)]
    scenario = Scenario(embedding="published", d_out=2, edits=edits, w_k="zeros")
    opened = playground_scenario(scenario, SweepSettings(dims=(2, 16), dim=16, source=source, seed=9))
    row = sample_row(16, 9, source=source, x=scenario.matrix("x"), query=4)
    made = trace(opened)
    for name, wanted in (
        ("scores", made.scores[4]), ("attention_weights", made.attention_weights[4]),
        ("attention_weights_unscaled", made.scores[4].softmax(-1)),
    ):  # fmt: skip
        torch.testing.assert_close(torch.tensor(row[name]).float(), wanted, rtol=1e-5, atol=1e-6)
