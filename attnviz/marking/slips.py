"""Whole tables that are wrong in one recognizable way: of another scale, transposed, or with another softmax."""

import math

import numpy as np

from attnviz.core.rules import Bounded
from attnviz.marking.marks import Mark, near
from attnviz.marking.pipeline import MarkedTable, Marking, Settings
from attnviz.tables.printed_table import as_printed
from attnviz.words import say
from attnviz.words.numbers import written

_POWERS = {10.0**n: n for n in (1, 2, 3)}  # of ten, which have names
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
    if table.stage.kind not in ("product", "scale"):
        return ""
    for right in (table.exact, table.followed):
        for factor, words in _factors(settings).items():
            if _gives(table, right * factor, factor):
                return say("marking.slip.scale", title=table.stage.title, factor=words)
    return ""


def _factors(settings: Settings) -> dict[float, str]:
    factors = {}
    for power, n in _POWERS.items():
        factors[power] = say("marking.slip.times", power=_power(n))
        factors[1 / power] = say("marking.slip.part", part=_part(n))
    if settings.d_k is not None and settings.d_k > 1:
        root = math.sqrt(settings.d_k)
        factors |= {
            root: say("marking.slip.no_root", root=written(root, 3)),
            1 / root: say("marking.slip.root_twice", root=written(root, 3)),
        }
    return factors


def _power(n: int) -> str:
    return say(f"marking.power.{n}")


def _part(n: int) -> str:
    return say(f"marking.part_of.{n}")


def _other_way_round(table: MarkedTable) -> str:
    if any(right.shape[::-1] == table.given.shape and _gives(table, right.T) for right in _rights(table)):
        return say("marking.slip.turned", title=table.stage.title)
    return ""


def _rights(table: MarkedTable) -> tuple[np.ndarray, np.ndarray]:
    return table.exact, table.followed


def _other_softmax(marking: Marking, table: MarkedTable) -> str:
    if table.stage.kind != "softmax" or marking.settings.causal:
        return ""
    scores = marking.before[table.stage.sources[0]]
    if _gives(table, _softmax(table, scores.T).T):
        return say("marking.slip.columns")
    settings = marking.settings
    if settings.d_k is not None and settings.d_k > 1:
        root = math.sqrt(settings.d_k)
        if settings.scale and _gives(table, _softmax(table, scores * root)):
            return say("marking.slip.undivided")
        if not settings.scale and _gives(table, _softmax(table, scores / root)):
            return say("marking.slip.divided", root=written(root, 3))
    return _fitted_scale(table, scores)


def _softmax(table: MarkedTable, scores: np.ndarray) -> np.ndarray:
    assert table.stage.rule is not None
    return table.stage.rule.bounded(Bounded.exactly(scores)).value


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
    means, size = _scale_in_words(factor)
    row = ", ".join(as_printed(value, table.decimals) for value in table.followed[0][:6])
    return say("marking.slip.fitted", means=means, row=row, size=size)


def _scale_in_words(factor: float) -> tuple[str, str]:
    """Say what is the matter with scores that should be so many times as large, and how large they should be."""
    power = 10.0 ** round(math.log10(factor))
    n = _POWERS.get(round(max(power, 1 / power), 9))
    if power == 1 or n is None or abs(math.log10(factor / power)) > NEAR_A_POWER:
        return say("marking.slip.other"), say("marking.slip.size_factor", factor=written(factor, 2))
    if power < 1:
        return say("marking.slip.too_large", power=_power(n)), say("marking.slip.size_part", part=_part(n))
    return say("marking.slip.too_small", power=_power(n)), say("marking.slip.size_power", power=_power(n))
