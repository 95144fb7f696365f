"""Rotary positions: each pair of columns is turned by an angle that grows with the row's place."""

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Block, Bounded, Rule, Shape, Size, expect
from attnviz.core.rules.cell import Cell, Factor, Made, Term, grouped
from attnviz.core.rules.displayed import as_decimal, in_sum, sign, sign_of_all, total
from attnviz.words import say

BASE = 10_000.0  # of the wavelengths, as in both papers


@dataclass(frozen=True)
class Rotate(Rule):
    """Columns 2i and 2i + 1 of row m, turned by the angle m θ_i with θ_i = `base` to the power of -2i / d.

    Source: Su et al. 2021, RoFormer, section 3.2.2, equations 14, 15 and 34.

    >>> Rotate().compute(torch.tensor([[1.0, 0.0], [1.0, 0.0]]))
    tensor([[1.0000, 0.0000],
            [0.5403, 0.8415]])
    """

    base: float = BASE

    name = "rotate"
    n_sources = (1,)

    def angle(self, row: int, column: int, d: int) -> float:
        """Return the angle of a row's pair in radians, of `d` columns.

        >>> Rotate().angle(3, 1, 2)
        3.0
        """
        return row * self.base ** (-2 * (column // 2) / d)

    def _angles(self, rows: int, d: int) -> np.ndarray:
        """Return the angle of each pair, ``(rows, d / 2)``."""
        return np.arange(rows)[:, None] * self.base ** (-2 * np.arange(d // 2) / d)

    def compute(self, *sources: Tensor) -> Tensor:
        """Turn each pair; the angles are taken in float64."""
        (source,) = sources
        angles = torch.from_numpy(self._angles(*source.shape[-2:]))
        cosine, sine = (each.to(source) for each in (angles.cos(), angles.sin()))
        even, odd = source[..., 0::2], source[..., 1::2]
        return torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], dim=-1).flatten(-2)

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """The shape of the source, whose columns come in pairs."""
        columns = shapes[0][1]
        expect(not isinstance(columns, int) or columns % 2 == 0, "what is turned", shapes[0], "columns in pairs")
        return shapes[0]

    def reads(self, row: int, column: int, *shapes: Shape) -> tuple[Block, ...]:
        """Both cells of its pair; at place 0, which is not turned, the cell alone."""
        first = column if row == 0 else column - column % 2
        return ((range(row, row + 1), range(first, first + (1 if row == 0 else 2))),)

    def bounded(self, *tables: Bounded) -> Bounded:
        """Errors are turned, too: each counts by its cosine or sine."""
        value, error = tables[0]
        angles = self._angles(*value.shape)
        with np.errstate(all="ignore"):
            return Bounded(
                _turned(value, np.cos(angles), np.sin(angles), -1),
                _turned(error, np.abs(np.cos(angles)), np.abs(np.sin(angles)), 1),
            )

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """Cosine, sine and both products are kept before their sum is."""
        angles = self._angles(*made.value.shape)
        sizes = _turned(np.abs(tables[0].value), np.abs(np.cos(angles)), np.abs(np.sin(angles)), 1)
        return np.abs(made.value) + 2 * sizes

    def touched(self, *marks: np.ndarray) -> np.ndarray:
        """Both cells of a pair; at place 0 the same."""
        pairs = marks[0].reshape(len(marks[0]), -1, 2).any(-1).repeat(2, axis=1)
        pairs[0] = marks[0][0]
        return pairs

    def formula(self, *symbols: str) -> str:
        """In words, for the symbols say less."""
        return say("stages.formula.rotated", source=symbols[0])

    def code(self, made: str, *names: str) -> list[str]:
        """Turn each pair."""
        return [
            f"place = torch.arange({names[0]}.shape[-2], dtype=torch.float64)[:, None]",
            f"pair = torch.arange(0, {names[0]}.shape[-1], 2, dtype=torch.float64) / {names[0]}.shape[-1]",
            f"angle = place / {self.base:g}**pair",
            f"cosine, sine = angle.cos().to({names[0]}), angle.sin().to({names[0]})",
            f"even, odd = {names[0]}[..., 0::2], {names[0]}[..., 1::2]",
            f"{made} = torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], dim=-1).flatten(-2)",
        ]

    def explain(self, cell: Cell) -> Made:
        """Two products, of the pair with the cosine and the sine of the angle."""
        pair = cell.factors(cell.sources[0])
        if len(pair) == 1:
            return _unturned(cell, pair[0])
        d = cell.matrices[cell.sources[0].matrix].shape[-1]
        angle = self.angle(cell.row, cell.column, d)
        cosine, sine = math.cos(angle), math.sin(angle)
        is_odd = bool(cell.column % 2)
        turns = (sine, cosine) if is_odd else (cosine, -sine)
        terms = tuple(Term(number.value * turn, (number,)) for number, turn in zip(pair, turns, strict=True))
        exact = total(term.value for term in terms)
        first, second = (number.symbols for number in pair)
        return Made(
            f"{first} sin φ + {second} cos φ" if is_odd else f"{first} cos φ − {second} sin φ",
            _steps(cell, pair, turns),
            say("explanation.rotate.words", first=first, second=second, angle=cell.write(angle), place=cell.row,
                theta=cell.write(self.angle(1, cell.column, d))),
            terms, exact, cell.tolerance(total(abs(term.value) for term in terms), 5),
            notes=() if math.isfinite(cell.value) else tuple(_trouble(cell, pair, terms)),
        )  # fmt: skip


def _steps(cell: Cell, pair: list[Factor], turns: tuple[float, float]) -> list[str]:
    factors = [(cell.write(number.value), cell.write(turn)) for number, turn in zip(pair, turns, strict=True)]
    values = [cell.write(number.value * turn) for number, turn in zip(pair, turns, strict=True)]
    products = [as_decimal(one) * as_decimal(other) for one, other in factors]
    value = cell.write(cell.value)
    return [
        in_sum([" × ".join(map(grouped, texts)) for texts in factors]),
        f"{sign_of_all(products, values)} {in_sum(values)}",
        f"{sign(sum(map(as_decimal, values), start=Decimal(0)), value)} {value}",
    ]


def _trouble(cell: Cell, pair: list[Factor], terms: tuple[Term, ...]) -> list[str]:
    broken = [number for number in pair if not math.isfinite(number.value)]
    if not broken:
        return [say("explanation.trouble.on_the_way", largest=cell.largest_float)]
    told = [cell.already(broken[0])]
    if math.isnan(cell.value) and not any(math.isnan(number.value) for number in broken):
        told.append(say(f"explanation.trouble.{'product' if math.isnan(terms[0].value) else 'difference'}"))
    return told


def _turned(value: np.ndarray, cosine: np.ndarray, sine: np.ndarray, minus: int) -> np.ndarray:
    even, odd = value[:, 0::2], value[:, 1::2]
    return np.stack([even * cosine + minus * odd * sine, even * sine + odd * cosine], -1).reshape(value.shape)


def _unturned(cell: Cell, number: Factor) -> Made:
    notes = () if math.isfinite(cell.value) else (cell.already(number),)
    return Made(
        number.symbols, [cell.write(cell.value)], say("explanation.rotate.unturned"),
        (Term(number.value, (number,)),), number.value, 0.0, notes=notes,
    )  # fmt: skip
