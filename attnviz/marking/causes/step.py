"""One step of a computation, as somebody may have made it otherwise than it should be."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from attnviz.core.rules import Bounded, Rule
from attnviz.core.stages import Stage
from attnviz.marking.settings import Settings, base_of, path_of

_T = TypeVar("_T")


class Candidate(NamedTuple):
    """What a table becomes by a slip, and what is to be said of it; `fitted` numbers of it were chosen to fit."""

    values: np.ndarray
    places: Mapping[str, Any] = {}  # a default that nothing changes
    fitted: int = 0
    named: str = ""  # the slip that it turns out to be, where that is another


Candidates = Iterator[Candidate]


@dataclass(frozen=True, eq=False)
class Step:
    """A stage, all tables before it in one way of reckoning, and the settings.

    `given` is what is printed of it (None where nothing is), `off` which cells of that are wrong, `decimals` how many
    are printed of which table. Of a stage of one of several heads, `stage` and `tables` have the names that they would
    have if it were the only one, `head` is its number, and `own` the stage as it stands in the whole, whose tables are
    `whole`.
    """

    stage: Stage
    tables: Mapping[str, np.ndarray]
    settings: Settings
    stages: Mapping[str, Stage]
    decimals: Mapping[str, int]
    given: np.ndarray | None = None
    off: np.ndarray | None = None
    half: float = 0.0
    head: int | None = None
    own: Stage = field(init=False)
    whole: Mapping[str, np.ndarray] = field(init=False)
    sources: tuple[np.ndarray, ...] = field(init=False)
    right: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self._stand_alone()
        object.__setattr__(self, "sources", tuple(self.tables[name] for name in self.stage.sources))
        object.__setattr__(self, "right", self.made(*self.sources))

    def _stand_alone(self) -> None:
        object.__setattr__(self, "own", self.stage)
        object.__setattr__(self, "whole", self.tables)
        path = path_of(self.stage.name)
        if not path:
            return
        object.__setattr__(self, "head", self.stage.head)
        names = tuple(name.removeprefix(path) for name in self.stage.sources)
        if self.stage.kind != "slice":
            object.__setattr__(self, "tables", _without(path, self.tables))
        object.__setattr__(self, "decimals", _without(path, self.decimals))
        object.__setattr__(self, "stages", _without(path, self.stages))
        object.__setattr__(self, "stage", replace(self.stage, name=base_of(self.stage.name), sources=names))

    @property
    def rule(self) -> Rule:
        """The rule of the stage."""
        assert self.stage.rule is not None
        return self.stage.rule

    def made(self, *sources: np.ndarray) -> np.ndarray:
        """Return what the rule makes of other sources; what doesn't fit, or overflows, makes nothing of note."""
        with np.errstate(all="ignore"):
            return self.rule.bounded(*(Bounded.exactly(source) for source in sources)).value

    def has(self, *names: str) -> bool:
        """Whether all these tables stand before it."""
        return all(name in self.tables for name in names)

    def symbol(self, name: str) -> str:
        """Return the symbol of a table."""
        return self.stages[name].symbol


def _without(path: str, named: Mapping[str, _T]) -> dict[str, _T]:
    """Return what has names, with the names of a head's own without its path."""
    return {**named, **{name.removeprefix(path): each for name, each in named.items() if name.startswith(path)}}


def pairs(n: int) -> Sequence[tuple[int, int]]:
    """Return each pair of different numbers below n."""
    return [(i, j) for i in range(n) for j in range(i + 1, n)]
