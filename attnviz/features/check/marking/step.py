"""One step of a computation, in which a slip may have happened."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from attnviz.core.rules import RULES, Add, Product, Rule, Scale, Slice, Softmax
from attnviz.core.stages import Stage
from attnviz.features.check.marking.outcome import Marking
from attnviz.features.check.marking.settings import base_of, path_of
from attnviz.tables.printed_table import as_printed

_T = TypeVar("_T")


class Row(NamedTuple):
    """A row of a table, which a sentence calls by its token."""

    number: int


class Candidate(NamedTuple):
    """A table with a slip; `fitted` numbers were chosen to fit.

    `among` is how many such slips were tried, where only those that fit are candidates.
    """

    values: np.ndarray
    places: Mapping[str, Any] = {}  # a default that nothing changes
    fitted: int = 0
    named: str = ""  # the slip that it turns out to be, where that is another
    among: int = 1


Candidates = Iterable[Candidate | np.ndarray]


class Slip(NamedTuple):
    """A known slip: its name, where it can happen, and its results.

    `name` is also its sentence's; `where` are the rules of stages, `named` their names where not all are meant.
    """

    name: str
    where: tuple[type[Rule], ...]
    ways: "Callable[[Step], Candidates]"
    named: tuple[str, ...] = ()

    def may_be(self, rule: Rule | None, name: str) -> bool:
        """Whether a stage of this rule and name can have it."""
        return type(rule) in self.where and (not self.named or name in self.named)

    def candidates(self, step: "Step") -> list[Candidate]:
        """Return what a step becomes by it."""
        return [each if isinstance(each, Candidate) else Candidate(each) for each in self.ways(step)]


ANY, PRODUCT, SCALE, SOFTMAX, ADD = RULES, (Product,), (Scale,), (Softmax,), (Add,)


@np.errstate(all="ignore")  # what overflows makes nothing of note
def computed_by(rule: Rule | None, *sources: np.ndarray) -> np.ndarray:
    """Return what a rule makes of tables, in float64."""
    assert rule is not None
    return rule.values(*sources)


class Step:
    """A stage of a marking, with the tables that come before it.

    `given` is what is printed of it (None where nothing is), and `off` which cells of that are wrong. Of a stage of
    one of several heads, `stage`, `tables`, `stages` and `decimals` have the names that they would have if it were the
    only one, `head` is its number, and `whole_stage` the stage as it stands in the whole, whose tables are `whole`.
    """

    def __init__(
        self, marking: Marking, stage: Stage, tables: Mapping[str, np.ndarray],
        given: np.ndarray | None = None, off: np.ndarray | None = None, half: float = 0.0,
    ) -> None:  # fmt: skip
        self.settings, self.given, self.off, self.half = marking.settings, given, off, half
        self.whole_stage, self.whole, self.head = stage, tables, None
        self.stage, self.tables, self.stages, self.decimals = stage, tables, marking.stages, marking.decimals
        if path := path_of(stage.name):
            self.head = stage.head
            self.tables = tables if stage.kind == Slice.name else _without(path, tables)
            self.stages, self.decimals = _without(path, self.stages), _without(path, self.decimals)
            sources = tuple(name.removeprefix(path) for name in stage.sources)
            self.stage = replace(stage, name=base_of(stage.name), sources=sources)
        self.sources = tuple(self.tables[name] for name in self.stage.sources)
        self.right = self.computed(*self.sources)

    @property
    def rule(self) -> Rule:
        """The rule of the stage."""
        assert self.stage.rule is not None
        return self.stage.rule

    def computed(self, *sources: np.ndarray) -> np.ndarray:
        """Return what the rule makes of other sources."""
        return computed_by(self.stage.rule, *sources)

    def computed_with(self, n: int, source: np.ndarray) -> np.ndarray:
        """Return what the rule makes of its sources, one of them exchanged."""
        return self.computed(*self.sources[:n], source, *self.sources[n + 1 :])

    def has(self, *names: str) -> bool:
        """Whether all these tables stand before it."""
        return all(name in self.tables for name in names)

    def symbol(self, name: str) -> str:
        """Return the symbol of a table."""
        return self.stages[name].symbol

    def printed(self, value: float, name: str = "") -> str:
        """Return a number as a table prints it, by default the step's."""
        own = self.decimals.get(self.stage.name, 2)
        return as_printed(float(value), self.decimals.get(name, own))


def _without(path: str, named: Mapping[str, _T]) -> dict[str, _T]:
    """Return the mapping with a head's own names also without its path."""
    return {**named, **{name.removeprefix(path): each for name, each in named.items() if name.startswith(path)}}


def pairs(n: int) -> Sequence[tuple[int, int]]:
    """Return each pair of different numbers below n."""
    return [(i, j) for i in range(n) for j in range(i + 1, n)]
