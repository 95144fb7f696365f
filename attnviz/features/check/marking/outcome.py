"""The results of marking: marks of cells, marked tables and computations."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pkgutil import resolve_name
from typing import Any, ClassVar, NamedTuple

import numpy as np

from attnviz.core.limits import check_whole
from attnviz.core.masks import Masked
from attnviz.core.stages import Stage, Table
from attnviz.features.check.marking.printing import Half
from attnviz.features.check.marking.settings import Reading, Settings
from attnviz.features.tables.printed_table import MAX_DECIMALS, as_table

# Most printed numbers were computed in float32: what it can't hold is nobody's error, and ties may round either way.
FLOAT32_SLACK = 1e-6


class Mark(StrEnum):
    """The mark of one cell.

    - `RIGHT`: exact arithmetic rounds to it.
    - `CARRIED`: it differs from that, because it was computed from earlier numbers that are right, but rounded.
    - `HIDDEN`: it differs as far as hidden digits of rounded earlier numbers can move it.
    - `CUT`: it is right, but its digits were cut off and not rounded, like those of the other tables.
    - `FOLLOWS`: it isn't right, but follows correctly from a wrong number before it.
    - `UNLIKELY`: hidden digits could move it so far if all of them worked together, which hardly ever happens.
    - `DOUBTFUL`: it is wrong if the inputs are exact as printed, and right if they hide digits, which is as likely.
    - `WRONG`: it is none of these.
    - `BLANK`: it was left out.
    """

    RIGHT = "right"
    CARRIED = "carried"
    HIDDEN = "hidden"
    CUT = "cut"
    FOLLOWS = "follows"
    UNLIKELY = "unlikely"
    DOUBTFUL = "doubtful"
    WRONG = "wrong"
    BLANK = "blank"


ENTERS = (Mark.WRONG, Mark.UNLIKELY)  # marks of a cell in which an error enters the computation
NOT_RIGHT = (*ENTERS, Mark.FOLLOWS)


class Windows(NamedTuple):
    """The intervals that print as a table's numbers: middles and half widths."""

    middle: np.ndarray
    half: np.ndarray

    @classmethod
    def of(cls, given: np.ndarray, places: np.ndarray, *, cut: bool = False) -> "Windows":
        """Return the intervals for numbers rounded, or `cut` off, at these decimals."""
        half = 0.5 * 10.0 ** -places.astype(np.float64)
        if not cut:
            return cls(given, half)
        return cls(given + np.sign(given) * half, np.where(given == 0, 2 * half, half))

    def hold(self, right: np.ndarray, error: np.ndarray | float = 0.0) -> np.ndarray:
        """Return which numbers would print like this, within an error."""
        with np.errstate(all="ignore"):  # infinite numbers are compared below
            slack = self.half + FLOAT32_SLACK * np.maximum(1.0, np.abs(right)) + error
            close = np.abs(self.middle - right) <= slack
        return np.where(np.isfinite(right), close, self.middle == right)


def mark(given: Any, computed: Any, decimals: int = 4) -> tuple[tuple[Mark, ...], ...]:
    """Return a mark per cell: does the computed number round to it?

    `given` and `computed` are ``(rows, columns)``, as nested sequences or arrays; a NaN in `given` is a blank.
    A tie may be rounded either way, and float32's rounding error is allowed for.

    Raises ``ValueError`` for tables of different shapes, and for decimals outside of 0 to 12.

    >>> mark([[0.99, 0.5]], [[1.05, 0.5]], decimals=2)
    ((<Mark.WRONG: 'wrong'>, <Mark.RIGHT: 'right'>),)
    """
    given, computed = as_table("given", given), as_table("computed", computed)
    check_whole("decimals", decimals, 0, MAX_DECIMALS)
    if given.shape != computed.shape:
        raise ValueError(f"given has shape {given.shape}, expected {computed.shape} like computed")
    right = Windows.of(given, np.full(given.shape, decimals)).hold(computed)
    return as_marks(np.where(np.isnan(given), Mark.BLANK, np.where(right, Mark.RIGHT, Mark.WRONG)))


def as_marks(marks: np.ndarray) -> tuple[tuple[Mark, ...], ...]:
    """Return an array of marks as nested tuples."""
    return tuple(tuple(Mark(each) for each in row) for row in marks.tolist())


@dataclass(frozen=True, eq=False)
class MarkedTable:
    """A result with its marks.

    `given` is the printed table (NaN for a blank), `exact` the result of exact arithmetic, `followed` the result of
    computing from the earlier tables as printed, and `full` the result of computing from them with all digits that can
    be known; all are float64 ``(rows, columns)``. `places` are the decimals of each number, and `spread` says how far
    hidden digits usually move each. `unit` is what its numbers are parts of, such as 100 for percent. `behind` are the
    half-precision numbers behind the printed ones, and `noise` is how far floating-point error may move the exact ones.
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
        """Return the number of decimals that a cell is printed with."""
        return self.decimals if self.places is None else int(self.places[row, column])

    @property
    def windows(self) -> Windows:
        """The intervals of numbers that would be printed like these."""
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
    """A marked computation: its results, its inputs and intermediate tables.

    `taken` names the inputs, and `rounded` the printed tables that hide digits. `before` has, for every table of the
    computation, printed or not, the numbers from which later tables follow; `full` has the same with all digits that
    can be known. `decimals` are those of the printed tables. `half` is the half precision in which the results were
    computed, judging by their numbers; `said` is the half precision that the tables' own dtype states. `masked` is a
    mask that was found in the numbers without being stated. If numbers are in doubt, `otherwise` is the marking by
    another reading, in which they are right.
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
    masked: Masked | None = None
    unlikeliness: float = 0.0  # negative logarithm of how likely these numbers are in this reading
    otherwise: "Marking | None" = None
    said: str = ""
    _in_words: ClassVar[Callable[["Marking"], str]]  # set in marking/__init__.py

    def __str__(self) -> str:
        return self._in_words()

    def __repr__(self) -> str:
        """Return the verdict alone, because tables and stages would fill pages."""
        return f"<Marking: {self}>"

    def _repr_html_(self) -> str:  # imported late, because marking_page.py imports this module
        return resolve_name("attnviz.features.check.marking_page:marking_markup")(self)

    def count(self, *marks: Mark) -> int:
        """Return how many cells have one of these marks."""
        return sum(table.count(*marks) for table in self.tables)

    @property
    def n_not_right(self) -> int:
        """How many cells are wrong, or follow from a wrong one."""
        return self.count(*NOT_RIGHT)

    @property
    def first_wrong(self) -> tuple[MarkedTable, int, int] | None:
        """The first cell where an error enters, in the computation's order."""
        return next(self._cells(*ENTERS), None)

    @property
    def first_doubtful(self) -> tuple[MarkedTable, int, int] | None:
        """The first doubtful cell, in the computation's order."""
        return next(self._cells(Mark.DOUBTFUL), None)

    @property
    def wrong(self) -> tuple[tuple[str, int, int], ...]:
        """The cells where errors enter: (matrix, row, column), in the computation's order."""
        return tuple((table.stage.name, row, column) for table, row, column in self._cells(*ENTERS))

    def _cells(self, *marks: Mark) -> Iterator[tuple[MarkedTable, int, int]]:
        for table in self.tables:
            for row, column in np.argwhere(table.at(*marks)).tolist():
                yield table, row, column
