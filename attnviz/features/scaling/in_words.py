"""The scaling experiment in sentences, with its own numbers."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import pandas as pd

from attnviz.core.seeding import INITIALIZATIONS
from attnviz.explanation.row_statistics import even_jacobian_norm
from attnviz.features.sweeps.experiment import softmax_row
from attnviz.features.sweeps.sources import OF_PROJECTIONS, make_source
from attnviz.words import plural, say
from attnviz.words.numbers import DEFAULT_DIGITS, LARGEST_FIXED, MAX_DIGITS, significant, written

_NAMED = ("none", "sqrt", "linear")
_HARDLY = 1.25  # a spread that changes by no more than this factor hardly changes


def write_number(value: float, width: float = 0.0) -> str:
    """Write a number of the experiment, the same in every text.

    `width` is the width of its interval. Half of that is its uncertainty, whose second digit is the last one written.

    >>> write_number(0.25), write_number(2e-7), write_number(61.5763, 14.5558), write_number(61.5763, 0.002)
    ('0.2500', '2.00e−07', '61.6', '61.5763')
    """
    if not width > 0 or abs(value) >= LARGEST_FIXED - 1:
        return written(value, DEFAULT_DIGITS)
    return written(value, min(MAX_DIGITS, max(0, 1 - math.floor(math.log10(width / 2)))))


def measured(row: pd.Series, column: str) -> str:
    """Write the number in a row and column of a sweep's table."""
    return write_number(row[column], row.get(f"{column}_high", 0.0) - row.get(f"{column}_low", 0.0))


def said_scale(scale: str) -> str:
    """Name a scale by its label; an init is its own name.

    >>> said_scale("sqrt"), said_scale("0.3"), said_scale("torch.rand")
    ('÷ √d', '÷ d^0.3', 'torch.rand')
    """
    if scale in _NAMED:
        return say(f"scaling.scale.{scale}")
    return say("scaling.scale.own", p=scale) if scale.replace(".", "", 1).isdecimal() else scale


def said_source(source: str) -> str:
    """Name where queries and keys come from.

    >>> said_source("normal-projections")
    'this sentence, torch.randn projections'
    """
    if not source.endswith(OF_PROJECTIONS):
        return say(f"scaling.source.{source}")
    drawn_by = INITIALIZATIONS[source.removesuffix(OF_PROJECTIONS)].written
    return say("scaling.source.projections", drawn_by=drawn_by)


def _line(table: pd.DataFrame, dim: int, scale: str) -> pd.Series:
    rows = table[(table.dim == dim) & (table.scale == scale)]
    if rows.empty:
        raise ValueError(f"the table has no row for dimension {dim} and scale {scale!r}")
    return rows.iloc[0]


def theory_against_measured(table: pd.DataFrame, dim: int) -> str:
    """Compare the expected variance at one dimension with the measured one.

    >>> from attnviz.features.sweeps.experiment import sweep_scaling
    >>> theory_against_measured(sweep_scaling((4,), 1000, 0, n_keys=8), 4)
    'At d = 4 theory expects a variance of 4, and 1 once the scores are divided by √4. Measured: 4.22 (99 % interval \
3.62 to 4.91), and 1.05 once divided.'
    """
    row = _line(table, dim, str(table.scale.iloc[0]))
    raw = float(dim) ** (2 * row.exponent)  # a scale's variance times this is the raw variance
    expected, width = row.expected_variance * raw, (row.variance_high - row.variance_low) * raw
    found, low, high = (write_number(each * raw, width) for each in (row.variance, row.variance_low, row.variance_high))
    return say(
        "scaling.theory.line", dim=dim, expected=significant(expected, 4),
        expected_scaled=significant(expected / dim, 4), measured=found, low=low, high=high,
        scaled=write_number(row.variance * raw / dim, width / dim),
    )  # fmt: skip


