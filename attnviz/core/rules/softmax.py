"""Softmax: the exponentials of each row, over their sum."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import torch
from torch import Tensor

from attnviz.core.rules.base import Rule, Size, agree, expect
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
    text,
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
    n_sources: ClassVar[tuple[int, ...]] = (1, 2)
    masked_by: ClassVar[int | None] = 1
    makes_shares = True

    def compute(self, *sources: Tensor) -> Tensor:
        return self.kernel(len(sources))(*sources)

    def kernel(self, n_sources: int) -> Callable[..., Tensor]:
        if self.sink is not None:
            return self._beside_sink
        softmax = _over_whole if self.axis == WHOLE else partial(torch.softmax, dim=-1 if self.axis == ROWS else -2)
        return softmax if n_sources == 1 else partial(self._finished, softmax)

    def _beside_sink(self, scores: Tensor) -> Tensor:
        return _without_sink(scores, torch.full_like(scores[..., :1], -math.inf if self.sink is None else self.sink))

    @property
    def has_sink(self) -> bool:
        """Whether a sink takes the rest of each row."""
        return self.sink is not None

    def _sink_in(self, shapes: Sequence[Shape]) -> Node | None:
        """Return the sink's number as a node, None without a sink."""
        return None if self.sink is None else number(self.sink)

    def _sink_in_text(self) -> Text:
        """Return the sink in symbols, empty without one."""
        return () if self.sink is None else (significant(self.sink),)

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
        return not self.has_sink and self.shares_over(n_sources) == ROWS

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        """Return exp over the sum of exps, then the mask; shifts cancel."""
        (score, mask), (rows, columns) = sources(2), shapes[0]
        n, each, own = {
            ROWS: (columns, (I, K), J),
            COLUMNS: (rows, (K, J), I),
            WHOLE: (rows * columns, (0, K), I * columns + J),
        }[self.axis]
        sink = self._sink_in(shapes)
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
        told["sink"] = sink
        if len(shapes) == 1 or self.masked_by is None:
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
        (score,), sink = sources(1), self._sink_in_text()
        kind, line = "_sink" if sink else "", sentence(f"explanation.softmax.line.{self.axis}")
        places = {"sink": text(*sink)} if sink else {}
        words = sentence(f"explanation.softmax.share{kind}", line=line, n=n, score=score.beside(), **places)
        if self.axis == ROWS:
            of_line: Text = ("softmax(", score.beside(I, ":"), LOWERED)
            total: Text = ("Σ_j exp(", score.beside(I, "j"), LOWERED, ")")
            if sink:
                of_line, total = (*of_line, ", ", *sink, LOWERED), ("(", *total, " + exp(", *sink, LOWERED, "))")
            own = ("exp(", score.beside(), LOWERED, ") / ", *total)
            symbols: Text = (score.spelled((*of_line, ")[", J.place, "]"), own),)  # no quotient within a quotient
        else:
            column, at = (J, ()) if self.axis == COLUMNS else (":", (", ", J.place))
            symbols = ("softmax(", score.beside(":", column), LOWERED, ")[", I.place, *at, "]")
        undefined = sentence(f"explanation.trouble.undefined_{'row' if self.axis == ROWS else 'line'}", line=line)
        return (
            symbols,
            [words, sentence("explanation.softmax.unshown")],
            {"trouble": "softmax", "line": line, "undefined": undefined},
        )

    def formula(self, *symbols: str) -> str:
        if self.sink is not None:
            return say("stages.formula.softmax_sink", sink=significant(self.sink))
        if len(symbols) == 1:
            return say("stages.formula.softmax" if self.axis == ROWS else f"stages.formula.softmax_{self.axis}")
        return say(f"stages.formula.softmax_{'shared' if self.shared else 'masked'}", mask=symbols[1])


@dataclass(frozen=True)
class SinkSoftmax(Softmax):
    """Softmax beside a learned sink, whose share is dropped.

    The second source ``(heads, 1)`` has a sink for each head; `head` is the row of this one.

    Source: Xiao et al. 2023, Efficient Streaming Language Models with Attention Sinks, section 3.3; OpenAI 2025,
    gpt-oss model card, section 2.

    >>> SinkSoftmax().compute(torch.tensor([[0.0, 0.0]]), torch.tensor([[0.0]]))
    tensor([[0.3333, 0.3333]])
    """

    head: int = 0

    name = "sink_softmax"
    n_sources = (2,)
    beside = (1, None)
    masked_by = None
    has_sink = True

    def kernel(self, n_sources: int) -> Callable[..., Tensor]:
        return self._beside_own

    def _beside_own(self, scores: Tensor, sinks: Tensor) -> Tensor:
        return _without_sink(scores, sinks[..., self.head : self.head + 1, :].expand_as(scores[..., :1]))

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """Return the scores' shape.

        Raises ``ValueError`` for sinks that aren't a column with a row for this head.
        """
        rows, columns = shapes[1]
        expect(agree(columns, 1), "the sinks", shapes[1], "a column")
        expect(not isinstance(rows, int) or rows > self.head, "the sinks", shapes[1], f"more than {self.head} rows")
        return shapes[0]

    def shares_over(self, n_sources: int) -> str:
        return self.axis

    def sums_to_1(self, n_sources: int) -> bool:
        return False

    def _sink_in(self, shapes: Sequence[Shape]) -> Node:
        return sources(2)[1][self.head, 0]

    def _sink_in_text(self) -> Text:
        return (sources(2)[1].name(self.head, 0),)

    def formula(self, *symbols: str) -> str:
        return say("stages.formula.softmax_sink", sink=symbols[1])


def _without_sink(scores: Tensor, sink: Tensor) -> Tensor:
    """Return shares beside a further column, which is left out."""
    return torch.softmax(torch.cat([scores, sink], dim=-1), dim=-1)[..., :-1]


def _over_whole(scores: Tensor) -> Tensor:
    return torch.softmax(scores.flatten(-2), dim=-1).view(scores.shape)
