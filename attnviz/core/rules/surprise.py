"""How surprised a model is by what really comes next: minus the logarithm of the probability that it gave to it."""

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Block, Bounded, Rule, Shape, Size, expect
from attnviz.core.rules.cell import Cell, Factor, Made, Term
from attnviz.core.rules.displayed import as_decimal, sign
from attnviz.core.rules.lookup import Ids
from attnviz.core.tokens import visible
from attnviz.words import say

ROUNDINGS = 4  # of a logarithm, as torch takes it


@dataclass(frozen=True)
class Surprise(Rule):
    """−ln of the number that stands in the column `targets` gives for each row: the negative log likelihood.

    What follows the last rows may be unknown: there are as many as targets; those of a batch are to compute alone. A
    mean of these is the cross-entropy. Source: Shannon 1948, A Mathematical Theory of Communication, section 6.

    >>> Surprise((1, 0)).compute(torch.tensor([[0.5, 0.5], [1.0, 0.0]]))
    tensor([[0.6931],
            [-0.0000]])
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
        """Torch's logarithm."""
        targets = torch.tensor(self.targets, dtype=torch.long, device=sources[0].device)
        n = targets.shape[-1]
        return -torch.log(sources[0][..., :n, :].gather(-1, targets.expand(*sources[0].shape[:-2], n)[..., None]))

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
        """What stands in the column of the target."""
        target = self.of_one[row]
        return ((range(row, row + 1), range(target, target + 1)),)

    def bounded(self, *tables: Bounded) -> Bounded:
        """A logarithm moves most where its number becomes less; from 0 on, by anything."""
        (value, error) = (each[range(len(self.targets)), self.of_one][:, None] for each in tables[0])
        with np.errstate(all="ignore"):
            made = np.where(value >= 0, -np.log(value), np.nan)
            moved = np.where(value > error, -np.log1p(-error / value), np.inf)
            return Bounded(made, np.where((error == 0) & (value >= 0), 0.0, moved))

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """Where what it reads is marked."""
        read: np.ndarray = marks[0][range(len(self.targets)), self.of_one]
        return read[:, None]

    def formula(self, *symbols: str) -> str:
        """In words, for the columns of the targets are many."""
        return say("stages.formula.surprise", source=symbols[0])

    def code(self, made: str, *names: str) -> list[str]:
        """As Python writes it."""
        return [f"{made} = -torch.log({names[0]}[{list(range(len(self.targets)))}, {self.of_one}])[:, None]"]

    def explain(self, cell: Cell) -> Made:
        """−ln of the number."""
        (number,) = cell.factors(cell.sources[0])
        exact = surprise(number.value)
        before, value = cell.write(number.value), cell.write(cell.value)
        displayed = Decimal(surprise(float(as_decimal(before))))
        entry = visible(number.stage.entries[number.column]) if number.column < len(number.stage.entries) else None
        told = "words" if entry is None else "of_entry"
        return Made(
            f"−ln({number.symbols})", [f"−ln({before})", f"{sign(displayed, value)} {value}"],
            say(f"explanation.surprise.{told}", number=number.symbols, entry=entry),
            (Term(exact, (number,)),), exact, cell.tolerance(abs(exact), ROUNDINGS),
            notes=() if math.isfinite(cell.value) else (_trouble(cell, number),),
        )  # fmt: skip


def _trouble(cell: Cell, number: Factor) -> str:
    if not math.isfinite(number.value):
        return cell.already(number)
    return say("explanation.surprise.certain" if number.value == 0 else "explanation.surprise.negative")


def surprise(probability: float) -> float:
    """Return minus the natural logarithm of any float, as floats do: infinity for 0, NaN below.

    >>> surprise(1.0), surprise(0.0), surprise(-1.0)
    (0.0, inf, nan)
    """
    if probability > 0:
        return 0.0 - math.log(probability)
    return math.inf if probability == 0 else math.nan
