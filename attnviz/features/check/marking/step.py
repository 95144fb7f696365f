"""One step of a computation, in which a slip may have happened."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from attnviz.core.rules import RULES, Add, Product, Rule, Scale, Slice, Softmax, values
from attnviz.core.stages import Stage
from attnviz.features.check.marking.outcome import Marking
from attnviz.features.check.marking.settings import base_of, path_of
from attnviz.features.tables.printed_table import as_printed

_T = TypeVar("_T")


class Row(NamedTuple):
    """A row of a table; sentences name it by its token."""

    number: int


class Candidate(NamedTuple):
    """A table as a slip would make it.

    `places` fill in the slip's sentence. `fitted` counts the numbers that were chosen so that the table fits. `among`
    counts the variants that were tried, where only fitting ones become candidates.
    """

    values: np.ndarray
    places: Mapping[str, Any] = {}  # never changed, so all candidates may share it
    fitted: int = 0
    named: str = ""  # the name of its slip, where that isn't Slip.name
    among: int = 1


Candidates = Iterable[Candidate | np.ndarray]


class Slip(NamedTuple):
    """A known slip: its name, where it can happen, and its results.

    `name` is also the key of its sentence. It can happen in stages with a rule of a type in `where`; if `named` isn't
    empty, only in stages with a name in `named`. `ways` yields its candidates.
    """

    name: str
    where: tuple[type[Rule], ...]
    ways: "Callable[[Step], Candidates]"
    named: tuple[str, ...] = ()

    def may_be(self, rule: Rule | None, name: str) -> bool:
        """Whether the slip can happen in such a stage."""
        return type(rule) in self.where and (not self.named or name in self.named)

    def candidates(self, step: "Step") -> list[Candidate]:
        """Return the tables that it would make of a step."""
        return [each if isinstance(each, Candidate) else Candidate(each) for each in self.ways(step)]


ANY, PRODUCT, SCALE, SOFTMAX, ADD = RULES, (Product,), (Scale,), (Softmax,), (Add,)


@np.errstate(all="ignore")  # numbers that overflow match no printed table
def computed_by(rule: Rule | None, *sources: np.ndarray) -> np.ndarray:
    """Return a rule's result for these tables, in float64."""
    assert rule is not None
    return values(rule, *sources)


class Step:
    """A stage of a marking, with the tables that come before it.

    `given` is the printed table (None if it isn't printed), `off` says which of its cells are wrong, and `half` is half
    a unit of its last printed place. For a stage of one of several heads, `head` is the head's number, and `stage`,
    `tables`, `stages` and `decimals` use the names that they would have if it were the only head. `whole_stage` and
    `whole` are the stage and the tables by their full names.
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
        """Return the rule's result for other sources."""
        return computed_by(self.stage.rule, *sources)

    def computed_with(self, n: int, source: np.ndarray) -> np.ndarray:
        """Return the rule's result with its n-th source replaced."""
        return self.computed(*self.sources[:n], source, *self.sources[n + 1 :])

    def has(self, *names: str) -> bool:
        """Whether all these tables come before it."""
        return all(name in self.tables for name in names)

    def symbol(self, name: str) -> str:
        """Return the symbol of a table."""
        return self.stages[name].symbol

    def printed(self, value: float, name: str = "") -> str:
        """Return a number with a table's decimals, by default the step's."""
        own = self.decimals.get(self.stage.name, 2)
        return as_printed(float(value), self.decimals.get(name, own))


def _without(path: str, named: Mapping[str, _T]) -> dict[str, _T]:
    """Return the mapping, with a head's entries also under their bare names."""
    return {**named, **{name.removeprefix(path): each for name, each in named.items() if name.startswith(path)}}


def pairs(n: int) -> Sequence[tuple[int, int]]:
    """Return each pair of different numbers below n."""
    return [(i, j) for i in range(n) for j in range(i + 1, n)]
