"""Rules that compute each cell on its own: sums, curves, factors."""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, where
from torch.nn.functional import gelu

from attnviz.core.rules.base import Rule, Size, agree, expect
from attnviz.core.rules.expression import RESULT, TINY, I, Index, J, Piece, number, sentence, sources
from attnviz.core.rules.reading import Shape
from attnviz.words.numbers import significant


@dataclass(frozen=True)
class Add(Rule):
    """The sum of two matrices, cell by cell."""

    name = "add"
    in_formulas = "{0} + {1}"
    in_code = "{0} + {1}"
    n_sources = (2,)

    def compute(self, *sources: Tensor) -> Tensor:
        return sources[0] + sources[1]

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        a, b = sources(2)
        both = {"first": a.name(), "second": b.name()}
        words = (
            sentence("explanation.add.of_token", token=RESULT.token(), **both),
            sentence("explanation.add.words", **both),
        )
        return (Piece(a[I, J] + b[I, J], (a.name(), " + ", b.name()), words, roundings=2, trouble="sum"),)


@dataclass(frozen=True)
class Difference(Rule):
    """One matrix minus `factor` times another, cell by cell.

    Differential attention makes its weights this way; they may be negative, and their rows don't sum to 1.

    Source: Ye et al. 2024, Differential Transformer, section 2.1.
    """

    factor: float = 1.0

    name = "difference"
    in_formulas = "{0} − {factor_text} · {1}"
    in_code = "{0} - {factor!r} * {1}"
    n_sources = (2,)
    is_signed = True

    @property
    def settings(self) -> dict[str, object]:
        return super().settings | {"factor_text": significant(self.factor)}

    def compute(self, *sources: Tensor) -> Tensor:
        return sources[0] - self.factor * sources[1]

    def sums_to_1(self, n_sources: int) -> bool:
        return False

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        a, b = sources(2)
        by = significant(self.factor)
        words = sentence("explanation.difference.words", first=a.name(), second=b.name(), factor=by)
        value = a[I, J] - number(self.factor, by) * b[I, J]
        return (Piece(value, (a.name(), f" − {by} × ", b.name()), (words,), roundings=4, trouble="sum"),)


@dataclass(frozen=True)
class TimesRoot(Rule):
    """Each number times √d, where its matrix has d columns.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.4.
    """

    name = "times_root"
    in_formulas = "√d_in · {0}"
    in_code = "{0} * {0}.shape[-1] ** 0.5"

    def compute(self, *sources: Tensor) -> Tensor:
        return sources[0] * math.sqrt(sources[0].shape[-1])

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        (x,), d = sources(1), shapes[0][1]
        words = sentence("explanation.times_root.words", number=x.named(), n=d)
        value = number(d, str(d)).root * x[I, J]
        return (Piece(value, (f"√{d} × ", x.name()), (words,), roundings=3, trouble="read"),)


@dataclass(frozen=True)
class Times(Rule):
    """The product of two matrices, cell by cell.

    With `repeated` "column", the second one is a column, and each of its numbers multiplies a whole row; with "row",
    it's a row, which multiplies each row.

    >>> Times("column").compute(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[10.0], [0.0]]))
    tensor([[10., 20.],
            [ 0.,  0.]])
    """

    repeated: str = ""

    name = "times"
    in_formulas = "{0} ⊙ {1}"
    in_code = "{0} * {1}"
    n_sources = (2,)

    def compute(self, *sources: Tensor) -> Tensor:
        return sources[0] * sources[1]

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """Return the first factor's shape.

        Raises ``ValueError`` for a second factor that is neither of this shape nor the column or row that repeats.
        """
        (rows, columns), second = shapes
        fits: tuple[Any, Any] = (1 if self.repeated == "row" else rows, 1 if self.repeated == "column" else columns)
        expect(agree(second, fits), "the second factor", second, f"{fits}")
        return rows, columns

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        a, b = sources(2)
        at = (Index() if self.repeated == "row" else I, Index() if self.repeated == "column" else J)
        words = sentence("explanation.times.words", first=a.named(), second=b.name(*at))
        symbols = (a.name(), " × ", b.name(*at))
        return (Piece(a[I, J] * b[at], symbols, (words,), roundings=2, trouble="sum"),)


