"""What a question's example shows: tables, points and sentences."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from attnviz.core.attention import AttentionTrace, attend, execute
from attnviz.core.scenario import Scenario
from attnviz.core.stages import STAGES
from attnviz.core.tokens import token_labels
from attnviz.features.sweeps.typical_rows import TypicalRow
from attnviz.figures.small_tables import Points, Table
from attnviz.words import say
from attnviz.words.numbers import written

EXACT = 1e-13  # largest difference of two float64 computations, relative to the size of their inputs
TELLS = 1e-4  # largest tolerance within which a difference counts as 0
COMPUTED = ("q", "k", "v", "scores", "attention_weights", "context")


@dataclass(frozen=True)
class ByWidth:
    """Typical attention weights for each d, with scores divided by d^p."""

    dims: tuple[int, ...]
    rows: Mapping[float, tuple[TypicalRow, ...]]


@dataclass(frozen=True)
class QuestionView:
    """Sentences with the current numbers, and pictures beside the board."""

    sentences: tuple[str, ...]
    tables: tuple[Table, ...] = ()
    points: Points | None = None
    by_width: ByWidth | None = None


def in_float64(trace: AttentionTrace) -> AttentionTrace:
    """Return a trace computed again from its inputs, in float64."""
    if not trace.mask_use.usual:
        given = {name: trace[name].double() for name, stage in trace.stages.items() if stage.rule is None}
        return execute(trace.stages, given, trace.tokens)
    x, w_q, w_k, w_v = (getattr(trace, name).double() for name in ("x", "w_q", "w_k", "w_v"))
    b_q, b_k, b_v = (None if b is None else b.double() for b in (trace.b_q, trace.b_k, trace.b_v))
    return attend(
        x, w_q, w_k, w_v, b_q, b_k, b_v,
        mask=None if trace.mask is None else trace.mask.double(), scale=trace.scale, temperature=trace.temperature,
        tokens=trace.tokens,
    )  # fmt: skip


def sizes_of(trace: AttentionTrace) -> dict[str, float]:
    """Return, for each computed matrix, how large its inputs are."""

    def largest(name: str) -> float:
        matrix = getattr(trace, name)
        return 0.0 if matrix is None else float(matrix.abs().max())

    d_in, d_k = trace.w_q.shape
    q, k, v = (d_in * largest("x") * largest(f"w_{letter}") + largest(f"b_{letter}") for letter in "qkv")
    scores = d_k * q * k
    weights = max(1.0, scores / trace.divisor)
    return {"q": q, "k": k, "v": v, "scores": scores, "attention_weights": weights, "context": weights * v}


def real_difference(a: Tensor, b: Tensor, size: float) -> Tensor:
    """Return a − b, with 0 where float64's rounding may explain it."""
    difference, tolerance = a - b, EXACT * max(1.0, size)
    return difference if tolerance > TELLS else difference.where(difference.abs() > tolerance, 0.0)


@dataclass(frozen=True)
class Now:
    """The example's traces now and at the start, its choices and decimals.

    `drawn` is the current example's trace as the page draws it; `query` is the position of the followed token.
    """

    scenario: Scenario
    begun_with: Scenario
    trace: AttentionTrace
    start: AttentionTrace
    drawn: AttentionTrace
    options: Mapping[str, str]
    digits: int
    query: int
    is_start: bool = False  # nothing has been changed or chosen yet

    @property
    def names(self) -> tuple[str, ...]:
        """The tokens' names in sentences, no two of them the same."""
        return token_labels(self.trace.tokens, 40)

    @property
    def marked_names(self) -> tuple[str, ...]:
        """The tokens' names beside a table; the followed one is marked."""
        return tuple(f"▸ {name}" if at == self.query else name for at, name in enumerate(self.names))

    @cached_property
    def exact(self) -> AttentionTrace:
        """The current example in float64."""
        return in_float64(self.trace)

    @cached_property
    def exact_start(self) -> AttentionTrace:
        """The example at the start, in float64."""
        return in_float64(self.start)

    @cached_property
    def sizes(self) -> dict[str, float]:
        """How large the inputs of each current matrix are."""
        return sizes_of(self.exact)

    @property
    def is_finite(self) -> bool:
        """Whether float32 holds every current number."""
        return all(bool(torch.isfinite(getattr(self.trace, name)).all()) for name in COMPUTED)

    def write(self, value: float | Tensor) -> str:
        """Write a number with the decimals that the reader wants to see."""
        return written(float(value), self.digits)

    def row(self, values: Tensor) -> str:
        """Write numbers in a row: "(0.5, −1.0)"."""
        return f"({', '.join(self.write(value) for value in values)})"

    def for_each(self, values: Iterable[float | Tensor]) -> str:
        """Write one number for each token: "0.5 for “the”, −1.0 for “cat”"."""
        named = zip(self.names, values, strict=True)
        return ", ".join(say("seen.for", token=name, number=self.write(value)) for name, value in named)

    def looks_same(self, a: Tensor, b: Tensor) -> bool:
        """Whether two matrices are equal in all displayed digits."""
        pairs = zip(a.flatten().tolist(), b.flatten().tolist(), strict=True)
        return all(self.write(one) == self.write(other) for one, other in pairs)

    def gap(self, a: Tensor, b: Tensor) -> Tensor:
        """Return the largest difference of two matrices, in float64."""
        return (a.double() - b.double()).abs().max()

    def moved_by(self, name: str) -> Tensor:
        """Return a matrix's change since the start, less float64's rounding errors."""
        size = max(self.sizes.get(name, 0.0), sizes_of(self.exact_start).get(name, 0.0))
        return real_difference(getattr(self.exact, name), getattr(self.exact_start, name), size)

    def has_changed(self, name: str) -> bool:
        """Whether a matrix has changed since the start by more than rounding."""
        same_shape = getattr(self.trace, name).shape == getattr(self.start, name).shape
        return not same_shape or bool(self.moved_by(name).any())

    def says_changes(self, *names: str) -> list[str]:
        """Say how far matrices have moved since the start, if at all."""
        if self.scenario == self.begun_with:
            return []
        return [self._says_change_of(name) for name in names]

    def _says_change_of(self, name: str) -> str:
        now, start = getattr(self.trace, name), getattr(self.start, name)
        title = STAGES[name].title
        if now.shape != start.shape:
            (rows, columns), (old_rows, old_columns) = now.shape, start.shape
            return say("seen.shape", matrix=title, now=f"{rows} × {columns}", start=f"{old_rows} × {old_columns}")
        gap = self.gap(now, start)
        if gap and self.has_changed(name):
            return say("seen.changed", matrix=title, gap=self.write(gap))
        if self.looks_same(now, start):
            return say("seen.same", matrix=title)
        return say("seen.rounded", matrix=title, gap=self.write(gap))
