"""Rules of positions: columns rotated in pairs, or a bias by distance."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Rule, Size, expect
from attnviz.core.rules.expression import I, Index, J, Node, Piece, entry, j_modulo, power, sentence, sources
from attnviz.core.rules.reading import Shape
from attnviz.words import say

BASE = 10_000.0  # base of the wavelengths, as in RoFormer and in Attention Is All You Need
_BEYOND = 2.0**128  # more than any finite number of float32


@dataclass(frozen=True)
class Rotate(Rule):
    """Rotary positions: pair i of row m turned by angle m θ_i.

    θ_i is `base` to the power of -2i / d. Pair i consists of columns 2i and 2i + 1; with `halves` and n pairs, it's
    columns i and i + n. If a model has angles of its own, `thetas` has a θ_i for each pair, from the first column on:
    columns after these pairs aren't turned, and angles are rounded to float32, in which such a model stores them. The
    first row has the position `place`, which isn't 0 if tokens were kept before it.

    Source: Su et al. 2021, RoFormer, section 3.2.2, equations 14, 15 and 34; with `halves`, Wang and Komatsuzaki 2021,
    GPT-J, and most models since.

    >>> Rotate().compute(torch.tensor([[1.0, 0.0], [1.0, 0.0]]))
    tensor([[1.0000, 0.0000],
            [0.5403, 0.8415]])
    >>> Rotate(thetas=(2.0, 1.0), halves=True).compute(torch.tensor([[1.0] * 4 + [5.0]] * 2))[1]
    tensor([-1.3254, -0.3012,  0.4932,  1.3818,  5.0000])
    """

    base: float = BASE
    thetas: tuple[float, ...] | None = None
    halves: bool = False
    place: int = 0

    name = "rotate"

    def angle(self, place: int, column: int, d: int) -> float:
        """Return the angle in radians by which a column's pair is turned."""
        pair = column % self._pairs(d) if self.halves else column // 2
        if self.thetas is None:
            return place * self.base ** (-2 * pair / d)
        return float(np.float32(place) * np.float32(self.thetas[pair]))

    def _pairs(self, d: int) -> int:
        """Return how many pairs are turned, of `d` columns."""
        return d // 2 if self.thetas is None else len(self.thetas)

    def _angles(self, rows: int, d: int) -> np.ndarray:
        """Return the angle of each pair, ``(rows, pairs)``."""
        places = np.arange(self.place, self.place + rows)[:, None]
        if self.thetas is None:
            return places * self.base ** (-2 * np.arange(d // 2) / d)
        angles = places.astype(np.float32) * np.array(self.thetas, dtype=np.float32)
        return angles.astype(np.float64)

    def compute(self, *sources: Tensor) -> Tensor:
        """Turn each pair; cosines and sines are taken in float64."""
        (source,) = sources
        angles = torch.from_numpy(self._angles(*source.shape[-2:]))
        cosine, sine = (each.to(source) for each in (angles.cos(), angles.sin()))
        return self._turned(source, cosine, sine, -sine)

    def _turned(self, source: Tensor, cosine: Tensor, sine: Tensor, other: Tensor) -> Tensor:
        """Return the turned pairs; first columns use `other` in place of `sine`."""
        turned = 2 * cosine.shape[-1]
        pairs = source[..., :turned]
        first, second = pairs.chunk(2, dim=-1) if self.halves else (pairs[..., 0::2], pairs[..., 1::2])
        made = (first * cosine + second * other, first * sine + second * cosine)
        whole = torch.cat(made, dim=-1) if self.halves else torch.stack(made, dim=-1).flatten(-2)
        return whole if turned == source.shape[-1] else torch.cat([whole, source[..., turned:]], dim=-1)

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """Return the source's shape; ``ValueError`` for unpaired columns."""
        columns = shapes[0][1]
        if isinstance(columns, int):
            fits = columns % 2 == 0 if self.thetas is None else columns >= 2 * len(self.thetas)
            expect(fits, "what is turned", shapes[0], "columns in pairs")
        return shapes[0]

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        """Return two products with cosine and sine; unturned cells are copied."""
        (x,), d = sources(1), shapes[0][1]
        pairs = self._pairs(d)
        pair = j_modulo(pairs) if self.halves else J - j_modulo(2)
        first, second = x[I, pair], x[I, pair + (pairs if self.halves else 1)]
        angle, theta = (self._angle(pair, d, each.number) for each in (I + self.place, Index(1)))
        one, other = (x.name(I, each) for each in (pair, pair + (pairs if self.halves else 1)))
        words = sentence(
            "explanation.rotate.words", first=one, second=other, angle=angle.written, place=(I + self.place).place,
            theta=theta.written,
        )  # fmt: skip
        cosine, sine = angle.cos.as_number, angle.sin.as_number
        is_second = (J, pairs, 2 * pairs) if self.halves else (j_modulo(2), 1, 2)
        more: dict[str, Any] = {"roundings": 5, "trouble": "turned"}
        # At position 0 the angle is 0, which leaves finite numbers as they are; but 0 times ∞ isn't a number.
        at_first = ((I, 0, 1), (J, 0, 2 * pairs), *(each.within(-_BEYOND, _BEYOND) for each in (first, second)))
        unturned, beyond = (
            Piece(x[I, J], (x.name(),), (sentence(f"explanation.rotate.{each}", last=2 * pairs - 1),), where)
            for each, where in (("unturned", at_first), ("beyond", ((J, 2 * pairs, d),)))
        )
        return (
            *([] if self.place else [unturned]),
            *([beyond] if 2 * pairs < d else []),
            Piece(first * sine + second * cosine, (one, " sin φ + ", other, " cos φ"), (words,), (is_second,), **more),
            Piece(first * cosine + second * angle.sin.negative.as_number,
                  (one, " cos φ − ", other, " sin φ"), (words,), **more),
        )  # fmt: skip

    def _angle(self, pair: Index, d: int, at: Node) -> Node:
        """Return a pair's angle at a place; `pair` is doubled unless `halves`."""
        if self.thetas is None:
            return at * power(self.base, pair + pair if self.halves else pair, d)
        thetas = np.array(self.thetas, np.float32).astype(float).repeat(1 if self.halves else 2)
        return (at * entry(thetas.tolist(), pair)).rounded

    def formula(self, *symbols: str) -> str:
        return say("stages.formula.rotated", source=symbols[0])


def rotation_of(rule: Rule | None) -> Rotate | None:
    """Return a rule that is a :class:`Rotate`; None for any other."""
    return rule if isinstance(rule, Rotate) else None


FAR = 10**9  # further than any two tokens are apart


@dataclass(frozen=True)
class Relative(Rule):
    """A number for the distance from each query to each key.

    It's read from the first source, ``(heads, 2 * n_keys - 1)``, in the row `head`: the middle column is for distance
    0, columns at its left are for earlier keys, and those at its right for later ones. A second source is a mask, which
    is added. The first query has the position `place`, after the tokens that were kept.

    Source: Press et al. 2022, ALiBi, section 3, and Raffel et al. 2020, T5, section 2.1, which lets far distances share
    a number.

    >>> Relative().compute(torch.tensor([[-2.0, -1.0, 0.0, 5.0, 6.0]]))
    tensor([[ 0.,  5.,  6.],
            [-1.,  0.,  5.],
            [-2., -1.,  0.]])
    """

    head: int = 0
    place: int = 0

    name = "relative"
    beside = (0, None)
    n_sources = (1, 2)
    masked_by = 1

    def compute(self, *sources: Tensor) -> Tensor:
        numbers = sources[0]
        place = torch.arange((numbers.shape[-1] + 1) // 2, device=numbers.device)
        made = numbers[..., self.head, place - place[self.place :, None] + len(place) - 1]
        if len(sources) == 1:
            return made
        return (made + sources[1]).masked_fill(sources[1] == -math.inf, -math.inf)

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """Return a row per query, a column per key.

        Raises ``ValueError`` for a source without this head or a middle column, and for a mask of another shape.
        """
        rows, columns = shapes[0]
        if not isinstance(columns, int) or not isinstance(rows, int):
            n: Size = type(columns)()
            return shapes[1] if len(shapes) > 1 else (type(columns)() if self.place else n, n)
        expect(rows > self.head and columns % 2 == 1, "the numbers by distance", shapes[0], "a row and an odd width")
        n_keys = (columns + 1) // 2
        made: tuple[Any, Any] = (n_keys - self.place, n_keys)
        for mask in shapes[1:]:
            expect(mask == made, "the mask", mask, f"{made}")
        return made

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        numbers, mask = sources(2)
        apart = J - I - self.place
        at = (Index(self.head), apart + shapes[0][1] // 2)
        value = numbers[at] if len(shapes) == 1 else numbers[at].hidden(mask[I, J], 2)
        wheres = {"itself": (0, 1), "before": (-FAR, 0), "after": (1, FAR)}
        return tuple(
            Piece(
                value, (numbers.name(*at),),
                (sentence(f"explanation.relative.{where}", cell=numbers.name(*at),
                          tokens=(-apart if where == "before" else apart).tokens),),
                ((apart, *ends),), trouble="read",
            )
            for where, ends in wheres.items()
        )  # fmt: skip

    def formula(self, *symbols: str) -> str:
        return " + ".join((say("stages.formula.relative", source=symbols[0]), *symbols[1:]))
