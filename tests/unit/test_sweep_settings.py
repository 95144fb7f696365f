"""The scaling page's settings: valid or refused by name, and the same after a trip through a URL."""

import re
from typing import Any
from urllib.parse import parse_qs, urlencode

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.core.limits import MAX_D, MAX_SEED
from attnviz.scaling.arguments import MAX_DIM, MAX_DIMS, MAX_FACTOR, MAX_KEYS, MAX_TRIALS, check_scales
from attnviz.scaling.experiment import sample_row
from attnviz.scaling.settings import (
    HEADS,
    MAX_P,
    OWN,
    SCALE_CHOICES,
    SweepSettings,
    decode_settings,
    encode_settings,
    playground_scenario,
)
from attnviz.scaling.sources import SOURCES

MOST_CHARACTERS = 2000  # of the parameter in the URL

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
def test_settings_come_back_from_their_text(settings: SweepSettings) -> None:
    assert decode_settings(encode_settings(settings)) == (settings, [])


@given(settings_of_sweeps)
def test_a_url_carries_the_text_as_it_is(settings: SweepSettings) -> None:
    text = encode_settings(settings)
    assert len(text) <= MOST_CHARACTERS
    assert urlencode({"sweep": text}, safe="*") == f"sweep={text}"
    if text:
        assert parse_qs(f"sweep={text}") == {"sweep": [text]}


def test_the_default_needs_no_text() -> None:
    assert encode_settings(SweepSettings()) == ""
    assert decode_settings("") == (SweepSettings(), [])


def test_a_link_that_names_anything_leaves_out_the_line_of_p_as_it_did_before() -> None:
    before = ("none", "sqrt", "linear")
    assert decode_settings("trials.500") == (SweepSettings(trials=500, scales=before), [])
    assert encode_settings(SweepSettings(scales=before)) == "scales.none-sqrt-linear"


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


def test_dimensions_are_sorted() -> None:
    assert SweepSettings(dims=(64, 2, 8)).dims == (2, 8, 64)


BAD: list[tuple[str, Any, str]] = [
    ("dims", (), "no dimension is given, expected 1 to 64 of them"),
    ("dims", (2, 0), "dimension is 0, expected a whole number from 1 to 4096"),
    ("dims", (-3,), "dimension is -3"),
    ("dims", (2.5,), "dimension is 2.5"),
    ("dims", (2, 4, "eight"), "dimension is 'eight'"),
    ("dims", (4097,), "dimension is 4097"),
    ("dims", (10**30,), f"dimension is {10**30}"),
    ("dims", (8, 2, 8), "dimension 8 is repeated"),
    ("dims", tuple(range(1, 66)), "dimension 65 is one more than the limit of 64 dimensions"),
    ("trials", 0, "trials is 0, expected a whole number from 2 to 10000"),
    ("trials", 1, "trials is 1"),
    ("trials", -5, "trials is -5"),
    ("trials", 10_001, "trials is 10001"),
    ("trials", 2.5, "trials is 2.5"),
    ("trials", None, "trials is None"),
    ("trials", True, "trials is True"),
    ("keys", 1, "keys is 1, expected a whole number from 2 to 256"),
    ("keys", 257, "keys is 257"),
    ("seed", -1, "seed is -1"),
    ("seed", 2**32, f"seed is {2**32}"),
    ("source", "cauchy", "source is 'cauchy', expected one of normal, uniform"),
    ("scales", (), "scales are ()"),
    ("scales", ("none", "cube"), "scales are ('none', 'cube'), expected some of none, sqrt, linear, own p"),
    ("scales", ("none", "none"), "each once"),
    ("p", -0.1, "p is -0.1, expected an exponent from 0 to 1"),
    ("p", 1.5, "p is 1.5"),
    ("p", float("nan"), "p is nan"),
    ("p", None, "p is None"),
    ("p", "0.5", "p is '0.5'"),
    ("dim", -1, "dim is -1, expected a whole number from 0 to 4096"),
    ("dim", 4097, "dim is 4097"),
    ("statistics", "some", "statistics is 'some', expected one of all, dot products"),
    ("times", 1000.1, "times is 1000.1, expected a number from -1000 to 1000"),
    ("times", float("nan"), "times is nan"),
    ("times", float("-inf"), "times is -inf"),
    ("times", "8", "times is '8'"),
    ("heads", 3, "heads is 3, expected one of 1, 2, 4, 8, 16, 32"),
]


@pytest.mark.parametrize(("name", "value", "message"), BAD, ids=[f"{name} {value!r:.20}" for name, value, _ in BAD])
def test_a_bad_value_is_named(name: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        SweepSettings(**{name: value})


PIECES = (
    "dims", "trials", "keys", "seed", "source", "scales", "p", "dim", "picked", "swept_scales", "__class__", "0", "1",
    "8", "-1", "2-8", "2-2", "0.5", "1.5", "nan", "inf", "1e999", "normal", "own_p", "none-none", "٣", "9" * 5000, "",
    " ", "\0", "\ud800", "é", "1_0", "<b>x</b>",
)  # fmt: skip
almost = st.lists(st.lists(st.sampled_from(PIECES), max_size=3).map(".".join), max_size=6).map("*".join)


@given(st.text() | almost)
@example("*" * 3000)
@example("dims." + "-".join(["1"] * 3000))
@example("p.nan*p.1.5*dim.-5*trials.1e3*scales.")
def test_any_text_gives_valid_settings_and_says_what_it_left_out(text: str) -> None:
    settings, ignored = decode_settings(text)
    assert settings == SweepSettings(**vars(settings))
    assert len(ignored) <= text.count("*") + 1
    assert all(part in text for part in ignored)
    assert decode_settings(encode_settings(settings)) == (settings, [])


NONSENSE = (
    "many", "trials", "trials.", "trials.0", "trials.ten", "trials.2.5", "keys.1", "seed.-1", "source.cauchy",
    "scales.", "scales.cube", "scales.none-none", "dims.", "dims.2-eight", "dims.2-2", "dims.0", "dims.99999",
    "p.nan", "p.1.5", "p.half", "dim.-5", "dim.x", "times.x", "times.inf", "statistics.some",
    "picked.8", "__class__.3", "<b>x</b>.1", "trials." + "9" * 1900,
)  # fmt: skip


@pytest.mark.parametrize("part", NONSENSE, ids=[part[:20] for part in NONSENSE])
def test_a_part_that_is_none_is_reported_and_the_rest_is_read(part: str) -> None:
    expected = SweepSettings(dims=(2, 8), p=0.4, scales=("none", "sqrt", "linear"))
    assert decode_settings(f"dims.2-8*{part}*p.0.4") == (expected, [part])


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
    torch.testing.assert_close(trace(opened).scores[4].double(), torch.tensor(row.scores), rtol=1e-5, atol=1e-6)
