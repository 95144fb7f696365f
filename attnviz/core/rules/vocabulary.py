"""Rules of a vocabulary: looked-up rows, and the loss of each prediction."""

from dataclasses import dataclass

import torch
from torch import Tensor

from attnviz.core.rules.base import Rule, Size, expect
from attnviz.core.rules.expression import I, Index, J, K, Piece, add_up, largest, number, sentence, sources
from attnviz.core.rules.reading import Shape
from attnviz.words import say

Ids = tuple[int, ...] | tuple[tuple[int, ...], ...]  # indices in the vocabulary, of one text or of each text of a batch


def _of_one(ids: Ids) -> list[int]:
    """Return one text's ids as ints; raise ``TypeError`` for a batch."""
    return [int(each) for each in ids]  # type: ignore[arg-type]


@dataclass(frozen=True)
class Lookup(Rule):
    """The rows of a table with these ids, as in an embedding.

    Ids of a batch are only for `compute`; shapes and declarations need those of one text.
    """

    ids: Ids = (0,)

    name = "lookup"

    @property
    def of_one(self) -> list[int]:
        """The ids of one text; ``TypeError`` for a batch."""
        return _of_one(self.ids)

    def compute(self, *sources: Tensor) -> Tensor:
        return sources[0][..., torch.tensor(self.ids, dtype=torch.long, device=sources[0].device), :]

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """Return one row for each id; a symbolic number stays unknown."""
        rows, columns = shapes[0]
        if not isinstance(rows, int):
            return type(rows)(), columns
        expect(max(self.of_one) < rows, "the table", shapes[0], f"at least {max(self.of_one) + 1} rows")
        n: Size = len(self.ids)  # type: ignore[assignment]
        return n, columns

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        (table,), row = sources(1), Index(entries=tuple(self.of_one))
        words = (
            sentence("explanation.lookup.of_entry", table=table.symbol, entry=table.token(row)),
            sentence("explanation.lookup.words", row=row.place, table=table.symbol),
        )
        return (Piece(table[row, J], (table.name(row, J),), words),)

    def formula(self, *symbols: str) -> str:
        return say("stages.formula.lookup", table=symbols[0])


@dataclass(frozen=True)
class Surprise(Rule):
    """The negative log likelihood of `targets`: −ln softmax, from rows of logits.

    It's computed from the logits, because a probability may be too small for a float while its logarithm isn't. There
    may be fewer targets than rows, because the tokens after the last rows may be unknown. The mean is the
    cross-entropy. Targets of a batch are only for `compute`; shapes and declarations need those of one text.

    Source: Shannon 1948, A Mathematical Theory of Communication, section 6.

    >>> Surprise((1,)).compute(torch.tensor([[0.0, 0.0]]))
    tensor([[0.6931]])
    """

    targets: Ids = (0,)

    name = "surprise"

    @property
    def of_one(self) -> list[int]:
        """The targets of one text; ``TypeError`` for a batch."""
        return _of_one(self.targets)

    def compute(self, *sources: Tensor) -> Tensor:
        targets = torch.tensor(self.targets, dtype=torch.long, device=sources[0].device)
        n = targets.shape[-1]
        shares = torch.log_softmax(sources[0][..., :n, :], dim=-1)
        return -shares.gather(-1, targets.expand(*shares.shape[:-2], n)[..., None])

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """Return one column, with a row for each target."""
        rows, columns = shapes[0]
        if not isinstance(rows, int) or not isinstance(columns, int):
            return type(rows)(), type(columns)()
        n, most = len(self.targets), max(self.of_one)
        expect(rows >= n and columns > most, "what it reads", shapes[0], f"at least {(n, most + 1)}")
        made: tuple[Size, Size] = (n, 1)  # type: ignore[assignment]
        return made

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        """Return the log of the sum of exps minus the target's logit."""
        (logits,), n, target = sources(1), shapes[0][1], Index(entries=tuple(self.of_one))
        shift = largest(n, logits[I, K]).level
        powers = add_up(n, (logits[I, K] - shift).as_number.exp, target)
        own = logits.name(I, target)
        words = (
            sentence("explanation.surprise.of_entry", number=own, entry=logits.entry(target)),
            sentence("explanation.surprise.words", number=own),
        )
        value = powers.ln.at_once - (logits[I, target] - shift).as_number
        symbols = ("ln Σ_j exp(", logits.name(I, "j"), ") − ", own)
        size = number(4.0) * largest(n, logits[I, K].magnitude) + number(n + 8.0)
        return (Piece(value, symbols, words, (), 2, size, "logits"),)

    def formula(self, *symbols: str) -> str:
        return say("stages.formula.surprise", source=symbols[0])
