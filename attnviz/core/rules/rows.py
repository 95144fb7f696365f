"""Rules over whole rows, columns or matrices: shares and norms."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Rule, Size, agree, expect
from attnviz.core.rules.expression import (
    EPS,
    MOST,
    TINY,
    I,
    Index,
    J,
    K,
    Node,
    Piece,
    Text,
    add_up,
    largest,
    number,
    sentence,
    sources,
    text,
)
from attnviz.core.rules.reading import Shape
from attnviz.words import say
from attnviz.words.numbers import significant

ROWS, COLUMNS, WHOLE = AXES = ("rows", "columns", "whole")


def sharing(axis: str, hidden: np.ndarray) -> np.ndarray:
    """Return how many cells share each cell's line; 0 for hidden ones.

    `axis` is one of AXES; `hidden` and the result are ``(rows, columns)``.

    >>> sharing(COLUMNS, np.array([[False, True], [False, False]]))
    array([[2, 0],
           [2, 1]])
    """
    over = {ROWS: 1, COLUMNS: 0, WHOLE: None}[axis]
    return np.where(hidden, 0, (~hidden).sum(over, keepdims=True))


@dataclass(frozen=True)
class Share(Rule):
    """Each number divided by its row's sum; a mask's exponential multiplies first.

    Source: Katharopoulos et al. 2020, Transformers are RNNs, sections 3.2 and 3.3.
    """

    name = "share"
    n_sources = (1, 2)
    masked_by = 1
    makes_shares = True
    is_linear = True

    def compute(self, *sources: Tensor) -> Tensor:
        kept = sources[0] if len(sources) == 1 else sources[0] * sources[1].exp()
        return kept / kept.sum(-1, keepdim=True)

    def shares_over(self, n_sources: int) -> str:
        return ROWS

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        (score, mask), n = sources(2), shapes[0][1]

        def left(column: Index) -> Node:
            return (score[I, column] * mask[I, column].exp if len(shapes) == 2 else score[I, column]).as_number

        def name(column: Any) -> Text:
            return (score.beside(I, column), *((" × exp(", mask.name(I, column), ")") if len(shapes) == 2 else ()))

        def apart(column: Any) -> Text:  # so that no quotient stands within another one
            within_it = ("(", *name(column), ")")
            return within_it if len(shapes) == 2 else (score.spelled(within_it, name(column)),)

        words = sentence("explanation.share.words", score=text(*name(J)), n=n)
        symbols = (*(apart if len(shapes) == 1 else name)(J), " / Σ_j ", *apart("j"))
        share, terms = left(J) / add_up(n, left(K), J), add_up(n, left(K).magnitude).rounded
        # The sum's rounding error grows with the sizes of its terms. If it may be as large as the sum, it has no bound.
        least = (add_up(n, left(K)).magnitude - number(n + 8.0) * EPS * terms).positive
        return (Piece(share, symbols, (words,), (), n + 8, share.magnitude * (terms / least), "share"),)

    def formula(self, *symbols: str) -> str:
        if len(symbols) == 1:
            return say("stages.formula.share")
        return say("stages.formula.share_masked", mask=symbols[1])


EPSILON = 1e-5  # the default of PyTorch
RMS_EPSILON = 1e-6  # the value of most models


@dataclass(frozen=True)
class LayerNorm(Rule):
    """Layer normalization with gain and offset; `epsilon` is added to the variance.

    Source: Ba, Kiros and Hinton 2016, Layer Normalization, section 3. The variance of n numbers is divided by n, not
    by n − 1.

    >>> rule = LayerNorm(epsilon=0.0)
    >>> rule.compute(torch.tensor([[1.0, 3.0]]), torch.ones(2), torch.zeros(2))
    tensor([[-1.,  1.]])
    """

    epsilon: float = EPSILON

    name = "layer_norm"
    in_code = "torch.nn.functional.layer_norm({0}, {0}.shape[-1:], eps={epsilon:g}) * {1} + {2}"
    beside = (1, 2)
    n_sources = (3,)

    def compute(self, *sources: Tensor) -> Tensor:
        source, gain, offset = sources
        row = torch.nn.functional.layer_norm(source, source.shape[-1:], eps=self.epsilon)
        return row * gain + offset

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """Return the source's shape.

        Raises ``ValueError`` for a gain or an offset that isn't a row as wide as the source.
        """
        for each, what in zip(shapes[1:], ("the gain", "the offset"), strict=True):
            expect(agree(each, (1, shapes[0][1])), what, each, f"{(1, shapes[0][1])}")
        return shapes[0]

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        x, gain, offset = sources(3)
        n = shapes[0][1]
        mean = add_up(n, x[I, K]) / number(n)
        square = (x[I, K] - mean) * (x[I, K] - mean)
        deviation = (add_up(n, square) / number(n) + number(self.epsilon)).root
        normed = (x[I, J] - mean) / deviation
        own, by, plus = x.name(), gain.name(0, J), offset.name(0, J)
        words = sentence(
            "explanation.layer_norm.words", source=own, normed=normed.written, mean=mean.written,
            deviation=deviation.written, gain=by, offset=plus,
        )  # fmt: skip
        symbols = ("(", own, " − m) / s · ", by, " + ", plus)
        value = normed.as_number * gain[0, J] + offset[0, J]
        size = (normed * gain[0, J]).magnitude + offset[0, J].magnitude + self._moved(n, normed, deviation, gain[0, J])
        return (Piece(value, symbols, (words,), roundings=n + 10, size=size, trouble="row"),)

    def _moved(self, n: int, normed: Node, deviation: Node, gain: Node) -> Node:
        """Return how far roundings of the mean move everything after it."""
        (x,), share = sources(1), number((n + 6) / (n + 10))
        mean = add_up(n, x[I, K].magnitude) / number(n)

        def around(column: Index) -> Node:
            return x[I, column].magnitude + mean + number(TINY)

        of_deviation = (add_up(n, around(K) * around(K)) / number(n)).root
        least = largest(1, deviation - number(n + 6.0) * EPS * of_deviation, number(math.sqrt(self.epsilon)))
        moved = share * (around(J) + normed.magnitude * of_deviation) / least
        return (gain * moved).magnitude / add_up(n, x[I, K] * x[I, K]).within(-1.0, MOST)

    def formula(self, *symbols: str) -> str:
        return say("stages.formula.layer_norm", source=symbols[0])


@dataclass(frozen=True)
class RmsNorm(Rule):
    """Rows divided by their root mean square, then stretched by a gain.

    `epsilon` is added to the mean of the squares. If a row is part of a wider row, `others` is how many further numbers
    that one has, and the third source is a column with their root mean square.

    Source: Zhang and Sennrich 2019, Root Mean Square Layer Normalization, section 4, equation 4; of queries and keys,
    Henry et al. 2020, Query-Key Normalization for Transformers, section 3.

    >>> rule = RmsNorm(epsilon=0.0)
    >>> rule.compute(torch.tensor([[1.0, 7.0]]), torch.ones(2))
    tensor([[0.2000, 1.4000]])
    >>> RmsNorm(epsilon=0.0, others=2).compute(torch.tensor([[1.0, 7.0]]), torch.ones(2), torch.tensor([[7.0]]))
    tensor([[0.1644, 1.1508]])
    """

    epsilon: float = RMS_EPSILON
    others: int = 0

    name = "rms_norm"
    beside = (1, None)
    n_sources = (2, 3)

    def compute(self, *sources: Tensor) -> Tensor:
        """Return the normed rows; gradients flow through them."""
        source, gain, *rest = sources
        mean = source.square().mean(-1, keepdim=True)
        for each in rest:
            n = source.shape[-1]
            mean = (n * mean + self.others * each.square()) / (n + self.others)
        return source * (mean + self.epsilon).rsqrt() * gain

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """Return the source's shape.

        Raises ``ValueError`` for a gain that isn't a row as wide as the source, or a third source that isn't a column.
        """
        expected = ((1, shapes[0][1]), (shapes[0][0], 1))
        for each, what, fits in zip(shapes[1:], ("the gain", "the rest"), expected, strict=False):
            expect(agree(each, fits), what, each, f"{fits}")
        return shapes[0]

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        """Return a quotient by a root of squares, times the gain."""
        (x, gain, rest), n = sources(3), shapes[0][1]
        squares, key = add_up(n, x[I, K] * x[I, K]), "words"
        places: dict[str, Any] = {"epsilon": significant(self.epsilon)}
        if len(shapes) == 3:
            squares = squares + number(float(self.others)) * (rest[I, 0] * rest[I, 0])
            key, places = "of_part", places | {"rest": rest.name(I, 0), "others": self.others}
        root = (squares / number(float(n + self.others)) + number(self.epsilon)).root
        own, by, normed = x.name(), gain.name(0, J), x[I, J] / root
        words = sentence(
            f"explanation.rms_norm.{key}", source=own, root=root.written, normed=normed.written, gain=by, **places
        )
        value = normed.as_number * gain[0, J]
        size = value.magnitude / squares.within(-1.0, MOST)
        return (Piece(value, (own, " / s · ", by), (words,), roundings=n + 10, size=size, trouble="row"),)

    def formula(self, *symbols: str) -> str:
        return say("stages.formula.rms_norm", source=symbols[0])
