"""Layer normalization: each row brought to mean 0 and deviation 1, then stretched and shifted column by column."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Block, Bounded, Precision, Rule, Shape, Size, expect
from attnviz.core.rules.explaining.cell import Cell, Factor, Made, Term, grouped
from attnviz.core.rules.explaining.displayed import as_decimal, in_sum, sign, total
from attnviz.words import say

EPSILON = 1e-5  # as in PyTorch


class _Normed(NamedTuple):
    """Rows ``(rows, columns)``: their means and deviations ``(rows, 1)``, and what they become."""

    mean: np.ndarray
    deviation: np.ndarray
    normed: np.ndarray

    def moved(self, error: np.ndarray, epsilon: float) -> np.ndarray:
        """Return how far errors of the numbers less their mean may move what they become: the deviation, as the length
        of the row, moves by no more than theirs."""
        of_deviation = np.sqrt((error**2).mean(-1, keepdims=True))
        least = np.maximum(self.deviation - of_deviation, math.sqrt(epsilon))
        made: np.ndarray = (error + np.abs(self.normed) * of_deviation) / least
        return made


@dataclass(frozen=True)
class LayerNorm(Rule):
    """A row less its mean, over its deviation, times the gain, plus the offset; `epsilon` stands beside its variance.

    Source: Ba, Kiros and Hinton 2016, Layer Normalization, section 3; the variance is that of all numbers, not of a
    sample.

    >>> rule = LayerNorm(epsilon=0.0)
    >>> rule.compute(torch.tensor([[1.0, 3.0]]), torch.ones(2), torch.zeros(2))
    tensor([[-1.,  1.]])
    """

    epsilon: float = EPSILON

    name = "layer_norm"
    n_sources = (3,)

    def compute(self, *sources: Tensor) -> Tensor:
        """Torch's own, which takes a gain and an offset as vectors."""
        source, gain, offset = sources
        row = torch.nn.functional.layer_norm(source, source.shape[-1:], eps=self.epsilon)
        return row * gain + offset

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """The shape of the source."""
        for each, what in zip(shapes[1:], ("the gain", "the offset"), strict=True):
            expect(each == (1, shapes[0][1]), what, each, f"{(1, shapes[0][1])}")
        return shapes[0]

    def reads(self, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
        """The whole row, and one number each of gain and offset."""
        this = range(column, column + 1)
        return ((range(row, row + 1), range(shapes[0][1])), (range(1), this), (range(1), this))

    def bounded(self, *tables: Bounded) -> Bounded:
        """What errors do to the row's mean and deviation, they do to all its cells."""
        source, gain, offset = tables
        with np.errstate(all="ignore"):
            row = self._row(source.value)
            error = row.moved(source.error + source.error.mean(-1, keepdims=True), self.epsilon)
            made = row.normed * gain.value + offset.value
            of_gain = np.abs(row.normed) * gain.error + error * (np.abs(gain.value) + gain.error)
            return Bounded(made, of_gain + offset.error)

    def computed_in(self, precision: Precision, *tables: Bounded) -> Bounded:
        """Roundings of the mean move all that follows as errors of the source do."""
        source, gain, _ = tables
        bounded = self.bounded(*tables)
        with np.errstate(all="ignore"):
            row, size = self._row(source.value), np.abs(source.value)
            d = size.shape[-1]
            rounded = (d + 4) * precision.sums * (size + size.mean(-1, keepdims=True))
            own = np.abs(gain.value) * row.moved(rounded, self.epsilon)
            own += (d + 8) * precision.sums * np.abs(gain.value * row.normed)
            own += 3 * precision.kept * (np.abs(gain.value * row.normed) + np.abs(bounded.value))
            return Bounded(bounded.value, bounded.error + np.where(np.isfinite(own), own, 0.0))

    def _row(self, value: np.ndarray) -> "_Normed":
        mean = value.mean(-1, keepdims=True)
        apart = value - mean
        deviation = np.sqrt((apart**2).mean(-1, keepdims=True) + self.epsilon)
        return _Normed(mean, deviation, apart / deviation)

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """Every cell of a row that holds a mark, and every cell of a column whose gain or offset does."""
        return np.broadcast_to(marks[0].any(axis=1, keepdims=True) | marks[1] | marks[2], marks[0].shape)

    def formula(self, *symbols: str) -> str:
        """In words, for the symbols say less."""
        return say("stages.formula.layer_norm", source=symbols[0])

    def code(self, made: str, *names: str) -> list[str]:
        """Torch's own."""
        source, gain, offset = names
        row = f"torch.nn.functional.layer_norm({source}, {source}.shape[-1:], eps={self.epsilon:g})"
        return [f"{made} = {row} * {gain} + {offset}"]

    def explain(self, cell: Cell) -> Made:
        """The normed number, times the gain, plus the offset."""
        row, (gain,), (offset,) = (cell.factors(cells) for cells in cell.sources)
        values = np.array([[number.value for number in row]])
        with np.errstate(all="ignore"):
            normed = self._row(values)
        own, z = row[cell.column], float(normed.normed[0, cell.column])
        exact = total([z * gain.value, offset.value])
        texts = [cell.write(each) for each in (z, gain.value, offset.value, z * gain.value)]
        value = cell.write(cell.value)
        steps = [
            in_sum([f"{grouped(texts[0])} × {grouped(texts[1])}", texts[2]]),
            f"{sign(as_decimal(texts[0]) * as_decimal(texts[1]), texts[3])} {in_sum([texts[3], texts[2]])}",
            f"{sign(as_decimal(texts[3]) + as_decimal(texts[2]), value)} {value}",
        ]
        mean, deviation = (cell.write(float(each[0, 0])) for each in (normed.mean, normed.deviation))
        return Made(
            f"({own.symbols} − m) / s · {gain.symbols} + {offset.symbols}", steps,
            say("explanation.layer_norm.words", source=own.symbols, normed=texts[0], mean=mean, deviation=deviation,
                gain=gain.symbols, offset=offset.symbols),
            (Term(z * gain.value, (own,)), Term(offset.value, (offset,))), exact,
            self._tolerance(cell, values, (z * gain.value, gain.value, offset.value)),
            notes=() if math.isfinite(cell.value) else tuple(_trouble(cell, [*row, gain, offset])),
        )  # fmt: skip

    def _tolerance(self, cell: Cell, row: np.ndarray, sizes: tuple[float, float, float]) -> float:
        """Return how far roundings may take a cell: those of the mean move all that follows."""
        d, size, (stretched, gain, offset) = row.shape[-1], np.abs(row), sizes
        eps, tiny = cell.precision.eps, cell.precision.tiny
        if not float((size**2).sum()) <= cell.precision.max * (1 - eps):  # squares overflow sooner
            return math.inf
        rounded = (d + 6) * (eps * (size + size.mean()) + tiny)
        moved = float(self._row(row).moved(rounded, self.epsilon)[0, cell.column])
        return abs(gain) * moved + cell.tolerance(abs(stretched) + abs(offset), d + 10)


def _trouble(cell: Cell, numbers: list[Factor]) -> list[str]:
    broken = [number for number in numbers if not math.isfinite(number.value)]
    if not broken:
        return [say("explanation.trouble.on_the_way", largest=cell.largest_float)]
    return [cell.already(broken[0]), say("explanation.trouble.undefined_row")]
