"""The base class of rules; a rule is one kind of arithmetic."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias, TypeVar

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.explaining.cell import Cell, CellExplanation, Cells
from attnviz.core.rules.explaining.said import explained, seen
from attnviz.core.rules.expression import Piece
from attnviz.core.rules.reading import Block, Pieces, Shape, block_of, piece_at, touched

if TYPE_CHECKING:
    from attnviz.core.rules.positions import Rotate
    from attnviz.core.rules.scale import Scale

Table: TypeAlias = Tensor  # a matrix (rows, columns)
Size = TypeVar("Size")  # how many rows or columns there are: a number, or what stands for it and `meets` others


def agree(one: Any, other: Any) -> bool:
    """Whether sizes or shapes are equal; a symbolic size adopts the other."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(agree(*each) for each in zip(one, other, strict=True))
    return bool(one == other if isinstance(one, int) else one.meets(other))


class Bounded(NamedTuple):
    """A float64 matrix ``(rows, columns)`` with an error bound for each cell."""

    value: np.ndarray
    error: np.ndarray

    @classmethod
    def exactly(cls, value: np.ndarray) -> "Bounded":
        """Return a matrix without any error."""
        return cls(value, np.zeros_like(value))


class Derivative(NamedTuple):
    """How much a cell moves with another; `of` is `by`'s source cell."""

    row: int
    column: int
    by: float
    of: tuple[int, int, int] | None = None  # source, row, column


class HeadsInCode(NamedTuple):
    """What a script calls rows and heads; `repeated`: several heads read one."""

    rows: str
    n_heads: str = "n_heads"
    repeated: bool = False


# Relative rounding errors of stored numbers; halves are summed in float32, too.
FLOAT32, FLOAT16, BFLOAT16 = 2.0**-24, 2.0**-11, 2.0**-8


