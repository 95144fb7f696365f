"""A marked computation: its tables with their marks, and how they were read."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from attnviz.core.stages import Stage, Table
from attnviz.marking.half_precision import Half
from attnviz.marking.marks import ENTERS, NOT_RIGHT, Mark, Windows
from attnviz.marking.settings import Reading, Settings


@dataclass(frozen=True, eq=False)
class MarkedTable:
    """A result with its marks.

    `given` is the table as printed (NaN for a blank), `exact` what exact arithmetic gives, `followed` what arithmetic
    on the printed tables before it gives, and `full` what it gives with all digits that can be known of them; all are
    float64 ``(rows, columns)``. `places` are the decimals of each number, `spread` how far hidden digits usually move
    each. `unit` is what its numbers are parts of: 100 for percent. `behind` are the numbers of half precision behind
    those that are printed, and `noise` how far a machine's arithmetic may be from the exact ones.
    """

    stage: Stage
    decimals: int
    given: np.ndarray
    exact: np.ndarray
    followed: np.ndarray
    marks: tuple[tuple[Mark, ...], ...]
    places: np.ndarray | None = None
    full: np.ndarray | None = None
    spread: np.ndarray | None = None
    unit: int = 1
    behind: np.ndarray | None = None
    noise: np.ndarray | None = None

    def count(self, *marks: Mark) -> int:
        """Return how many cells have one of these marks."""
        return sum(each in marks for row in self.marks for each in row)

    def at(self, *marks: Mark) -> np.ndarray:
        """Return which cells have one of these marks, ``(rows, columns)``."""
        return np.array([[each in marks for each in row] for row in self.marks])

    def decimals_at(self, row: int, column: int) -> int:
        """Return with how many decimals a cell is printed."""
        return self.decimals if self.places is None else int(self.places[row, column])

    @property
    def windows(self) -> Windows:
        """The numbers that would be printed as these are."""
        places = np.full(self.given.shape, self.decimals) if self.places is None else self.places
        return Windows.of(self.given if self.behind is None else self.behind, places)

    @property
    def n_cells(self) -> int:
        """How many cells are not blank."""
        return self.given.size - self.count(Mark.BLANK)

    @property
    def n_differing(self) -> int:
        """How many cells are not what exact arithmetic rounds to."""
        return self.n_cells - self.count(Mark.RIGHT)


@dataclass(frozen=True, eq=False)
class Marking:
    """A marked computation: its results in order, what was taken as given, and all that stood before each result.

    `rounded` are the printed tables that hide digits. `before` holds, for every table of the computation, printed or
    not, what the tables after it were followed from, and `full` the same with all digits that can be known; `decimals`
    those of the printed tables. `half` is the half precision that the results were taken to be computed in, because
    their numbers tell it; `masked` says that a causal mask was found in them, which nobody had named. `otherwise` is
    the other reading, in which nothing is wrong, where numbers are in doubt; `said` the half precision that the tables
    say they are of.
    """

    settings: Settings
    stages: Table
    tables: tuple[MarkedTable, ...]
    taken: tuple[str, ...]
    rounded: tuple[str, ...]
    before: Mapping[str, np.ndarray]
    decimals: Mapping[str, int]
    half: Half | None = None
    full: Mapping[str, np.ndarray] = field(default_factory=dict)
    reading: Reading = Reading()  # noqa: RUF009  frozen
    masked: bool = False
    unlikeliness: float = 0.0  # of these numbers, read like this: the negative logarithm
    otherwise: "Marking | None" = None
    said: str = ""
    _repr_html_: ClassVar[Callable[["Marking"], str]]  # what a notebook shows; the package says how

    def __str__(self) -> str:
        from attnviz.marking.verdict import in_a_sentence  # it reads what is marked here

        return in_a_sentence(self)

    def __repr__(self) -> str:
        """Say the verdict: its tables and stages would fill pages."""
        return f"<Marking: {self}>"

    def count(self, *marks: Mark) -> int:
        """Return how many cells have one of these marks."""
        return sum(table.count(*marks) for table in self.tables)

    @property
    def n_not_right(self) -> int:
        """How many cells are wrong, or follow from a wrong one."""
        return self.count(*NOT_RIGHT)

    @property
    def first_wrong(self) -> tuple[MarkedTable, int, int] | None:
        """The first wrong cell, where an error enters, in the order of the computation."""
        return next(self._cells(*ENTERS), None)

    @property
    def first_doubtful(self) -> tuple[MarkedTable, int, int] | None:
        """The first cell that is in doubt, in the order of the computation."""
        return next(self._cells(Mark.DOUBTFUL), None)

    @property
    def wrong(self) -> tuple[tuple[str, int, int], ...]:
        """The cells where errors enter, each as matrix, row and column, in the order of the computation."""
        return tuple((table.stage.name, row, column) for table, row, column in self._cells(*ENTERS))

    def _cells(self, *marks: Mark) -> Iterator[tuple[MarkedTable, int, int]]:
        for table in self.tables:
            for row, column in np.argwhere(table.at(*marks)).tolist():
                yield table, row, column
