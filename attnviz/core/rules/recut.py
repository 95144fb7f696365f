"""A part of a matrix as one view alone cuts it, in the order in which its numbers lie in memory: a mistake."""

from dataclasses import dataclass

from torch import Tensor

from attnviz.core.rules.base import Copying, HeadsInCode, Size, expect
from attnviz.core.rules.expression import Index, Piece, sentence, sources
from attnviz.core.rules.reading import Shape


@dataclass(frozen=True)
class Recut(Copying):
    """One of so many `parts` that ``matrix.view(parts, n_tokens, -1)`` makes: as many rows, fewer columns. Its rows
    are pieces of rows of the source, but of other tokens' than their places say.

    >>> import torch
    >>> Recut(2, 1).compute(torch.tensor([[0, 1], [2, 3], [4, 5]]))
    tensor([[3],
            [4],
            [5]])
    """

    parts: int = 2
    part: int = 0

    name = "recut"
    cuts_rows = True

    def compute(self, *sources: Tensor) -> Tensor:
        """One view, without the transpose that keeps each row in its place."""
        *batch, rows, columns = sources[0].shape
        return sources[0].reshape(*batch, self.parts, rows, columns // self.parts)[..., self.part, :, :]

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """All rows, and this share of the columns; a width that is no number is another one, of which nothing is
        known."""
        rows, columns = shapes[0]
        if not isinstance(columns, int):
            return rows, type(columns)()
        expect(columns % self.parts == 0, "what is cut", shapes[0], f"a multiple of {self.parts} columns")
        width: Size = columns // self.parts  # type: ignore[assignment]
        return rows, width

    def code_of_heads(self, heads: HeadsInCode, made: str, *names: str) -> list[str]:
        """All parts."""
        return [f"{made} = {names[0]}.view(n_heads, {heads.rows}, -1)"]

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        """The cell that it is, in the order in which numbers lie in memory."""
        (x,), (rows, columns) = sources(1), shapes[0]
        width = columns // self.parts
        at = Index(self.part * rows * width, i=width, j=1)
        words = (
            sentence("explanation.recut.of_token", matrix=x.symbol, row=x.row(at), token=x.token_at(at)),
            sentence("explanation.recut.words", matrix=x.symbol, row=x.row(at)),
        )
        return (Piece(x[0, at], (x.name(0, at),), words),)

    def formula(self, *symbols: str) -> str:
        """As Python writes it, with n for the number of tokens."""
        return f"{symbols[0]}.view({self.parts}, n, −1)[{self.part}]"

    def code(self, made: str, *names: str) -> list[str]:
        """As Python writes it."""
        return [f"{made} = {names[0]}.view({self.parts}, {names[0]}.shape[0], -1)[{self.part}]"]