@dataclass(frozen=True)
class Sigmoid(Rule):
    """The logistic function 1 / (1 + exp(−z)), between 0 and 1.

    >>> Sigmoid().compute(torch.tensor([[0.0, 100.0]]))
    tensor([[0.5000, 1.0000]])
    """

    name = "sigmoid"
    in_formulas = "σ({0})"
    in_code = "torch.sigmoid({0})"

    def compute(self, *sources: Tensor) -> Tensor:
        return torch.sigmoid(sources[0])

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        (x,), one = sources(1), number(1.0, "1")
        words = sentence("explanation.sigmoid.words", number=x.named())
        value = one / (one + x[I, J].negative.as_number.exp)
        symbols = ("1 / (1 + exp(−", x.name(), "))")
        return (Piece(value, symbols, (words,), roundings=6, size=value + number(TINY), trouble="copied"),)


@dataclass(frozen=True)
class ReLU(Rule):
    """The larger of a number and 0."""

    name = "relu"
    in_formulas = "max(0, {0})"
    in_code = "torch.relu({0})"

    def compute(self, *sources: Tensor) -> Tensor:
        return torch.relu(sources[0])

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        (x,) = sources(1)
        words = sentence("explanation.relu.words", number=x.named())
        return (Piece(x[I, J].positive, ("max(0, ", x.name(), ")"), (words,)),)


ALL_BELOW = 9  # Φ of any larger number rounds to 1, in float64, too
_IN_GELU = 4  # roundings relative to the number, not the result: far below 0, torch's 1 + erf loses most digits


@dataclass(frozen=True)
class GELU(Rule):
    """z · Φ(z), where Φ is the standard normal's distribution function.

    Source: Hendrycks and Gimpel 2016, Gaussian Error Linear Units, section 2.
    """

    name = "gelu"
    in_formulas = "{0} · Φ({0})"
    in_code = "torch.nn.functional.gelu({0})"

    def compute(self, *sources: Tensor) -> Tensor:
        """Return the GELU; torch's own is infinite if twice the number overflows."""
        return where(sources[0] > ALL_BELOW, sources[0], gelu(sources[0]))

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        (x,) = sources(1)
        words = sentence("explanation.gelu.words", number=x.named())
        symbols = (x.name(), " · Φ(", x.name(), ")")
        return (Piece(x[I, J] * x[I, J].normal, symbols, (words,), (), _IN_GELU, x[I, J], "sum"),)


@dataclass(frozen=True)
class FeatureMap(Rule):
    """z + 1 where z is above 0, else exp(z).

    Source: Katharopoulos et al. 2020, Transformers are RNNs, section 3.2.2, equation 7.
    """

    name = "feature_map"
    in_formulas = "elu({0}) + 1"
    in_code = "torch.where({0} > 0, {0} + 1, {0}.clamp(max=0).exp())"

    def compute(self, *sources: Tensor) -> Tensor:
        """Return elu(x) + 1, precise even far below 0, where torch's isn't."""
        number = sources[0]
        return torch.where(number > 0, number + 1, number.clamp(max=0).exp())

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        (x,) = sources(1)
        above, below = (sentence(f"explanation.feature_map.{each}", number=x.named()) for each in ("above", "below"))
        more: dict[str, Any] = {"roundings": 4, "trouble": "read"}
        return (
            Piece(x[I, J] + number(1.0, "1"), (x.name(), " + 1"), (above,), (x[I, J],), **more),
            Piece(x[I, J].exp, ("exp(", x.name(), ")"), (below,), **more),
        )


@dataclass(frozen=True)
class Cap(Rule):
    """Soft cap, limit · tanh(z / limit): keeps numbers within the limit.

    Source: Gemma Team 2024, Gemma 2, section 2 (logit soft-capping); Bello et al. 2016, section 5.3.
    """

    limit: float = 1.0

    name = "cap"
    in_formulas = "{limit_text} · tanh({0} / {limit_text})"
    in_code = "torch.tanh({0} / {limit!r}) * {limit!r}"

    @property
    def settings(self) -> dict[str, object]:
        return super().settings | {"limit_text": significant(self.limit)}

    def compute(self, *sources: Tensor) -> Tensor:
        return torch.tanh(sources[0] / self.limit) * self.limit

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        (x,), limit = sources(1), number(self.limit)
        words = sentence("explanation.cap.words", number=x.named(), limit=significant(self.limit))
        symbols = (f"{significant(self.limit)} · tanh(", x.name(), f" / {significant(self.limit)})")
        # Roundings of the quotient, of tanh, which machines compute with less precise last digits, and of the product.
        return (Piece(limit * (x[I, J] / limit).tanh.at_once, symbols, (words,), roundings=6),)
