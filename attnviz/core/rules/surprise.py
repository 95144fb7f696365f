"""How surprised a model is by what really comes next: minus the logarithm of the probability that it gave to it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Block, Bounded, Rule, Shape, Size, expect
from attnviz.core.rules.explaining.cell import Cell, Factor, Made, Term
from attnviz.core.rules.explaining.displayed import as_decimal, exp, in_sum, shortened, sign, total
from attnviz.core.rules.explaining.softmax import READABLE
from attnviz.core.rules.lookup import Ids
from attnviz.core.tokens import visible
from attnviz.words import say


@dataclass(frozen=True)
class Surprise(Rule):
    """Of each row of logits, −ln of the softmax at the column that `targets` gives: the negative log likelihood.

    It is made from the logits, for a probability may be too small to be kept, and its logarithm isn't. What follows the
    last rows may be unknown: there are as many as targets; those of a batch are to compute alone. A mean of these is
    the cross-entropy. Source: Shannon 1948, A Mathematical Theory of Communication, section 6.

    >>> Surprise((1,)).compute(torch.tensor([[0.0, 0.0]]))
    tensor([[0.6931]])
    """

    targets: Ids = (0,)

    name = "surprise"
    n_sources = (1,)

    @property
    def of_one(self) -> list[int]:
        """The targets of one text.

        Raises ``TypeError`` where they are those of a batch.
        """
        return [int(each) for each in self.targets]  # type: ignore[arg-type]

    def compute(self, *sources: Tensor) -> Tensor:
        """Torch's logarithm of a softmax."""
        targets = torch.tensor(self.targets, dtype=torch.long, device=sources[0].device)
        n = targets.shape[-1]
        shares = torch.log_softmax(sources[0][..., :n, :], dim=-1)
        return -shares.gather(-1, targets.expand(*shares.shape[:-2], n)[..., None])

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """One number for each target."""
        rows, columns = shapes[0]
        if not isinstance(rows, int) or not isinstance(columns, int):
            return type(rows)(), type(columns)()
        n, most = len(self.targets), max(self.of_one)
        expect(rows >= n and columns > most, "what it reads", shapes[0], f"at least {(n, most + 1)}")
        made: tuple[Size, Size] = (n, 1)  # type: ignore[assignment]
        return made

    def reads(self, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
        """The whole row."""
        return ((range(row, row + 1), range(shapes[0][1])),)

    def bounded(self, *tables: Bounded) -> Bounded:
        """The logarithm of the sum moves no more than the number that moves most."""
        n = len(self.targets)
        value, error = (each[:n] for each in tables[0])
        own, its_error = (each[range(n), self.of_one][:, None] for each in (value, error))
        with np.errstate(all="ignore"):
            largest = value.max(-1, keepdims=True)
            summed = np.log(np.exp(value - largest).sum(-1, keepdims=True))
            return Bounded(summed - (own - largest), error.max(-1, keepdims=True) + its_error)

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """The difference to the largest is kept, and so is the logarithm of the sum."""
        sizes: np.ndarray = np.abs(made.value) + 2 * self._largest(*tables) + math.log(tables[0].value.shape[1]) + 1
        return sizes

    def summed(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Differences to the largest are rounded, and so are their exps, their sum and its logarithm."""
        sizes: np.ndarray = 2 * (4 * self._largest(*tables) + tables[0].value.shape[1] + 8)
        return sizes

    def _largest(self, *tables: Bounded) -> np.ndarray:
        value = tables[0].value[: len(self.targets)]
        largest: np.ndarray = np.where(np.isfinite(value), np.abs(value), 0.0).max(-1, keepdims=True)
        return largest

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """Where a row holds a mark."""
        marked: np.ndarray = np.logical_or.reduce(marks[0][: len(self.targets)], axis=1, keepdims=True)
        return marked

    def formula(self, *symbols: str) -> str:
        """In words, for the columns of the targets are many."""
        return say("stages.formula.surprise", source=symbols[0])

    def code(self, made: str, *names: str) -> list[str]:
        """Torch's own."""
        rows = list(range(len(self.targets)))
        return [f"{made} = -torch.log_softmax({names[0]}, dim=-1)[{rows}, {self.of_one}][:, None]"]

    def explain(self, cell: Cell) -> Made:
        """The logarithm of the sum of the row's exps, less its own number; a shift of the whole row cancels."""
        row, target = cell.factors(cell.sources[0]), self.of_one[cell.row]
        own, stage = row[target], row[target].stage
        largest = math.nan if any(math.isnan(each.value) for each in row) else max(each.value for each in row)
        shift = 0.0 if abs(largest) <= READABLE else largest
        exps = [Term(exp(each.value - shift), (each,)) for each in row]
        divisor = total(term.value for term in exps)
        summed = math.log(divisor) if divisor > 0 else math.nan
        terms = shortened(exps, keep=target)
        told = "of_entry" if target < len(stage.entries) else "words"
        lowered = say("explanation.surprise.lowered", largest=cell.write(shift))
        steps = _steps(cell, terms, summed, own.value - shift, shift)
        return Made(
            f"ln Σ_j exp({stage.at(cell.row, 'j')}) − {own.symbols}", steps,
            say(f"explanation.surprise.{told}", number=own.symbols,
                entry=visible(stage.entries[target]) if told == "of_entry" else ""),
            terms, summed - (own.value - shift), cell.tolerance(_size(row), 2), divisor, shift,
            notes=(*([lowered] if shift else []), *([] if math.isfinite(cell.value) else _trouble(cell, row))),
        )  # fmt: skip


def _size(row: Sequence[Factor]) -> float:
    """Return what the roundings are relative to; infinite where a number of the row is undefined."""
    if any(math.isnan(each.value) or each.value == math.inf for each in row):
        return math.inf
    return 4 * max((abs(each.value) for each in row if each.value > -math.inf), default=0.0) + len(row) + 8


def _steps(cell: Cell, terms: tuple[Term, ...], summed: float, own: float, shift: float) -> list[str]:
    texts = [
        f"exp({cell.write(term.factors[0].value - shift)})" if term.factors else cell.write_factors(term)[0]
        for term in terms
    ]
    displayed = total(
        exp(float(as_decimal(text[4:-1]))) if term.factors else float(as_decimal(cell.write(term.value)))
        for term, text in zip(terms, texts, strict=True)
    )
    between, less, value = cell.write(summed), _negative(cell.write(own)), cell.write(cell.value)
    known = Decimal(math.log(displayed)) if displayed > 0 else Decimal("NaN")
    return [
        in_sum([f"ln({' + '.join(texts)})", less]),
        f"{sign(known, between)} {in_sum([between, less])}",
        f"{sign(as_decimal(between) + as_decimal(less), value)} {value}",
    ]


def _negative(text: str) -> str:
    """Return a displayed number with the other sign.

    >>> _negative("−1.5"), _negative("1.5"), _negative("NaN")
    ('1.5', '−1.5', 'NaN')
    """
    return text if text == "NaN" else text[1:] if text.startswith("−") else f"−{text}"


def _trouble(cell: Cell, row: Sequence[Factor]) -> list[str]:
    broken = [each for each in row if math.isnan(each.value) or each.value == math.inf]
    if broken:
        return [cell.already(broken[0]), say("explanation.trouble.undefined_row")]
    certain = [each for each in row if each.value == -math.inf]
    if certain:
        return [cell.already(certain[0])]
    return [say("explanation.trouble.on_the_way", largest=cell.largest_float)]
