"""The scaling experiment in sentences, with its own numbers."""

import pandas as pd


def _line(table: pd.DataFrame, dim: int, scale: str) -> pd.Series:
    rows = table[(table.dim == dim) & (table.scale == scale)]
    if rows.empty:
        raise ValueError(f"the table has no row for dimension {dim} and scale {scale!r}")
    return rows.iloc[0]


def theory_against_measured(table: pd.DataFrame, dim: int) -> str:
    """Compare the variance that theory expects at one dimension, unscaled, with the measured one.

    >>> from attnviz.scaling import sweep_scaling
    >>> theory_against_measured(sweep_scaling((4,), 1000, 0, n_keys=8), 4)
    'At d = 4 theory expects a variance of 4; measured: 4.45 (99 % interval 3.82 to 5.19).'
    """
    row = _line(table, dim, "none")
    return (
        f"At d = {dim} theory expects a variance of {row.expected_variance:.4g}; measured: {row.variance:.3g} "
        f"(99 % interval {row.variance_low:.3g} to {row.variance_high:.3g})."
    )


def described_curve(table: pd.DataFrame, column: str, title: str) -> str:
    """Describe a curve for someone who cannot see it: each scale's values at both ends.

    >>> from attnviz.scaling import sweep_scaling
    >>> described_curve(sweep_scaling((4, 64), 100, 0, scales=("none",)), "expected_variance", "Variance")
    'Variance over the dimension: none goes from 4 at d = 4 to 64 at d = 64.'
    """
    parts = []
    for scale, rows in table.groupby("scale", sort=False):
        first, last = rows.iloc[0], rows.iloc[-1]
        parts.append(
            f"{scale} goes from {first[column]:.3g} at d = {first.dim} to {last[column]:.3g} at d = {last.dim}"
        )
    return f"{title} over the dimension: {'; '.join(parts)}."
