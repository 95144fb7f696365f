"""A bias on scores by the distance of query and key."""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attnviz.core.rules.base import HeadsInCode, Rule, Size, expect
from attnviz.core.rules.expression import I, Index, J, Piece, sentence, sources
from attnviz.core.rules.reading import Shape
from attnviz.words import say

FAR = 10**9  # further than any token


@dataclass(frozen=True)
class Relative(Rule):
    """The number for each query and key's distance, from one `head`.

    The middle column is for distance 0, those at its left for earlier keys, those at its right for later ones. With a
    second source, the mask is added. The first query stands at this `place`, behind the tokens that are kept.

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
        """Return a row per query not kept, a column per key."""
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

    def code(self, made: str, *names: str) -> list[str]:
        return self._lines(str(self.head), made, *names)

    def code_of_heads(self, heads: HeadsInCode, made: str, *names: str) -> list[str]:
        return self._lines(":", made, *names)

    def _lines(self, row: str, made: str, *names: str) -> list[str]:
        queries = f"i[{self.place}:, None]" if self.place else "i[:, None]"
        numbers = f"{names[0]}[{row}, i - {queries} + len(i) - 1]"
        return [
            f"i = torch.arange(({names[0]}.shape[1] + 1) // 2, device={names[0]}.device)",
            f"{made} = {' + '.join((numbers, *names[1:]))}",
        ]
