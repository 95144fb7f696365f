"""The base class of rules; a rule is one kind of arithmetic."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, TypeVar

from torch import Tensor

from attnviz.core.rules.expression import Piece
from attnviz.core.rules.reading import Shape

Size = TypeVar("Size")  # a number of rows or columns: an int, or a symbol whose `meets` equates it with another size


def agree(one: Any, other: Any) -> bool:
    """Whether sizes or shapes are equal; a symbolic size adopts the other."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(agree(*each) for each in zip(one, other, strict=True))
    return bool(one == other if isinstance(one, int) else one.meets(other))


@dataclass(frozen=True)
class Rule(ABC):
    """One kind of arithmetic: how a matrix is computed, bounded and explained.

    Its fields are its settings, such as the divisor. Each method takes one argument for each source, in the order of
    `Stage.sources`: a tensor ``(..., rows, columns)``, which a bias may have as ``(columns,)``, or a shape.
    """

    name: ClassVar[str]
    n_sources: ClassVar[tuple[int, ...]] = (1,)  # the numbers of sources that it may have
    spells_sources: ClassVar[bool] = False  # whether its formula contains its sources' formulas, not their symbols
    is_product: ClassVar[bool] = False  # whether it multiplies its first two sources as matrices
    cuts_rows: ClassVar[bool] = False  # whether its rows consist of pieces of other tokens' rows
    makes_shares: ClassVar[bool] = False
    is_linear: ClassVar[bool] = False  # linear attention: whether it makes shares without exponentials
    is_signed: ClassVar[bool] = False  # whether its weights may be negative, so that no weight is an even share
    in_formulas: ClassVar[str] = ""  # template of `formula`: {0} is the first source's symbol, {name} a setting
    in_code: ClassVar[str] = ""  # template of its PyTorch code for `export/rules.py`; {0} is the first source
    beside: ClassVar[tuple[int | None, int | None]] = (None, None)  # sources drawn as a factor and as a bias

    @property
    def settings(self) -> dict[str, Any]:
        """The values of the rule's fields by name, for boards and templates."""
        return asdict(self)

    @property
    def masked_by(self) -> int | None:
        """The index of the source whose -∞ hides cells, if any."""
        return None

    @abstractmethod
    def compute(self, *sources: Tensor) -> Tensor:
        """Return the result ``(..., rows, columns)``; gradients flow through it."""

    def kernel(self, n_sources: int) -> Callable[..., Tensor]:
        """Return the function that computes the matrix from `n_sources` sources.

        A table asks for it once and calls it many times. If the settings decide which of torch's functions is needed,
        the rule chooses it here, and `compute` calls the chosen function.
        """
        return self.compute

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """Return the shape of the result, by default that of all sources.

        Shapes are ``(rows, columns)``, of numbers or symbols. Raises ``ValueError``, which names the shape that doesn't
        fit and the expected one.
        """
        for shape in shapes[1:]:
            expect(agree(shape, shapes[0]), "a source", shape, f"{shapes[0]} like the first")
        return shapes[0]

    @abstractmethod
    def declared(self, *shapes: Shape) -> Sequence[Piece]:
        """Return a cell's expression and its wording, in one or more pieces.

        The board gets it as JSON. There and in Python, it determines which cells a cell reads, and how its arithmetic
        is written.
        """

    def formula(self, *symbols: str) -> str:
        """Return the rule in symbols, given those of its sources."""
        return self.in_formulas.format(*symbols, **self.settings)

    def shares_over(self, n_sources: int) -> str | None:
        """Return the axis along which it makes shares; None without shares.

        It's one of :data:`attnviz.core.rules.rows.AXES`.
        """
        return None

    def sums_to_1(self, n_sources: int) -> bool:
        """Whether each row of the weights that it makes sums to 1."""
        return True


def expect(fits: bool, what: str, has: Sequence[object], expected: str) -> None:
    """Raise ``ValueError`` naming a shape and the one expected, unless it fits."""
    if not fits:
        raise ValueError(f"{what} has shape {tuple(has)}, expected {expected}")