def about_source(source: str, x: object, dim: int) -> str:
    """Say what theory expects of this source; blank for the paper's.

    >>> about_source("normal-projections", [[1.0, 0.0], [0.0, 1.0]], 8)
    'This is the variance within a row of scores. The entries of W_q and W_k have the mean 0 here, so theory expects \
it to grow like d: d · 0.5000 for this sentence.'
    """
    if source == "uniform":
        return say("scaling.theory.uniform")
    if not source.endswith(OF_PROJECTIONS):
        return ""
    drawn = make_source(source, 2, x)
    alone, whole = drawn.expected_variance(1), drawn.expected_variance(dim)
    mean, _ = INITIALIZATIONS[source.removesuffix(OF_PROJECTIONS)].moments(1)
    if mean == 0:
        return say("scaling.theory.zero_mean", alone=write_number(alone))
    share = max(0.0, 1 - dim * alone / whole) if whole > 0 else 0.0
    return say("scaling.theory.shared", mean=significant(mean), share=f"{100 * share:.1f}", dim=dim)


def flat_or_not(table: pd.DataFrame, scale: str) -> str:
    """Say whether variance divided by d^p stays the same, p = `scale`.

    >>> from attnviz.features.sweeps.experiment import sweep_scaling
    >>> flat_or_not(sweep_scaling((4, 64), 1000, 0, n_keys=8, scales=(0.3,), statistics="dot products"), "0.3")
    "Divided by d^0.3, the variance grows from 1.84 at d = 4 to 5.08 at d = 64: that's too small a divisor."
    """
    rows = table[table.scale == scale]
    if len(rows) < 2:
        return say("scaling.flat.one")
    said = say(f"scaling.flat.{_trend(rows, 'variance', 1.56)}", **(_ends(rows, "variance") | {"p": scale}))
    if "largest_attention_weight" not in rows:
        return said
    first, last = (measured(rows.iloc[at], "largest_attention_weight") for at in (0, -1))
    return f"{said} {say('scaling.flat.weight', first=first, last=last)}"


def _trend(rows: pd.DataFrame, column: str, factor: float) -> str:
    """Return a column's trend over the dimensions; `factor` limits what "stays"."""
    low, high = rows[f"{column}_low"], rows[f"{column}_high"]
    if low.max() > high.min():
        if low.iloc[-1] > high.iloc[0] and _never_falls(low, high):
            return "grows"
        return "shrinks" if high.iloc[-1] < low.iloc[0] and _never_falls(low[::-1], high[::-1]) else "bends"
    return "stays" if rows[column].max() <= factor * rows[column].min() else "unclear"


def _never_falls(low: pd.Series, high: pd.Series) -> bool:
    return bool((high >= low.cummax()).all())


def _ends(rows: pd.DataFrame, column: str) -> dict[str, str | int]:
    dims, least, most = rows.dim.tolist(), int(rows[column].argmin()), int(rows[column].argmax())
    first, last, lowest, highest = (measured(rows.iloc[at], column) for at in (0, -1, least, most))
    return {
        "first": first, "low": dims[0], "last": last, "high": dims[-1],
        "least": lowest, "at_least": dims[least], "most": highest, "at_most": dims[most],
    }  # fmt: skip


def about_gradient(table: pd.DataFrame, dim: int) -> list[str]:
    """Say how the mean gradient changes, and what it hides.

    >>> from attnviz.features.sweeps.experiment import sweep_scaling
    >>> about_gradient(sweep_scaling((1, 16), 100, 0, n_keys=2, scales=("none",)), 16)[1]
    "With 2 keys it's largest, 0.5, when both have the same attention weight, and 0 when one takes it all. Larger \
scores can only shrink it."
    """
    n_keys = int(table.n_keys.iloc[0])
    keys = {"even": write_number(even_jacobian_norm(n_keys)), "keys": plural(n_keys, "key")}
    sizes = say("scaling.gradient.sizes", **keys) if n_keys > 2 else say("scaling.gradient.sizes_two")
    said = [say("scaling.gradient.what"), sizes]
    scales = list(dict.fromkeys(table.scale))
    said.append(_way_of_mean(table[table.scale == scales[0]], said_scale(scales[0])))
    said.append(say("scaling.gradient.hidden"))
    for key, column in (("share", "vanished_share"), ("median", "jacobian_norm_median")):
        each = [
            say("scaling.gradient.of_scale", scale=said_scale(scale), value=measured(_line(table, dim, scale), column))
            for scale in scales
        ]
        said.append(say(f"scaling.gradient.{key}", dim=dim, scales=", ".join(each)))
    return [*said, say("scaling.gradient.not_enough")]


