"""Softmax: the exponentials of each row, over their sum."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from attnviz.core.rules.base import Rule
from attnviz.core.rules.expression import (
    LOWERED,
    MOST,
    TINY,
    I,
    J,
    K,
    Node,
    Piece,
    Sentence,
    Text,
    add_up,
    largest,
    number,
    sentence,
    sources,
)
from attnviz.core.rules.reading import Shape
from attnviz.core.rules.rows import COLUMNS, ROWS, WHOLE
from attnviz.words import say
from attnviz.words.numbers import significant

_LEAST = 1e-30  # if a mask leaves less of a row's shares, they have lost digits


@dataclass(frozen=True)
class Softmax(Rule):
    """Softmax: each row becomes shares that sum to 1.

    A second source is a mask that comes too late: its exponential multiplies each share. If `shared`, each row is then
    divided by its sum. Attention doesn't use another `axis`: with "columns" or "whole", each column or the whole matrix
    becomes shares.

    A `sink` is a further score of each row, whose share is dropped, so that rows sum to less than 1.

    Source: Xiao et al. 2023, Efficient Streaming Language Models with Attention Sinks, section 3.3, for `sink`.
    """

    shared: bool = False
    axis: str = ROWS
    sink: float | None = None

    name = "softmax"
    n_sources = (1, 2)
    masked_by = 1
    makes_shares = True

    def compute(self, *sources: Tensor) -> Tensor:
        return self.kernel(len(sources))(*sources)

    def kernel(self, n_sources: int) -> Callable[..., Tensor]:
        if self.sink is not None:
            return self._beside_sink
        softmax = _over_whole if self.axis == WHOLE else partial(torch.softmax, dim=-1 if self.axis == ROWS else -2)
        return softmax if n_sources == 1 else partial(self._finished, softmax)

    def _beside_sink(self, scores: Tensor) -> Tensor:
        sink = torch.full_like(scores[..., :1], self._sink)
        return torch.softmax(torch.cat([scores, sink], dim=-1), dim=-1)[..., :-1]

    @property
    def _sink(self) -> float:
        return -math.inf if self.sink is None else self.sink

    def _finished(self, softmax: Callable[[Tensor], Tensor], scores: Tensor, mask: Tensor) -> Tensor:
        return self.masked(softmax(scores), mask)

    def masked(self, shares: Tensor, mask: Tensor) -> Tensor:
        """Return shares after a mask that comes too late."""
        left = shares * mask.exp()
        return left / left.sum(-1, keepdim=True) if self.shared else left

    def shares_over(self, n_sources: int) -> str | None:
        """Return the axis; None if a late mask takes shares away."""
        return self.axis if n_sources == 1 or self.shared else None

    def sums_to_1(self, n_sources: int) -> bool:
        """Whether rows sum to 1: without sink, other axis or late mask."""
        return self.sink is None and self.shares_over(n_sources) == ROWS

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        """Return exp over the sum of exps, then the mask; shifts cancel."""
        (score, mask), (rows, columns) = sources(2), shapes[0]
        n, each, own = {
            ROWS: (columns, (I, K), J),
            COLUMNS: (rows, (K, J), I),
            WHOLE: (rows * columns, (0, K), I * columns + J),
        }[self.axis]
        sink = None if self.sink is None else number(self.sink)
        top = largest(n, score[each], sink)
        shift = top.level

        def power(of: Node) -> Node:
            return (of - shift).as_number.exp

        def apart(of: Node) -> Node:  # an exponent's error is relative to it: it grows with the distance ...
            return (of - top).away

        def weighed(of: Node) -> Node:  # ... while the exponential shrinks
            return power(of) * apart(of)

        powers = add_up(n, power(score[each]), own, None if sink is None else power(sink))
        spread = add_up(n, weighed(score[each]), None, None if sink is None else weighed(sink)) / powers
        share, roundings = power(score[I, J]) / powers, apart(score[I, J]) + spread + number(n + 8.0)
        symbols, words, told = self._told(n)
        if len(shapes) == 1:
            return (Piece(share, symbols, words, roundings=roundings, **told),)
        factor, kind, more = mask[I, J].exp, "times", dict[str, Any]()
        value = share.as_number * factor.as_number
        size, roundings = (share + number(TINY)) * factor, roundings + number(6.0)
        if self.shared:
            kept = (power(score[each]) / powers).lasting * mask[each].exp
            left = add_up(n, kept)
            value, kind, more = (
                share.lasting.as_number * factor.as_number / left.as_number,
                "shared",
                {"left": left.written},
            )
            size = value / left.within(_LEAST, MOST)
            roundings = apart(score[I, J]) + add_up(n, kept * apart(score[each])) / left
            roundings = roundings + spread + spread + number(2.0 * n + 22)
        symbols = (*symbols, " × exp(", mask.name(), ")" + " / r" * self.shared)
        words = [sentence(f"explanation.softmax.{kind}", words=said, mask=mask.name(), **more) for said in words]
        return (Piece(value.at_once, symbols, words, roundings=roundings, size=size, share=share, **told),)

    def _told(self, n: int) -> tuple[Text, list[Sentence], dict[str, Any]]:
        """Return a share's symbols, its sentences, and fields for its notes."""
        (score,), sink = sources(1), "" if self.sink is None else significant(self.sink)
        kind, line = "_sink" if sink else "", sentence(f"explanation.softmax.line.{self.axis}")
        words = sentence(f"explanation.softmax.share{kind}", line=line, n=n, score=score.beside(), sink=sink)
        if self.axis == ROWS:
            of_line: Text = ("softmax(", score.beside(I, ":"), LOWERED)
            total: Text = ("Σ_j exp(", score.beside(I, "j"), LOWERED, ")")
            if sink:
                of_line, total = (*of_line, f", {sink}", LOWERED), ("(", *total, f" + exp({sink}", LOWERED, "))")
            own = ("exp(", score.beside(), LOWERED, ") / ", *total)
            symbols: Text = (score.spelled((*of_line, ")[", J.place, "]"), own),)  # no quotient within a quotient
        else:
            column, at = (J, ()) if self.axis == COLUMNS else (":", (", ", J.place))
            symbols = ("softmax(", score.beside(":", column), LOWERED, ")[", I.place, *at, "]")
        undefined = sentence(f"explanation.trouble.undefined_{'row' if self.axis == ROWS else 'line'}", line=line)
        return (
            symbols,
            [words, sentence("explanation.softmax.unshown")],
            {"trouble": "softmax", "line": line, "undefined": undefined, "sink": self.sink},
        )

    def formula(self, *symbols: str) -> str:
        if self.sink is not None:
            return say("stages.formula.softmax_sink", sink=significant(self.sink))
        if len(symbols) == 1:
            return say("stages.formula.softmax" if self.axis == ROWS else f"stages.formula.softmax_{self.axis}")
        return say(f"stages.formula.softmax_{'shared' if self.shared else 'masked'}", mask=symbols[1])


def _over_whole(scores: Tensor) -> Tensor:
    return torch.softmax(scores.flatten(-2), dim=-1).view(scores.shape)
