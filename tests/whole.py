"""Whether all is tried, as by make test-all, or a sample of what is much alike."""

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from pathlib import Path
from typing import Any

import pytest

WHOLE = bool(os.environ.get("ATTNVIZ_WHOLE"))
_USUAL = 50
EXAMPLES = int(os.environ.get("ATTNVIZ_EXAMPLES", _USUAL if WHOLE else _USUAL // 5))  # of a law that says no number
# What takes long, while what it is for is seen by quicker tests, too.
dear = pytest.mark.skipif(not WHOLE, reason="make test-all")
# What has cases that are much alike: some of them are tried.
alike = pytest.mark.alike


def examples(n: int) -> int:
    """Return how many examples of a law to try that has a number of its own, where others have `EXAMPLES`.

    >>> examples(4 * 50) == 4 * examples(50) == 4 * EXAMPLES
    True
    """
    return max(1, n * EXAMPLES // _USUAL)


def leave_cases(items: Iterable[pytest.Item], here: Path, every: int) -> None:
    """Leave cases of the tests of a folder to `make test-all`, the same each time.

    Of a test whose arguments are crossed, as pages by settings, those are tried in which every value of each is met;
    of another, one of so many.
    """
    if WHOLE:
        return
    families = defaultdict[str, list[pytest.Function]](list)
    for item in items:
        left = here not in item.path.parents or any(item.iter_markers("skipif"))
        if not left and isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            families[f"{item.path}::{item.originalname}"].append(item)
    for cases in families.values():
        kept = meeting_all([{(name, id(value)) for name, value in item.callspec.params.items()} for item in cases])
        if len(kept) == len(cases):
            kept = {*range(0, len(cases), every)}
        for i, item in enumerate(cases):
            if i not in kept:
                item.add_marker(dear)


def meeting_all(cases: Sequence[Set[tuple[Any, int]]]) -> set[int]:
    """Return which of some cases, each the values of its arguments, meet all that any of them has.

    >>> meeting_all([{("a", i), ("b", j)} for i in range(2) for j in range(3)])
    {0, 2, 4}
    """
    kept, met = set[int](), set[tuple[Any, int]]()
    for i, values in enumerate(cases):  # first those in which all is new
        if not values & met:
            kept.add(i)
            met |= values
    for i, values in enumerate(cases):
        if not values <= met:
            kept.add(i)
            met |= values
    return kept
