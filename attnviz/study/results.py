"""A study's results: scores, gain and effect size, and what's detectable."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from attnviz.core.limits import RefusedError, in_short
from attnviz.study.items import FORMS, LETTERS, items_of, score

N_ITEMS, N_SUS = 12, 10
FEWEST = 4  # people; of fewer, an interval says nothing
_LEVEL = 0.95


class Interval(NamedTuple):
    """A number with its 95 % confidence interval."""

    value: float
    low: float
    high: float


class Change(NamedTuple):
    """How scores (0 to 100) of `n` people changed between two tests.

    `gain` is the mean change; `effect` is Cohen's d of the changes: their mean over their standard deviation.
    """

    n: int
    before: float
    after: float
    gain: Interval
    effect: Interval


class Results(NamedTuple):
    """A study's changes with at least four people, and its mean usability."""

    changes: Mapping[str, Change]
    usability: Interval | None


def columns() -> tuple[str, ...]:
    """Return the CSV's columns: person, test items, and questionnaire items."""
    items = [f"{form}_{n}" for form in FORMS for n in range(1, N_ITEMS + 1)]
    return ("person", *items, *(f"sus_{n}" for n in range(1, N_SUS + 1)))


def results_of(text: str, seed: int) -> Results:
    """Return a study's results, given its CSV and its kit's seed.

    A test counts for a person who answered any of its items. Raises ``ValueError`` for a missing column, and for an
    answer that is none.
    """
    rows = list(csv.DictReader(io.StringIO(text)))
    missing = [name for name in columns() if not rows or name not in rows[0]]
    if missing:
        raise ValueError(f"the results have no column {missing[0]}, expected {', '.join(columns()[:2])} and so on")
    scores = {form: np.array([_score_of(row, form, seed) for row in rows]) for form in FORMS}
    changes = {}
    for form in FORMS[1:]:
        both = np.isfinite(scores["pre"]) & np.isfinite(scores[form])
        if both.sum() >= FEWEST:
            changes[form] = change(scores["pre"][both], scores[form][both])
    found = np.array([each for row in rows if (each := _usability_of(row)) is not None])
    return Results(changes, _mean(found) if len(found) >= FEWEST else None)


def _score_of(row: Mapping[str, str], form: str, seed: int) -> float:
    given = [(row[f"{form}_{n}"] or "").strip().lower() for n in range(1, N_ITEMS + 1)]
    for n, letter in enumerate(given, 1):
        if letter:
            _check(row, f"{form}_{n}", letter, tuple(LETTERS))
    return score(given, items_of(seed, form)) if any(given) else math.nan


def _usability_of(row: Mapping[str, str]) -> float | None:
    given = [(row[f"sus_{n}"] or "").strip() for n in range(1, N_SUS + 1)]
    if not all(given):
        return None
    for n, text in enumerate(given, 1):
        _check(row, f"sus_{n}", text, ("1", "2", "3", "4", "5"))
    return usability([int(each) for each in given])


def _check(row: Mapping[str, str], column: str, given: str, allowed: tuple[str, ...]) -> None:
    if given not in allowed:
        person = f"person {in_short(row['person'])}"
        raise RefusedError("choice", detail=person, name=column, value=given, allowed=allowed)


def usability(answers: Sequence[int]) -> float:
    """Return the System Usability Scale, 0 to 100, of ten answers (1..5).

    Source: Brooke 1996, SUS: A quick and dirty usability scale.

    >>> usability(10 * [3]), usability(5 * [5, 1])
    (50.0, 100.0)
    """
    return 2.5 * sum(answer - 1 if n % 2 == 0 else 5 - answer for n, answer in enumerate(answers))


def change(before: np.ndarray, after: np.ndarray) -> Change:
    """Return how scores ``(people,)`` changed, with 95 % intervals by Student's t.

    That of d has its usual standard error (Becker 1988, Synthesizing standardized mean-change measures).
    Raises ``ValueError`` for fewer than four people.

    >>> change(np.array([40.0, 50, 60, 50]), np.array([60.0, 60, 90, 70])).gain.value
    20.0
    """
    if len(before) < FEWEST or before.shape != after.shape:
        raise ValueError(
            f"there are {len(before)} and {len(after)} scores, expected as many of both, {FEWEST} at least"
        )
    changed = after - before
    with np.errstate(all="ignore"):  # where all changed alike, no effect size is finite
        effect = float(changed.mean() / changed.std(ddof=1))
    half = _t(len(changed) - 1) * math.sqrt(1 / len(changed) + effect**2 / (2 * len(changed)))
    between = Interval(effect, effect - half, effect + half)
    return Change(len(changed), float(before.mean()), float(after.mean()), _mean(changed), between)


def _mean(values: np.ndarray) -> Interval:
    mean, half = float(values.mean()), _t(len(values) - 1) * float(values.std(ddof=1)) / math.sqrt(len(values))
    return Interval(mean, mean - half, mean + half)


def _t(freedom: int) -> float:
    """Return Student's t quantile: Abramowitz and Stegun 1964, 26.7.5.

    >>> round(_t(3), 1), round(_t(29), 3)
    (3.2, 2.045)
    """
    z = NormalDist().inv_cdf((1 + _LEVEL) / 2)
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )


# What so many people can show


def _needed(power: float) -> tuple[float, float]:
    normal = NormalDist()
    z = normal.inv_cdf((1 + _LEVEL) / 2)
    return z, z + normal.inv_cdf(power)


def smallest_effect(n: int, power: float = 0.8) -> float:
    """Return the smallest detectable d of changes, two-sided at 5 %.

    By the normal approximation with Guenther's correction for a t-test: Guenther 1981, Sample size formulas for normal
    theory t tests.
    """
    z, both = _needed(power)
    return both / math.sqrt(n - z**2 / 2)


def smallest_effect_between(n: int, power: float = 0.8) -> float:
    """Return the smallest detectable d between two groups of `n` people."""
    z, both = _needed(power)
    return both * math.sqrt(2 / (n - z**2 / 4))
