"""What a rule is: one kind of arithmetic, which knows everything about itself."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias, TypeVar

import numpy as np
from torch import Tensor

from attnviz.core.rules.explaining.cell import Cell, Cells, Made
from attnviz.core.rules.explaining.said import explained, seen
from attnviz.core.rules.expression import Piece
from attnviz.core.rules.reading import Block, Pieces, Shape, block_of, copied, piece_at, touched

if TYPE_CHECKING:
    from attnviz.core.rules.rotate import Rotate
    from attnviz.core.rules.scale import Scale

Table: TypeAlias = Tensor  # a matrix (rows, columns)
Size = TypeVar("Size")  # how many rows or columns there are: a number, or what stands for it and `meets` others


def agree(one: Any, other: Any) -> bool:
    """Whether sizes or shapes are equal; what stands for a size becomes the other."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(agree(*each) for each in zip(one, other, strict=True))
    return bool(one == other if isinstance(one, int) else one.meets(other))


class Bounded(NamedTuple):
    """A matrix ``(rows, columns)`` in float64, and for each cell how far the true number may be from it."""

    value: np.ndarray
    error: np.ndarray

    def under(self, mask: "Bounded") -> "Bounded":
        """Return it with a mask added: what that hides is exact."""
        hidden = mask.value == -np.inf
        return Bounded(
            np.where(hidden, -np.inf, self.value + mask.value), np.where(hidden, 0.0, self.error + mask.error)
        )

    @classmethod
    def exactly(cls, value: np.ndarray) -> "Bounded":
        """Return a matrix without any error."""
        return cls(value, np.zeros_like(value))


class Derivative(NamedTuple):
    """How much a cell moves with one that it's made of: by a number, which is a cell `of` a source, where it is one."""

    row: int
    column: int
    by: float
    of: tuple[int, int, int] | None = None  # source, row, column


class HeadsInCode(NamedTuple):
    """What a script calls the rows and the number of heads, and whether several of these read the same."""

    rows: str
    n_heads: str = "n_heads"
    repeated: bool = False


class Precision(NamedTuple):
    """How a machine computes: by how much, relatively, each sum and each number that is kept may be rounded."""

    sums: float
    kept: float


FLOAT32 = Precision(2.0**-24, 2.0**-24)
FLOAT16 = Precision(2.0**-24, 2.0**-11)  # halves are summed in float32
BFLOAT16 = Precision(2.0**-24, 2.0**-8)


