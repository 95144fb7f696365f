"""The base class of rules; a rule is one kind of arithmetic."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, TypeVar

from torch import Tensor

from attnviz.core.rules.expression import Piece
from attnviz.core.rules.reading import Shape

Size = TypeVar("Size")  # how many rows or columns there are: a number, or what stands for it and `meets` others


def agree(one: Any, other: Any) -> bool:
    """Whether sizes or shapes are equal; a symbolic size adopts the other."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(agree(*each) for each in zip(one, other, strict=True))
    return bool(one == other if isinstance(one, int) else one.meets(other))


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
    def masked_by(self) -> int | None:
        """The index of the source whose -∞ hides cells, if any."""
        return None

    @abstractmethod
    def compute(self, *sources: Tensor) -> Tensor:
        """Return the matrix made from these; gradients flow."""

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

    def formula(self, *symbols: str) -> str:
        """Return the rule in symbols, given those of its sources."""
        return self.in_formulas.format(*symbols, **self.settings)

    def shares_over(self, n_sources: int) -> str | None:
        """Return its shares' axis, of :data:`attnviz.core.rules.rows.AXES`; None without shares."""
        return None

    def sums_to_1(self, n_sources: int) -> bool:
        """Whether each row sums to 1, where the rule makes weights."""
        return True


def expect(fits: bool, what: str, has: Sequence[object], expected: str) -> None:
    """Raise ``ValueError`` naming a shape and the one expected, unless it fits."""
    if not fits:
        raise ValueError(f"{what} has shape {tuple(has)}, expected {expected}")
