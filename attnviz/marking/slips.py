"""Whole tables that are wrong in one recognizable way: of another scale, transposed, or with another softmax."""

import math

import numpy as np

from attnviz.evaluation import Bounded, evaluate
from attnviz.marking.marks import Mark, near
from attnviz.marking.pipeline import MarkedTable, Marking, Settings
from attnviz.numbers import written
from attnviz.printed import as_printed

_POWERS = {10.0**n: words for n, words in ((1, "ten"), (2, "a hundred"), (3, "a thousand"))}
_PARTS = {"ten": "a tenth", "a hundred": "a hundredth", "a thousand": "a thousandth"}
OF_NOTE = 3.0  # smaller factors are not told from other errors
FITS = 0.05  # attention weights that are so near are taken for those of another scale
NEAR_A_POWER = 0.25  # decades


def slip(marking: Marking, table: MarkedTable) -> str:
    """Say in one sentence what is wrong with a whole table, or return an empty text where nothing is known.

    Only a table with wrong cells is looked at; a slip to be named must give every cell that is not blank.
    """
    if not table.count(Mark.WRONG) or table.n_cells < 2:
        return ""
    with np.errstate(all="ignore"):  # what overflows is no slip that has a name
        return _other_scale(marking.settings, table) or _other_way_round(table) or _other_softmax(marking, table)


def _gives(table: MarkedTable, values: np.ndarray, times: float = 1.0) -> bool:
    """Whether these numbers would be printed as the table is; of rounded numbers, `times` as rounded."""
    if values.shape != table.given.shape:
        return False
    error = abs(times - 1) * 0.5 * 10.0**-table.decimals if times > 1 else 0.0
    return bool((near(table.given, values, table.decimals, error) | np.isnan(table.given)).all())


def _other_scale(settings: Settings, table: MarkedTable) -> str:
    if table.stage.rule not in ("product", "scale"):
        return ""
    name = table.stage.title
    for right in (table.exact, table.followed):
        for factor, words in _factors(settings).items():
            if _gives(table, right * factor, factor):
                return f"{name}: wrong scale. Every number is right but for a factor: {words}."
    return ""


def _factors(settings: Settings) -> dict[float, str]:
    factors = {}
    for power, words in _POWERS.items():
        factors[power] = f"it is {words} times too large"
        factors[1 / power] = f"it is {_PARTS[words]} of what it should be"
    if settings.d_k is not None and settings.d_k > 1:
        root = math.sqrt(settings.d_k)
        factors |= {
            root: f"√d_k = {written(root, 3)} too large, as if it had not been divided by √d_k",
            1 / root: f"divided by √d_k = {written(root, 3)} once too often",
        }
    return factors


def _other_way_round(table: MarkedTable) -> str:
    if any(right.shape[::-1] == table.given.shape and _gives(table, right.T) for right in _rights(table)):
        return f"{table.stage.title}: rows and columns are exchanged; the table turned over is right."
    return ""


def _rights(table: MarkedTable) -> tuple[np.ndarray, np.ndarray]:
    return table.exact, table.followed


def _other_softmax(marking: Marking, table: MarkedTable) -> str:
    if table.stage.rule != "softmax" or marking.settings.causal:
        return ""
    scores = marking.before[table.stage.sources[0]]
    weights = "the printed attention weights"
    if _gives(table, _softmax(table, scores.T).T):
        return f"Wrong way: {weights} are the softmax of each column, not of each row."
    settings = marking.settings
    if settings.d_k is not None and settings.d_k > 1:
        root = math.sqrt(settings.d_k)
        if settings.scale and _gives(table, _softmax(table, scores * root)):
            return f"Wrong scale: {weights} are the softmax of the scores without dividing by √d_k."
        if not settings.scale and _gives(table, _softmax(table, scores / root)):
            return f"Wrong scale: {weights} are the softmax of the scores divided by √d_k = {written(root, 3)}."
    return _fitted_scale(table, scores)


def _softmax(table: MarkedTable, scores: np.ndarray) -> np.ndarray:
    return evaluate(table.stage, {table.stage.sources[0]: Bounded.exactly(scores)}).value


def _fitted_scale(table: MarkedTable, scores: np.ndarray) -> str:
    """Say which scale of the scores the printed weights belong to, from the slope of their logarithms."""
    given = table.given
    if scores.shape[1] < 2 or np.isnan(given).any() or (given <= 0).any() or not np.isfinite(scores).all():
        return ""
    logarithms = np.log(given)
    across = scores - scores.mean(1, keepdims=True)
    up = logarithms - logarithms.mean(1, keepdims=True)
    if not (across**2).sum():
        return ""
    factor = float((across * up).sum() / (across**2).sum())
    if factor <= 0 or max(factor, 1 / factor) < OF_NOTE:
        return ""
    fitted = _softmax(table, scores * factor)
    if np.abs(fitted - given).max() > FITS:
        return ""
    power = 10.0 ** round(math.log10(factor))
    if power != 1 and abs(math.log10(factor / power)) <= NEAR_A_POWER and max(power, 1 / power) in _POWERS:
        large = _POWERS[max(power, 1 / power)]
        size = f"about {_PARTS[large]} as large" if power < 1 else f"about {large} times as large"
        means = f"the printed scores are about {large} times too {'large' if power < 1 else 'small'}"
    else:
        size = f"about {written(factor, 2)} times as large"
        means = "the printed scores are of another scale"
    row = ", ".join(as_printed(value, table.decimals) for value in table.followed[0][:6])
    return (
        f"Wrong scale: {means}. From the scores as printed, softmax gives {row}; "
        f"the printed attention weights belong to scores {size}."
    )