@dataclass(frozen=True)
class Rule(ABC):
    """One kind of arithmetic: what it makes of its sources, and how it says so.

    Its fields are its settings, such as the divisor. Each method takes one argument for each source, in the order of
    the table: tensors with any batch dimensions in front, shapes, or tables in float64.
    """

    name: ClassVar[str]
    n_sources: ClassVar[tuple[int, ...]] = (1,)  # how many sources it may have
    spells_sources: ClassVar[bool] = False  # whether its formula names what its sources are made of
    is_product: ClassVar[bool] = False  # of its first two sources
    cuts_rows: ClassVar[bool] = False  # whether its rows are pieces of rows of other tokens
    is_linear: ClassVar[bool] = False  # whether it shares out without exponentials
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
        """Which of its sources, where there is one, hides cells: where it holds -∞."""
        return None

    @abstractmethod
    def compute(self, *sources: Tensor) -> Tensor:
        """Return the matrix made from these; gradients flow."""

    def unshifted(self, *sources: Tensor) -> Tensor:
        """Return the same without what keeps exponentials from overflowing."""
        return self.compute(*sources)

    def kernel(self, n_sources: int) -> Callable[..., Tensor]:
        """Return what computes it from so many sources: a table that is run asks once, and calls it many times.

        A rule whose settings decide which of torch's functions it is chooses here, and `compute` calls what it chose.
        """
        return self.compute

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """Return the shape of what is made from matrices of these shapes, in numbers or in what stands for them: the
        one that all have, if a rule says nothing else.

        Raises ``ValueError`` with the shape that does not fit and the one expected.
        """
        for shape in shapes[1:]:
            expect(agree(shape, shapes[0]), "a source", shape, f"{shapes[0]} like the first")
        return shapes[0]

    @abstractmethod
    def declared(self, *shapes: Shape) -> Sequence[Piece]:
        """Return what a cell is made from, as an expression, and how that is said; of some cells, there may be pieces.

        The board is sent it, and this and that derive from it which cells are read, and arithmetic as it's written.
        """

    def reads(self, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
        """Return the cells that a cell is made from: a block of each source."""
        piece = piece_at(declaration(self, *shapes), row, column)
        return tuple(block_of(piece, at, row, column, shape) for at, shape in enumerate(shapes))

    @abstractmethod
    def bounded(self, *tables: Bounded) -> Bounded:
        """Return the matrix in float64, with how far errors of the sources may move each cell.

        Numbers that overflow become infinite or NaN, as floats do, without a warning.
        """

    def computed_in(self, precision: Precision, *tables: Bounded) -> Bounded:
        """Return the same with an error that includes what a machine of this precision may add."""
        with np.errstate(all="ignore"):
            made = self.bounded(*tables)
            own = precision.kept * self.kept(made, *tables) + precision.sums * self.summed(made, *tables)
            return Bounded(made.value, made.error + np.where(np.isfinite(own), own, 0.0))

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Return the sizes of all numbers that are kept on the way to each cell, added up."""
        return np.abs(made.value)

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Return the sizes of all terms of each cell, added up once for each sum that they go through."""
        return np.abs(made.value)

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """Return which cells read a marked cell of a source."""
        shapes: list[Shape] = [(each.shape[0], each.shape[1]) for each in marks]
        return touched(declaration(self, *shapes), self.shape(*shapes), marks)

    def formula(self, *symbols: str) -> str:
        """Return the rule in symbols, given those of its sources."""
        return self.in_formulas.format(*symbols, **self.settings)

    def code(self, made: str, *names: str) -> list[str]:
        """Return the lines of PyTorch that make what is called `made` of the sources of these names."""
        return [f"{made} = {self.in_code.format(*names, **self.settings)}"]

    def explain(self, cell: Cell) -> Made:
        """Say how a cell is made: its arithmetic in symbols, in numbers and in words."""
        return explained(cell, declaration_of(cell, self))

    def derivatives(self, source: int, row: int, column: int, made: Table, *sources: Table) -> Iterator[Derivative]:
        """Yield the cells that a cell of a source feeds, and how much each moves with it; none, if that isn't told."""
        yield from ()

    def code_of_heads(self, heads: HeadsInCode, made: str, *names: str) -> list[str]:
        """Return the lines that make the same for all heads, along a first dimension: as for one, if nothing else."""
        return self.code(made, *names)

    def shares_over(self, n_sources: int) -> str | None:
        """Return over what it makes shares, one of :data:`attnviz.core.rules.rows.AXES`; None where it makes none."""
        return None

    def sums_to_1(self, n_sources: int) -> bool:
        """Whether each row of what it makes sums to 1, where it makes weights."""
        return True

    def seen(self, cell: Cell) -> tuple[Cells, ...]:
        """Return the sources of a cell as its explanation names them: those that stand beside it."""
        return seen(cell, declaration_of(cell, self))


class Copying(Rule):
    """A rule whose cells are cells of its sources, elsewhere."""

    def bounded(self, *tables: Bounded) -> Bounded:
        """The same numbers."""
        shapes: list[Shape] = [(each.value.shape[0], each.value.shape[1]) for each in tables]
        pieces, shape = declaration(self, *shapes), self.shape(*shapes)
        return Bounded(*(copied(pieces, shape, parts) for parts in zip(*tables, strict=True)))

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Nothing is rounded."""
        return np.zeros_like(made.value)

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Nothing is added."""
        return np.zeros_like(made.value)


@lru_cache(maxsize=1024)
def declaration(rule: Rule, *shapes: Shape) -> Pieces:
    """Return what a rule declares for sources of these shapes, as the page reads it; to be read, not to be changed."""
    return tuple(piece.as_json() for piece in rule.declared(*shapes))


def declaration_of(cell: Cell, rule: Rule) -> Pieces:
    """Return what a rule declares for the sources of a cell."""
    shapes = ((1, *cell.matrices[cells.matrix].shape)[-2:] for cells in cell.sources)
    return declaration(rule, *((rows, columns) for rows, columns in shapes))


def expect(fits: bool, what: str, has: Sequence[object], expected: str) -> None:
    """Raise ``ValueError`` naming a shape and the one expected, unless it fits."""
    if not fits:
        raise ValueError(f"{what} has shape {tuple(has)}, expected {expected}")