@dataclass(frozen=True)
class Rule(ABC):
    """One kind of arithmetic: how a matrix is computed, bounded and explained.

    Its fields are its settings, such as the divisor. Each method takes one argument for each source, in the order of
    the table: tensors with any batch dimensions in front, shapes, or tables in float64.
    """

    name: ClassVar[str]
    n_sources: ClassVar[tuple[int, ...]] = (1,)  # how many sources it may have
    spells_sources: ClassVar[bool] = False  # whether its formula names what its sources are made of
    is_product: ClassVar[bool] = False  # of its first two sources
    cuts_rows: ClassVar[bool] = False  # whether its rows are pieces of rows of other tokens
    makes_shares: ClassVar[bool] = False
    is_linear: ClassVar[bool] = False  # whether it shares out without exponentials
    is_signed: ClassVar[bool] = False  # whether weights that it makes may be negative, so that none is an even share
    in_formulas: ClassVar[str] = ""  # how its formula is written, of {0}, the first source, and its settings ...
    in_code: ClassVar[str] = ""  # ... and how PyTorch writes it, unless its own methods say so
    beside: ClassVar[tuple[int | None, int | None]] = (None, None)  # sources drawn as its factor and as its bias

    @property
    def settings(self) -> dict[str, Any]:
        """Its fields as plain values, as the page takes them."""
        return asdict(self)

    @property
    def turns_second(self) -> bool:
        """Whether it multiplies by rows of its second source."""
        return False

    @property
    def scaling(self) -> "Scale | None":
        """Itself, where it divides scores."""
        return None

    @property
    def rotation(self) -> "Rotate | None":
        """Itself, where it turns rows by their places."""
        return None

    @property
    def masked_by(self) -> int | None:
        """The index of the source whose -∞ hides cells, if any."""
        return None

    @property
    def is_marked(self) -> bool:
        """Whether it says how far errors move it, which marking asks."""
        return False

    @abstractmethod
    def compute(self, *sources: Tensor) -> Tensor:
        """Return the matrix made from these; gradients flow."""

    def unshifted(self, *sources: Tensor) -> Tensor:
        """Return the same without what keeps exponentials from overflowing."""
        return self.compute(*sources)

    def kernel(self, n_sources: int) -> Callable[..., Tensor]:
        """Return the function that computes the matrix from `n_sources` sources.

        A table asks once and calls it many times. A rule whose settings decide which of torch's functions it is chooses
        here, and `compute` calls what it chose.
        """
        return self.compute

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """Return the shape of the result, by default that of all sources.

        Sizes are numbers or symbols. Raises ``ValueError`` with the shape that does not fit and the one expected.
        """
        for shape in shapes[1:]:
            expect(agree(shape, shapes[0]), "a source", shape, f"{shapes[0]} like the first")
        return shapes[0]

    @abstractmethod
    def declared(self, *shapes: Shape) -> Sequence[Piece]:
        """Return a cell's expression and its wording, in one or more pieces.

        The board is sent it, and this and that derive from it which cells are read, and arithmetic as it's written.
        """

    def reads(self, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
        """Return the cells that a cell is computed from, by source."""
        piece = piece_at(declaration(self, *shapes), row, column)
        return tuple(block_of(piece, at, row, column, shape) for at, shape in enumerate(shapes))

    def values(self, *tables: np.ndarray) -> np.ndarray:
        """Return what :meth:`compute` makes of these in float64."""
        made: np.ndarray = self.compute(*(torch.tensor(each, dtype=torch.float64) for each in tables)).numpy()
        return made

    def bounded(self, *tables: Bounded) -> Bounded:
        """Return the matrix in float64, with the errors its sources pass on.

        A rule that says nothing of errors passes none on. Numbers that overflow become infinite or NaN, as floats do,
        without a warning.
        """
        made = self.values(*(each.value for each in tables))
        with np.errstate(all="ignore"):
            return Bounded(made, self.moved(made, *tables) if self.is_marked else np.zeros_like(made))

    def moved(self, made: np.ndarray, *tables: Bounded) -> np.ndarray:
        """Return how far sources' errors may move cells; by default, as numbers."""
        return self.values(*(each.error for each in tables))

    def computed_in(self, precision: float, *tables: Bounded) -> Bounded:
        """Return :meth:`bounded` with the rounding errors of this precision included."""
        with np.errstate(all="ignore"):
            made = self.bounded(*tables)
            own = precision * self.stored(made, *tables) + FLOAT32 * self.summed(made, *tables)
            return Bounded(made.value, made.error + np.where(np.isfinite(own), own, 0.0))

    def stored(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Return the summed magnitudes of all numbers stored while computing each cell."""
        return np.zeros_like(made.value)

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Return each cell's added term sizes, counted once per sum they enter."""
        return np.zeros_like(made.value)

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """Return which cells read a marked cell of a source."""
        shapes: list[Shape] = [(each.shape[0], each.shape[1]) for each in marks]
        return touched(declaration(self, *shapes), self.shape(*shapes), marks)

    def formula(self, *symbols: str) -> str:
        """Return the rule in symbols, given those of its sources."""
        return self.in_formulas.format(*symbols, **self.settings)

    def code(self, made: str, *names: str) -> list[str]:
        """Return the PyTorch lines that compute `made` from the sources `names`."""
        return [f"{made} = {self.in_code.format(*names, **self.settings)}"]

    def code_at_overflow(self, made: str, *names: str) -> list[str]:
        """Return the lines that also hold where numbers overflow.

        There are none where :meth:`code` does, too. They go for all heads at once.
        """
        return []

    def explain(self, cell: Cell) -> CellExplanation:
        """Return how a cell is computed, in symbols, numbers and words."""
        return explained(cell, declaration_of(cell, self))

    def derivatives(self, source: int, row: int, column: int, made: Table, *sources: Table) -> Iterator[Derivative]:
        """Yield how much each cell moves with a source's cell; perhaps nothing."""
        yield from ()

    def code_of_heads(self, heads: HeadsInCode, made: str, *names: str) -> list[str]:
        """Return the lines for all heads, stacked along a first dimension."""
        return self.code(made, *names)

    def shares_over(self, n_sources: int) -> str | None:
        """Return its shares' axis, of :data:`attnviz.core.rules.rows.AXES`; None without shares."""
        return None

    def sums_to_1(self, n_sources: int) -> bool:
        """Whether each row sums to 1, where the rule makes weights."""
        return True

    def traits(self, n_sources: int) -> dict[str, Any]:
        """Return what the page asks of it, in place of its name."""
        over, whole = self.shares_over(n_sources), self.sums_to_1(n_sources)
        shares = {"over": over, "all": whole, "powers": not self.is_linear} if self.makes_shares else None
        asked = {"product": self.is_product, "divides": self.scaling is not None, "cuts": self.cuts_rows}
        asked["signed"] = self.is_signed
        return {name: each for name, each in (asked | {"shares": shares, "beside": self.beside}).items() if each}

    def seen(self, cell: Cell) -> tuple[Cells, ...]:
        """Return the sources of a cell that its explanation names."""
        return seen(cell, declaration_of(cell, self))


@lru_cache(maxsize=1024)
def declaration(rule: Rule, *shapes: Shape) -> Pieces:
    """Return a rule's declaration in JSON form; cached, so don't change it."""
    return tuple(piece.as_json() for piece in rule.declared(*shapes))


def declaration_of(cell: Cell, rule: Rule) -> Pieces:
    """Return what a rule declares for the sources of a cell."""
    shapes = ((1, *cell.matrices[cells.matrix].shape)[-2:] for cells in cell.sources)
    return declaration(rule, *((rows, columns) for rows, columns in shapes))


def expect(fits: bool, what: str, has: Sequence[object], expected: str) -> None:
    """Raise ``ValueError`` naming a shape and the one expected, unless it fits."""
    if not fits:
        raise ValueError(f"{what} has shape {tuple(has)}, expected {expected}")
