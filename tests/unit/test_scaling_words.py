"""The scaling experiment in sentences: each number in them is the table's."""

import pytest

from attnviz.scaling import sweep_scaling
from attnviz.scaling_words import described_curve, flat_or_not, theory_against_measured

X = [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64]]


@pytest.mark.parametrize("dim", [1, 5, 100])
@pytest.mark.parametrize("seed", [0, 7])
def test_the_worked_line_has_theory_beside_the_measured_value(dim: int, seed: int) -> None:
    table = sweep_scaling((1, 5, 100), 500, seed, n_keys=4)
    raw, scaled = (table[(table.dim == dim) & (table.scale == scale)].iloc[0] for scale in ("none", "sqrt"))
    assert theory_against_measured(table, dim) == (
        f"At d = {dim} theory expects a variance of {dim}, and 1 after / √{dim}; measured: {raw.variance:.3g} "
        f"(99 % interval {raw.variance_low:.3g} to {raw.variance_high:.3g}), and {scaled.variance:.3g}."
    )


@pytest.mark.parametrize("scales", [("sqrt",), ("linear", "none"), (0.3,)])
def test_the_worked_line_is_the_same_whichever_scales_are_swept(scales: tuple[str | float, ...]) -> None:
    expected = theory_against_measured(sweep_scaling((8, 64), 300, 1, n_keys=4), 64)
    assert theory_against_measured(sweep_scaling((8, 64), 300, 1, n_keys=4, scales=scales), 64) == expected


def test_a_dimension_that_was_not_swept_is_refused() -> None:
    with pytest.raises(ValueError, match="no row for dimension 7"):
        theory_against_measured(sweep_scaling((8,), 10, 0, n_keys=2), 7)


def test_tiny_numbers_are_said_with_a_true_minus_sign() -> None:
    table = sweep_scaling((1, 4096), 20, 0, n_keys=2, scales=(2.0,))
    table[[name for name in table if name.startswith(("variance", "expected"))]] *= 1e-9
    for said in (
        theory_against_measured(table, 1), flat_or_not(table, "2"), described_curve(table, "variance", "Variance")
    ):  # fmt: skip
        assert "e−" in said
        assert "-" not in said


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
    said = flat_or_not(table, f"{p:g}")
    assert said.startswith(f"Divided by d^{p:g} the variance {verdict}, from ")
    first, last = table["variance"].iloc[0], table["variance"].iloc[-1]
    assert f"from {first:.3g} at d = 1 to {last:.3g} at d = 1024" in said
    reason = {"grows": "too little", "shrinks": "too much", "stays": "lie flat"}[verdict]
    assert reason in said


def test_few_trials_are_not_called_flat() -> None:
    table = sweep_scaling((1, 1024), 30, 0, scales=(0.4,), statistics="dot products")
    assert "so few trials cannot tell" in flat_or_not(table, "0.4")


def test_one_dimension_shows_no_trend() -> None:
    table = sweep_scaling((8,), 30, 0, scales=(0.4,), statistics="dot products")
    assert flat_or_not(table, "0.4") == "One dimension alone shows no trend: sweep several."


def test_a_curve_is_described_by_both_ends_of_every_line() -> None:
    table = sweep_scaling((4, 16, 64), 50, 0, n_keys=4, scales=("none", "linear", 0.3))
    said = described_curve(table, "std", "Spread")
    assert said.startswith("Spread over the dimension: raw goes from ")
    assert said.count("goes from") == 3
    for scale, name in (("none", "raw"), ("linear", "/ d"), ("0.3", "0.3")):
        values = table[table.scale == scale]["std"]
        assert f"{name} goes from {values.iloc[0]:.3g} at d = 4 to {values.iloc[-1]:.3g} at d = 64" in said