def _way_of_mean(rows: pd.DataFrame, scale: str) -> str:
    """Say how the mean gradient and the largest weight change with dimension."""
    means, dims = rows.jacobian_norm.tolist(), rows.dim.tolist()
    peak = means.index(max(means))
    told = rows.iloc[[0, peak, -1]]  # compared as they're written, with equally many digits
    width = float((told.jacobian_norm_high - told.jacobian_norm_low).max())
    first, most, last = (write_number(each, width) for each in told.jacobian_norm)
    weights = [measured(row, "largest_attention_weight") for _, row in told.iterrows()]
    ends = {"scale": scale, "first": first, "low": dims[0], "last": last, "high": dims[-1]}
    ends_of_weight = {"weight_first": weights[0], "weight_last": weights[-1]}
    if first != most != last:
        return say(
            "scaling.gradient.peak", **ends, **ends_of_weight, most=most, peak=dims[peak], weight_peak=weights[1]
        )
    if first == last or not (_monotone(means) or _monotone(means[::-1])):
        return say("scaling.gradient.stays", **ends)
    if most == last:
        return say("scaling.gradient.rises", **ends, **ends_of_weight)
    return say("scaling.gradient.falls", **ends, **ends_of_weight)


def _monotone(values: Sequence[float]) -> bool:
    return all(one <= other for one, other in pairwise(values))


def about_factor(scores: Sequence[float], factor: float) -> str:
    """Say what a factor makes of the softmax of some scores.

    >>> about_factor((0.1, 0.5), 0)
    'Times 0 makes all scores equal, so all attention weights are equal.'
    """
    before, after = softmax_row(scores), softmax_row(scores, factor)
    if factor == 0:
        return say("scaling.classic.zero")
    if factor < 0:
        lowest, highest = (significant(score) for score in (min(scores), max(scores)))
        return say("scaling.classic.flipped", lowest=lowest, highest=highest, after=write_number(after.max()),
                   least=write_number(after.min()))  # fmt: skip
    if factor == 1:
        return say("scaling.classic.same")
    highest_weight = {"before": write_number(before.max()), "after": write_number(after.max())}
    if factor > 1:
        return say("scaling.classic.sharper", **highest_weight)
    return say("scaling.classic.softer", **highest_weight)


def about_inits(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Say for each init how scaled scores' spread changes with dimension."""
    said = []
    for init, rows in tables.items():
        places = {name: value for name, value in _ends(rows, "std").items() if name in ("first", "last", "low", "high")}
        alike = rows["std"].max() <= _HARDLY * rows["std"].min()
        trend = "stays" if alike else _trend(rows, "std", _HARDLY)
        key = f"scaling.broken.{'unclear' if trend == 'bends' else trend}"
        said.append(say(key, init=INITIALIZATIONS[init].written, **places))
    return said


def described_curve(table: pd.DataFrame, column: str, title: str) -> str:
    """Describe a curve in words: each scale's values at both ends.

    >>> from attnviz.features.sweeps.experiment import sweep_scaling
    >>> described_curve(sweep_scaling((4, 64), 100, 0, scales=("none",)), "expected_variance", "Variance")
    'Variance over the dimension. not divided: from 4.0000 at d = 4 to 64.0000 at d = 64.'
    """
    parts = []
    for scale, rows in table.groupby("scale", sort=False):
        ends = {name: value for name, value in _ends(rows, column).items() if name in ("first", "last", "low", "high")}
        key = "scaling.curve.alt_line" if len(rows) > 1 else "scaling.curve.alt_point"
        parts.append(say(key, scale=said_scale(str(scale)), **ends))
    return say("scaling.curve.alt", title=title, lines="; ".join(parts))


def said_time(seconds: float) -> str:
    """Write a waiting time, rounded, because it's only estimated.

    >>> said_time(0.2), said_time(41), said_time(700)
    ('1 second', '40 seconds', '12 minutes')
    """
    if seconds > 100:
        return plural(round(seconds / 60), "minute")
    return plural(max(1, round(seconds) if seconds < 10 else round(seconds / 5) * 5), "second")
