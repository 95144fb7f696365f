"""A computation of one stage with any rule, for the tests that check the same laws for all rules."""

from collections.abc import Sequence
from string import ascii_lowercase

import torch
from torch import Tensor

from attnviz.core.rules import (
    GELU,
    Add,
    Cap,
    Concatenate,
    Difference,
    FeatureMap,
    LayerNorm,
    Lookup,
    PassOn,
    Product,
    Recut,
    Relative,
    ReLU,
    RmsNorm,
    Rotate,
    Rule,
    Scale,
    Shape,
    Share,
    Sigmoid,
    Slice,
    Softmax,
    Surprise,
    Times,
    TimesRoot,
)
from attnviz.core.stages import Stage, Texts
from attnviz.core.trace import Trace, run

# Rules with their settings, and shapes that fit them.
CASES: tuple[tuple[Rule, tuple[Shape, ...]], ...] = (
    (Product(), ((3, 2), (2, 4))),
    (Product(), ((3, 2), (2, 4), (1, 4))),
    (Product(transposed=True), ((3, 2), (5, 2))),
    (Product(transposed=True), ((3, 2), (5, 2), (1, 5))),
    (Product(), ((2, 11), (11, 2))),
    (Product(), ((2, 1), (1, 2))),
    (Product(transposed=True, cosine=True), ((3, 2), (5, 2))),
    (Product(transposed=True, cosine=True), ((3, 12), (2, 12))),
    (Product(transposed=True, typed=((1, 2, 2.5), (0, 0, -0.125))), ((3, 2), (5, 2))),
    (Scale(), ((3, 4),)),
    (Scale(d_k=2, temperature=0.5), ((4, 4), (4, 4))),
    (Scale(d_k=3), ((2, 2),)),
    (Scale(temperature=2.5), ((3, 3), (3, 3))),
    (Scale(d_k=2, factor=True), ((3, 4), (3, 4))),
    (Scale(d_k=2, factor=True), ((2, 2),)),
    (Scale(temperature=2.5, own=True), ((3, 3),)),
    (Scale(own=True), ((3, 3), (3, 3))),
    (Softmax(), ((3, 4),)),
    (Softmax(), ((2, 11),)),
    (Softmax(sink=0.5), ((3, 4),)),
    (Softmax(sink=12.5), ((2, 3),)),
    (Softmax(sink=-3.0), ((2, 11),)),
    (Softmax(), ((3, 4), (3, 4))),
    (Softmax(shared=True), ((3, 4), (3, 4))),
    (Softmax(axis="columns"), ((3, 4),)),
    (Softmax(axis="whole"), ((3, 4),)),
    (Softmax(axis="columns"), ((4, 3), (4, 3))),
    (Add(), ((3, 2), (3, 2))),
    (Difference(), ((3, 4), (3, 4))),
    (Difference(0.37), ((3, 4), (3, 4))),
    (Difference(-1.5), ((2, 3), (2, 3))),
    (Times(), ((3, 2), (3, 2))),
    (Times("column"), ((3, 4), (3, 1))),
    (Times("row"), ((3, 4), (1, 4))),
    (Sigmoid(), ((3, 4),)),
    (Cap(), ((3, 2),)),
    (Cap(50.0), ((3, 4),)),
    (Cap(0.3), ((3, 4),)),
    (ReLU(), ((3, 2),)),
    (GELU(), ((3, 2),)),
    (LayerNorm(), ((3, 4), (1, 4), (1, 4))),
    (LayerNorm(epsilon=0.1), ((2, 7), (1, 7), (1, 7))),
    (RmsNorm(), ((3, 4), (1, 4))),
    (RmsNorm(epsilon=0.1), ((2, 7), (1, 7))),
    (RmsNorm(others=12), ((3, 4), (1, 4), (3, 1))),
    (PassOn(), ((3, 2),)),
    (Rotate(), ((4, 4),)),
    (Rotate(), ((3, 2),)),
    (Rotate(base=3.0), ((2, 6),)),
    (Rotate(halves=True), ((3, 6),)),
    (Rotate(thetas=(1.0, 0.3), halves=True), ((4, 6),)),
    (Rotate(thetas=(0.7,)), ((3, 4),)),
    (Rotate(place=2), ((3, 4),)),
    (Rotate(thetas=(1.0, 0.3), place=1), ((2, 4),)),
    (Slice(1, 3), ((3, 5),)),
    (Slice(0, 2), ((2, 2),)),
    (Recut(2, 1), ((3, 4),)),
    (Recut(3, 0), ((2, 3),)),
    (Lookup((4, 0, 4)), ((5, 3),)),
    (Lookup((1, 1)), ((2, 2),)),
    (Surprise((2, 0)), ((2, 3),)),
    (Surprise((1, 10)), ((2, 11),)),
    (Surprise((1, 1)), ((3, 2),)),  # the token after the last one isn't known
    (FeatureMap(), ((3, 2),)),
    (Share(), ((3, 4),)),
    (Share(), ((2, 11),)),
    (Share(), ((3, 4), (3, 4))),
    (TimesRoot(), ((2, 3),)),
    (TimesRoot(), ((3, 4),)),
    (Relative(), ((1, 5),)),
    (Relative(1), ((2, 7),)),
    (Relative(), ((2, 7), (4, 4))),
    (Relative(place=1), ((1, 5),)),
    (Relative(1, 2), ((2, 7), (2, 4))),
    (Concatenate("rows"), ((3, 2), (2, 2))),
    (Concatenate("parts"), ((3, 4), (3, 2))),
    (Concatenate("parts"), ((2, 1), (2, 3))),
    (Concatenate("rows"), ((1, 4), (3, 4), (2, 4))),
    *((Concatenate(), ((3, 2),) * n) for n in Concatenate.n_sources),
)
TOKENS = ("the", "cat", "the", "<b>", "dog")


def trace_of(rule: Rule, sources: Sequence[Tensor], tokens: tuple[str, ...] = TOKENS) -> Trace:
    """Run one rule on given matrices "a", "b", ..., whose rows are tokens; its result is "made"."""
    given = dict(zip(ascii_lowercase, sources, strict=False))
    names = {name: name.upper() for name in given} | {"made": "M"}
    table = {
        name: Stage(
            name, symbol, Texts(symbol, "", "", "", ""),
            "token" if matrix_rows(rule, name, given) else "feature", "feature", "vectors",
            rule if name == "made" else None, tuple(given) if name == "made" else (), is_row(given, name),
        )
        for name, symbol in names.items()
    }  # fmt: skip
    return Trace(table, run(table, given), tokens)


def is_row(given: dict[str, Tensor], name: str) -> bool:
    return name == "c" and given[name].shape[0] == 1


def matrix_rows(rule: Rule, name: str, given: dict[str, Tensor]) -> bool:
    """Whether a matrix's rows are tokens, unlike those of a plain product's second factor, or of a bias."""
    return not is_row(given, name) and not (name == "b" and isinstance(rule, Product) and not rule.transposed)


def drawn(shapes: Sequence[Shape], seed: int = 0, dtype: torch.dtype = torch.float64) -> list[Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype) for shape in shapes]
