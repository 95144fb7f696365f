"""The scaling experiment in sentences, with its own numbers."""

import pandas as pd

from attnviz.numbers import in_format

_SAID = {"none": "raw", "sqrt": "/ √d", "linear": "/ d"}


def _line(table: pd.DataFrame, dim: int, scale: str) -> pd.Series:
    rows = table[(table.dim == dim) & (table.scale == scale)]
    if rows.empty:
        raise ValueError(f"the table has no row for dimension {dim} and scale {scale!r}")
    return rows.iloc[0]


def _three(value: float) -> str:
    return in_format(value, ".3g")


def theory_against_measured(table: pd.DataFrame, dim: int) -> str:
    """Compare the variance that theory expects at one dimension, raw and divided by √d, with the measured one.

    >>> from attnviz.scaling import sweep_scaling
    >>> theory_against_measured(sweep_scaling((4,), 1000, 0, n_keys=8), 4)
    'At d = 4 theory expects a variance of 4, and 1 after / √4; measured: 4.22 (99 % interval 3.62 to 4.91), and 1.05.'
    """
    row = _line(table, dim, str(table.scale.iloc[0]))
    raw = float(dim) ** (2 * row.exponent)  # times this, any scale's variance is the raw one
    expected, measured = row.expected_variance * raw, row.variance * raw
    low, high = _three(row.variance_low * raw), _three(row.variance_high * raw)
    return (
        f"At d = {dim} theory expects a variance of {in_format(expected, '.4g')}, and "
        f"{in_format(expected / dim, '.4g')} after / √{dim}; measured: {_three(measured)} (99 % interval {low} to "
        f"{high}), and {_three(measured / dim)}."
    )


def flat_or_not(table: pd.DataFrame, scale: str) -> str:
    """Say whether the variance stays where it is over the dimensions when divided by d^p, p = `scale`.

    >>> from attnviz.scaling import sweep_scaling
    >>> flat_or_not(sweep_scaling((4, 64), 1000, 0, n_keys=8, scales=(0.3,)), "0.3")
    'Divided by d^0.3 the variance grows, from 1.84 at d = 4 to 5.08 at d = 64: too little is divided \
away, and the largest weight takes ever more.'
    """
    rows = table[table.scale == scale]
    if len(rows) < 2:
        return "One dimension alone shows no trend: sweep several."
    first, last = rows.iloc[0], rows.iloc[-1]
    ends = f"from {_three(first.variance)} at d = {first.dim} to {_three(last.variance)} at d = {last.dim}"
    if last.variance_low > first.variance_high:
        how, so = "grows", "too little is divided away, and the largest weight takes ever more"
    elif last.variance_high < first.variance_low:
        how, so = "shrinks", "too much is divided away, and all weights become alike"
    elif 0.64 < last.variance / first.variance < 1.56:
        how, so = "stays", "the curves lie flat, as far as these trials can tell"
    else:
        how, so = "goes", "so few trials cannot tell whether it lies flat, take more"
    return f"Divided by d^{scale} the variance {how}, {ends}: {so}."


def described_curve(table: pd.DataFrame, column: str, title: str) -> str:
    """Describe a curve for someone who cannot see it: each scale's values at both ends.

    >>> from attnviz.scaling import sweep_scaling
    >>> described_curve(sweep_scaling((4, 64), 100, 0, scales=("none",)), "expected_variance", "Variance")
    'Variance over the dimension: raw goes from 4 at d = 4 to 64 at d = 64.'
    """
    parts = []
    for scale, rows in table.groupby("scale", sort=False):
        first, last = rows.iloc[0], rows.iloc[-1]
        ends = f"from {_three(first[column])} at d = {first.dim} to {_three(last[column])} at d = {last.dim}"
        parts.append(f"{_SAID.get(scale, scale)} goes {ends}")
    return f"{title} over the dimension: {'; '.join(parts)}."
