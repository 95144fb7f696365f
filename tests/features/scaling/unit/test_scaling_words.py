"""The scaling experiment in sentences: each number in them is the table's, and what they say follows from it."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.explanation.row_statistics import even_jacobian_norm
from attnviz.features.scaling.curves import CURVES, curve_spec
from attnviz.features.scaling.in_words import (
    about_factor,
    about_gradient,
    described_curve,
    flat_or_not,
    measured,
    theory_against_measured,
    write_number,
)
from attnviz.features.sweeps.arguments import MAX_FACTOR
from attnviz.features.sweeps.experiment import softmax_row, sweep_scaling
from attnviz.features.sweeps.sources import SOURCES
from attnviz.words import plural, say
from tests.examples import examples

X = [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64]]
CLASSIC = (0.1, -0.2, 0.3, -0.2, 0.5)


def number(text: str) -> float:
    return float(text.replace("−", "-"))


@pytest.mark.parametrize("dim", [1, 5, 100])
@pytest.mark.parametrize("seed", [0, 7])
def test_the_worked_line_has_theory_beside_the_measured_value(dim: int, seed: int) -> None:
    table = sweep_scaling((1, 5, 100), 500, seed, n_keys=4)
    raw, scaled = (table[(table.dim == dim) & (table.scale == scale)].iloc[0] for scale in ("none", "sqrt"))
    assert theory_against_measured(table, dim) == say(
        "scaling.theory.line", dim=dim, expected=dim, expected_scaled=1, scaled=measured(scaled, "variance"),
        **{place: write_number(raw[column], raw.variance_high - raw.variance_low) for place, column in
           (("measured", "variance"), ("low", "variance_low"), ("high", "variance_high"))},
    )  # fmt: skip


@given(st.floats(-9000, 9000), st.floats(2e-5, 150))
def test_digits_go_down_to_the_second_one_of_the_uncertainty(value: float, uncertainty: float) -> None:
    text = write_number(value, 2 * uncertainty)
    last = 10.0 ** -len(text.partition(".")[2])
    if "e" not in text:
        assert number(text) == pytest.approx(value, abs=0.51 * last)
        assert last <= 1.001 * uncertainty / 10
        assert uncertainty / 100 < 1.001 * last or last == 1
    else:  # what isn't 0 never reads as 0
        assert abs(value) < uncertainty


VERDICTS = [
    (0.0, "normal", "grows"),
    (0.45, "normal", "grows"),
    (0.5, "normal", "stays"),
    (0.55, "normal", "shrinks"),
    (1.0, "normal", "shrinks"),
    (0.5, "uniform", "stays"),
    (0.5, "uniform-projections", "grows"),
    (0.5, "linear-projections", "stays"),
    (0.5, "normal-projections", "stays"),
]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("p", "source", "verdict"), VERDICTS)
def test_only_half_is_flat_where_the_argument_holds(p: float, source: str, verdict: str, seed: int) -> None:
    x = X if source.endswith("-projections") else None
    table = sweep_scaling((1, 32, 1024), 1000, seed, source=source, x=x, scales=(p,), statistics="dot products")
    texts, order = [measured(row, "variance") for _, row in table.iterrows()], table.variance.argsort().tolist()
    places: dict[str, Any] = {
        "p": f"{p:g}", "first": texts[0], "low": 1, "last": texts[-1], "high": 1024,
        "least": texts[order[0]], "most": texts[order[-1]],
    }  # fmt: skip
    assert flat_or_not(table, f"{p:g}") == say(f"scaling.flat.{verdict}", **places)


def test_the_same_number_reads_the_same_in_the_curve_in_its_text_and_in_the_sentence() -> None:
    table = sweep_scaling((4, 16, 64), 50, 0, n_keys=4, scales=("none", "linear", 0.3))
    for curve in CURVES:
        described = described_curve(table, curve.column, curve.title)
        hovers = [text for trace in curve_spec(table, curve)["data"] for text in trace.get("hovertext", ())]
        assert described.startswith(f"{curve.title} over the dimension. not divided: from ")
        for (scale, rows), name in zip(
            table.groupby("scale", sort=False), ("not divided", "÷ d", "÷ d^0.3"), strict=True
        ):
            first, last = (measured(rows.iloc[i], curve.column) for i in (0, -1))
            assert f"{name}: from {first} at d = 4 to {last} at d = 64" in described, scale
            assert any(hover.startswith(f"{name}, d = 4: {first}<br>") for hover in hovers)
            assert any(hover.startswith(f"{name}, d = 64: {last}<br>") for hover in hovers)


# Laws over what the page's controls allow


sweeps = st.fixed_dictionaries(
    {
        "dims": st.sets(st.integers(1, 600), min_size=1, max_size=6),
        "trials": st.integers(2, 200),
        "seed": st.integers(0, 1000),
        "n_keys": st.integers(2, 40),
        "source": st.sampled_from(SOURCES),
        "scales": st.lists(st.sampled_from(["none", "sqrt", "linear", 0.35]), min_size=1, unique=True),
    }
)
vectors = st.lists(st.lists(st.floats(-3, 3, width=16), min_size=2, max_size=2), min_size=2, max_size=5)


@given(sweeps, vectors)
@settings(max_examples=examples(60), deadline=None)
def test_what_is_said_of_the_gradient_follows_from_the_table(asked: dict[str, Any], x: list[list[float]]) -> None:
    table = sweep_scaling(**asked, x=x if asked["source"].endswith("projections") else None)
    n_keys = len(x) if asked["source"].endswith("projections") else asked["n_keys"]
    dim = max(asked["dims"])
    _, sizes, way, _, shares, medians, _ = about_gradient(table, dim)
    assert write_number(even_jacobian_norm(n_keys)) in sizes or n_keys == 2
    assert (plural(n_keys, "key") in sizes) == (n_keys > 2) or "With 2 keys" in sizes
    rows = table[table.scale == table.scale.iloc[0]]
    means, widest = rows.jacobian_norm.to_numpy(), (rows.jacobian_norm_high - rows.jacobian_norm_low).max()
    if "rises" in way or "falls" in way:
        numbers = [number(text) for text in re.findall(r"(?:from|to) ([\d.e−]+) at d", way)]
        peak = max(numbers)
        assert peak == pytest.approx(means.max(), rel=1e-2, abs=0.06 * widest + 1e-6)
        first, last = numbers[0], numbers[-1]
        assert ("rises" in way) == (first != peak)
        assert ("falls" in way) == (last != peak)
        weights = [measured(row, "largest_attention_weight") for _, row in rows.iterrows()]
        assert weights[0] in way
        assert weights[-1] in way
    else:
        assert number(re.findall(r"(?<= )[\d.e−]+(?= at d)", way)[0]) == pytest.approx(
            means[0], abs=0.06 * widest + 1e-6
        )
        assert number(re.findall(r"(?<= )[\d.e−]+(?= at d)", way)[-1]) == pytest.approx(
            means[-1], abs=0.06 * widest + 1e-6
        )
    names = {"none": "not divided", "sqrt": "÷ √d", "linear": "÷ d", "0.35": "÷ d^0.35"}
    for _, row in table[table.dim == dim].iterrows():
        for column, said in (("vanished_share", shares), ("jacobian_norm_median", medians)):
            assert re.search(rf"[:,] {re.escape(names[str(row.scale)])} {measured(row, column)}[,.]", said)


@given(st.floats(-MAX_FACTOR, MAX_FACTOR) | st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 8.0]))
@settings(deadline=None)
def test_what_is_said_of_a_factor_follows_from_the_row(factor: float) -> None:
    said = about_factor(CLASSIC, factor)
    weights = softmax_row(CLASSIC, factor)
    order = np.sign(np.subtract.outer(CLASSIC, CLASSIC))
    of_weights = np.sign(np.subtract.outer(weights, weights))
    if "keep their order" in said:
        assert (order * of_weights >= 0).all()
        assert write_number(weights[4]) in said
        assert ("the highest takes more" in said) == (factor > 1)
        assert weights[4] > 0.2872 if factor > 1 else weights[4] <= 0.28725
    elif "turns the order around" in said:
        assert (order * of_weights <= 0).all()
        assert factor < 0
        assert write_number(weights[1]) in said
        assert weights[1] == weights[3] == weights.max()
    elif said == say("scaling.classic.zero"):
        assert weights == pytest.approx(0.2)
    else:
        assert factor == 1
