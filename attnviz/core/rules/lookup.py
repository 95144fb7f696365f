"""Some rows of a table, each wherever it is asked for: how a token gets its vector, and a place its own."""

from dataclasses import dataclass

import torch
from torch import Tensor

from attnviz.core.rules.base import Copying, Size, expect
from attnviz.core.rules.expression import Index, J, Piece, place, sentence, sources
from attnviz.core.rules.reading import Shape
from attnviz.words import say

Ids = tuple[int, ...] | tuple[tuple[int, ...], ...]  # numbers of one text, or of each text of a batch


@dataclass(frozen=True)
class Lookup(Copying):
    """The rows with these numbers, one below the other; of a batch of texts, those of each of them, to compute alone.

    >>> Lookup((2, 0)).reads(0, 1, (3, 4))
    ((range(2, 3), range(1, 2)),)
    """

    ids: Ids = (0,)

    name = "lookup"

    @property
    def of_one(self) -> list[int]:
        """The numbers of one text.

        Raises ``TypeError`` where they are those of a batch.
        """
        return [int(each) for each in self.ids]  # type: ignore[arg-type]

    def compute(self, *sources: Tensor) -> Tensor:
        """Torch's indexing."""
        return sources[0][..., torch.tensor(self.ids, dtype=torch.long, device=sources[0].device), :]

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """As many rows as are asked for, as wide as the table; a number of rows that is no number is another one."""
        rows, columns = shapes[0]
        if not isinstance(rows, int):
            return type(rows)(), columns
        expect(max(self.of_one) < rows, "the table", shapes[0], f"at least {max(self.of_one) + 1} rows")
        n: Size = len(self.ids)  # type: ignore[assignment]
        return n, columns

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        """The cell of the row that is asked for."""
        (table,), row = sources(1), Index(entries=tuple(self.of_one))
        words = (
            sentence("explanation.lookup.of_entry", table=table.symbol, entry=table.token(row)),
            sentence("explanation.lookup.words", row=place(row), table=table.symbol),
        )
        return (Piece(table[row, J], (table.name(row, J),), words),)

    def formula(self, *symbols: str) -> str:
        """In words, for the numbers of the rows are many."""
        return say("stages.formula.lookup", table=symbols[0])

    def code(self, made: str, *names: str) -> list[str]:
        """As Python writes it."""
        return [f"{made} = {names[0]}[..., {self.of_one}, :]"]
