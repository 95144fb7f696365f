"""The product of two matrices, plus a bias if there is one."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from torch import Tensor, matmul
from torch.nn.functional import linear

from attnviz.core.rules.base import Rule, Size, agree, expect
from attnviz.core.rules.derived import more_notes
from attnviz.core.rules.explaining.cell import Cell, in_rows
from attnviz.core.rules.expression import I, J, K, Piece, Text, add_up, number, sentence, sources
from attnviz.core.rules.reading import Shape
from attnviz.core.rules.stage import Stage
from attnviz.words import say

SMALL, LARGE = 1e-18, 1e18  # lengths between these can be squared in float32


@dataclass(frozen=True)
class Product(Rule):
    """The matrix product of two sources, the second perhaps `transposed`.

    A third source is a bias, which is added to each row. Attention doesn't use the other settings: with `cosine`, each
    product of two rows is divided by their lengths, so that only their directions count; and `typed` has cells ``(row,
    column, number)`` whose number a reader typed in place of the computed one.

    >>> import torch
    >>> Product(transposed=True, cosine=True).compute(torch.tensor([[3.0, 0.0]]), torch.tensor([[2.0, 2.0]]))
    tensor([[0.7071]])
    """

    transposed: bool = False
    cosine: bool = False
    typed: tuple[tuple[int, int, float], ...] = ()

    name = "product"
    is_product = True
    beside = (1, 2)
    n_sources = (2, 3)

    def compute(self, *sources: Tensor) -> Tensor:
        return self.kernel(len(sources))(*sources)

    def kernel(self, n_sources: int) -> Callable[..., Tensor]:
        product = _with_transpose if self.transposed else matmul
        return partial(self._finished, product) if n_sources == 3 or self.cosine or self.typed else product

    def _finished(self, product: Callable[[Tensor, Tensor], Tensor], *sources: Tensor) -> Tensor:
        first, second, *biases = sources
        made = product(first, second)
        if self.cosine:
            made = made / (first.norm(dim=-1)[..., :, None] * second.norm(dim=-1)[..., None, :])
        for bias in biases:
            made = made + bias
        for row, column, typed in self.typed:
            made[..., row, column] = typed
        return made

    def shape(self, *shapes: tuple[Size, Size]) -> tuple[Size, Size]:
        """Return the first source's rows by the second's columns."""
        first, second, *bias = shapes
        inner, width = second[::-1] if self.transposed else second
        line = "columns" if self.transposed else "rows"
        expect(agree(first[1], inner), "the second factor", second, f"{first[1]} {line} to fit the first {first}")
        for each in bias:
            expect(agree(each, (1, width)), "the bias", each, f"{(1, width)}")
        return first[0], width

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        (a, b, bias), n = sources(3), shapes[0][1]
        line = ":" if n > 1 else 0
        other, factor, second = (
            (b.line(J), b[J, K], (J, line)) if self.transposed else (b.column(J), b[K, J], (line, J))
        )
        value = add_up(n, a[I, K] * factor)
        symbols: Text = (a.name(I, line), " · ", b.name(*second))
        more: dict[str, Any] = {"roundings": n + 2, "trouble": "sum"}
        if self.cosine:
            lengths = [add_up(n, each * each).root for each in (a[I, K], factor)]
            value = (value.as_number / (lengths[0].as_number * lengths[1].as_number)).at_once
            size = number(1.0) / (lengths[0].within(SMALL, LARGE) * lengths[1].within(SMALL, LARGE))
            more = {"roundings": 4 * (n + 3), "size": size, "trouble": "direction"}
            one, two = symbols[::2]
            symbols = (*symbols, " / (|", one, "| × |", two, "|)")
        if len(shapes) == 3:
            value, symbols = value + bias[0, J], (*symbols, " + ", bias.name(0, J))
        kind = "explanation.product.with_bias" if len(shapes) == 3 else "explanation.product.sum"
        words = sentence(kind, n=n, first=a.line(I), a=a.symbol, second=other, b=b.symbol)
        if self.cosine:
            words = sentence("explanation.product.cosine", words=words)
        return (*self._typed_pieces, Piece(value, symbols, (words,), **more))

    @property
    def _typed_pieces(self) -> Iterator[Piece]:
        for row, column, typed in self.typed:
            where = ((I, row, row + 1), (J, column, column + 1))
            yield Piece(
                number(typed),
                (sentence("explanation.product.typed_symbols"),),
                (sentence("explanation.product.typed"),),
                where,
            )

    def formula(self, *symbols: str) -> str:
        product = f"{symbols[0]} {symbols[1]}{'ᵀ' if self.transposed else ''}"
        if self.cosine:
            product = f"cos({symbols[0]}, {symbols[1]})"
        return " + ".join((product, *symbols[2:]))


def turns_second(rule: Rule | None) -> bool:
    """Whether a rule is a product whose second source is transposed."""
    return isinstance(rule, Product) and rule.transposed


@more_notes.register
def _(rule: Product, cell: Cell) -> tuple[str, ...]:
    """Return a note on what words and positions contribute to a score."""
    if not rule.transposed or rule.cosine or not cell.sources[0].rows or not math.isfinite(cell.value):
        return ()
    parts = four_parts(cell)
    return (parts,) if parts else ()


def _with_transpose(first: Tensor, second: Tensor) -> Tensor:
    """Return ``first @ second.mT``; faster if `second` has no batch dimensions."""
    return linear(first, second) if second.dim() == 2 else first @ second.mT


Factor = tuple[str, bool, list[tuple[int, tuple[str, ...]]]]


def summed_factors(stage: Stage, table: Mapping[str, Stage], shapes: Mapping[str, Shape]) -> list[Factor] | None:
    """Return how queries and keys of scores are projected, without biases.

    Queries and keys have one entry each: the projection's name, whether the projection is transposed, and pairs (first
    row, names). From that row on, the sum E + P of the two named matrices is projected; without such a sum, the names
    are (). The result is None if the stage isn't a product of two such projections, or if either projects no sum.
    """
    if not isinstance(stage.rule, Product) or not stage.rule.transposed or stage.rule.cosine or len(stage.sources) != 2:
        return None
    factors = []
    for made in (table[name] for name in stage.sources):
        if not isinstance(made.rule, Product) or len(made.sources) != 2 or made.sources[1] not in shapes:
            return None  # also if a handout leaves a matrix out
        factors.append((made.sources[1], made.rule.transposed, list(_summands(made.sources[0], table, shapes))))
    return factors if all(any(names for _, names in sums) for *_, sums in factors) else None


def _summands(
    name: str, table: Mapping[str, Stage], shapes: Mapping[str, Shape], start: int = 0
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each block's first row and summands E and P, or ()."""
    stage = table[name]
    if stage.kind not in ("add", "concatenate") or any(source not in shapes for source in stage.sources):
        yield start, ()
    elif stage.kind == "add":
        yield start, stage.sources if {"p", "p_y"} & {*stage.sources} else ()
    else:
        for source in stage.sources:
            yield from _summands(source, table, shapes, start)
            start += shapes[source][0]


def four_parts(cell: Cell) -> str | None:
    """Return how words and positions contribute to a score; None without both.

    The sentence has four products: word and word, word and position, position and word, position and position.

    Source: Ke et al. 2021, Rethinking Positional Encoding in Language Pre-training, equation 5.
    """
    shapes = {name: (1, *matrix.shape)[-2:] for name, matrix in cell.matrices.items()}
    vectors = []
    for (w, transposed, sums), at in zip(
        summed_factors(cell.stage, cell.table, shapes) or (), (cell.row, cell.column), strict=False
    ):
        start, names = [each for each in sums if each[0] <= at][-1]
        matrix = _matrix(cell, w).T if transposed else _matrix(cell, w)
        vectors.append([(_matrix(cell, name)[at - start] @ matrix).tolist() for name in names])
    if not all(vectors) or not vectors:
        return None
    first, second = vectors
    numbers = [cell.write(sum(a * b for a, b in zip(one, other, strict=True))) for one in first for other in second]
    return say("explanation.product.parts", **dict(zip(("ww", "wp", "pw", "pp"), numbers, strict=True)))


def _matrix(cell: Cell, name: str) -> Tensor:
    return in_rows(cell.matrices[name].detach()).cpu().double()
