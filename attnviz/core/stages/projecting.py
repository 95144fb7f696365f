"""The stages up to Q, K and V, and after the context."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from attnviz.core.limits import Kinds
from attnviz.core.rules import GELU, Add, Concatenate, LayerNorm, Product, ReLU, Rule, TimesRoot
from attnviz.core.rules.rows import ROWS
from attnviz.core.rules.stage import Stage, Table, lowered
from attnviz.core.stages.names import (
    BIASES,
    E_MEMORY,
    E_MEMORY_SCALED,
    E_SCALED,
    ITSELF,
    JOINED,
    KEPT,
    NOTHING,
    P_MEMORY,
    SECOND,
    Y,
    followed_by,
    row,
    table_of,
)
from attnviz.core.what_if import WhatIf


def projected(
    biases: tuple[str, ...], positions: bool, normed: bool = False, factor: bool = False, what_if: WhatIf = NOTHING,
    reads: str = ITSELF,
) -> tuple[Stage, ...]:  # fmt: skip
    """Return the stages up to Q, K and V.

    `reads` says which sentence keys and values are made from.
    """
    x = "x_norm" if normed else "x"
    read = {ITSELF: x, SECOND: Y, KEPT: JOINED}[reads]
    kept = f"{Y}_norm" if normed else Y
    made_of = {
        part: (x if part == "q" else read, f"w_{part}", *(name for name in biases if name == f"b_{part}"))
        for part in "qkv"
    }
    return (
        *(_read(reads, positions, factor) if reads != ITSELF else ()),
        *_inputs(positions, factor),
        *(layer_norm("x", "X′", 1) if normed else ()),
        *(_kept(kept, x) if reads == KEPT else ()),
        *(_learned(f"w_{part}", f"W_{part}", what_if) for part in "qkv"),
        *(_learned(name, name, what_if, is_vector=True) for name in BIASES if name in biases),
        *(
            row(part, part.upper(), rows, "feature", "vectors", Product(), made_of[part], part=part, what_if=what_if)
            for part, rows in (("q", "query"), ("k", "key"), ("v", "token"))
        ),
    )


def _learned(name: str, symbol: str, what_if: WhatIf, *, is_vector: bool = False) -> Stage:
    """Return the stage of a projection matrix or its bias."""
    stage = row(name, symbol, "feature", "feature", "projections", is_vector=is_vector, part=name[-1],
                told=name, what_if=what_if)  # fmt: skip
    return stage.with_texts(title=symbol)


def _kept(kept: str, x: str) -> tuple[Stage, ...]:
    """Return the stages that join a kept sentence's vectors with X.

    Source: Dai et al. 2019, Transformer-XL, section 3.2.
    """
    normed = row(f"{Y}_norm", "Y′", "key", "feature", "vectors", LayerNorm(), (Y, "gamma_1", "beta_1"))
    return (*[normed] * (kept != Y), row(JOINED, "X⁺", "key", "feature", "vectors", Concatenate(ROWS), (kept, x)))


def _read(reads: str, positions: bool, factor: bool) -> tuple[Stage, ...]:
    """Return Y and its sources, for a kept sentence like X's."""
    y: tuple[Any, ...] = (Y, "Y", "key", "feature", "inputs")
    if reads == SECOND or not (positions or factor):
        return (row(*y, told="y_kept" if reads == KEPT else ""),)
    e = row(E_MEMORY, "E_y", "key", "feature", "inputs")
    if not positions:
        return e, row(*y, TimesRoot(), (E_MEMORY,), told="y_kept_scaled")
    scaled = row(E_MEMORY_SCALED, "E_y′", "key", "feature", "inputs", TimesRoot(), (E_MEMORY,))
    return (
        e,
        *[scaled] * factor,
        row(P_MEMORY, "P_y", "key", "feature", "inputs"),
        row(*y, Add(), (E_MEMORY_SCALED if factor else E_MEMORY, P_MEMORY), told="y_kept"),
    )


def _inputs(positions: bool, factor: bool) -> tuple[Stage, ...]:
    """Return X and its sources: E, perhaps times √d_in, and perhaps P."""
    e = row("e", "E", "token", "feature", "inputs")
    if not positions:
        x: tuple[Any, ...] = ("x", "X", "token", "feature", "inputs")
        return (e, row(*x, TimesRoot(), ("e",), told="x_scaled")) if factor else (row(*x),)
    scaled = row(E_SCALED, "E′", "token", "feature", "inputs", TimesRoot(), ("e",))
    return (
        e,
        *[scaled] * factor,
        row("p", "P", "token", "feature", "inputs"),
        row("x", "X", "token", "feature", "inputs", Add(), (E_SCALED if factor else "e", "p")),
    )


def layer_norm(name: str, symbol: str, number: int) -> tuple[Stage, ...]:
    """Return a layer norm's gain, offset and result for this matrix."""
    gain, offset = f"gamma_{number}", f"beta_{number}"
    return (
        row(gain, f"γ{lowered(number)}", "feature", "feature", "projections", is_vector=True, told="gamma"),
        row(offset, f"β{lowered(number)}", "feature", "feature", "projections", is_vector=True, told="beta"),
        row(f"{name}_norm", symbol, "token", "feature", "vectors", LayerNorm(), (name, gain, offset)),
    )


@dataclass(frozen=True)
class Block:
    """The sums and layer norms around attention and the feed-forward step.

    - `adds`: whether the input of each is added to its output.
    - `before`, `after`: whether a layer norm stands before each of them, or after each sum.
    """

    name: str
    adds: bool = True
    before: bool = False
    after: bool = False


# "pre" is GPT-2's way, "post" that of Vaswani et al. 2017, section 5.4.
BLOCKS: Kinds[Block] = Kinds(
    "norm", (Block("none", adds=False), Block("sums"), Block("pre", before=True), Block("post", after=True))
)
ACTIVATIONS: Mapping[str, Rule] = MappingProxyType({"relu": ReLU(), "gelu": GELU()})


def projected_again(b_o: bool) -> tuple[Stage, ...]:
    """Return the output projection, with its bias or without."""
    bias = row("b_o", "b_o", "feature", "feature", "projections", is_vector=True)
    return (
        row("w_o", "W_o", "feature", "feature", "projections"),
        *[bias] * b_o,
        row("output", "O", "token", "feature", "vectors", Product(), ("context", "w_o", "b_o")[: 2 + b_o]),
    )


def gone_on(table: Table, made: str, norm: str, activation: str | None) -> Table:
    """Return a table with what follows attention: sums, norms and feed-forward."""
    goes_in, block = made, BLOCKS[norm]
    if block.adds:
        is_normed = block.after or (block.before and activation is not None)
        goes_in = "residual_1_norm" if is_normed else "residual_1"
        normed = layer_norm("residual_1", "R₁′", 2 if block.before else 1) if is_normed else ()
        table = followed_by(table, table_of(_residual(1, "x", made), *normed))
    if activation is None:
        return table
    table = followed_by(table, feed_forward_table(activation=activation, source=goes_in))
    if not block.adds:
        return table
    added = _residual(2, goes_in if block.after else "residual_1", "feed_forward")
    return followed_by(table, table_of(added, *(layer_norm("residual_2", "R₂′", 2) if block.after else ())))


def _residual(number: int, before: str, made: str) -> Stage:
    name, symbol = f"residual_{number}", f"R{lowered(number)}"
    return row(name, symbol, "token", "feature", "vectors", Add(), (before, made))


@lru_cache(maxsize=2)
def residual_table(source: str = "output") -> Table:
    """Return the sum of X and "output" or "context", without a norm."""
    return table_of(_residual(1, "x", source))


@lru_cache(maxsize=16)
def feed_forward_table(
    *, b_1: bool = True, b_2: bool = True, activation: str = "relu", source: str = "context"
) -> Table:
    """Return the feed-forward step: two layers, for each token alone.

    `source` is its input.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.3; "gelu" is Hendrycks and Gimpel 2016.
    """
    layers = [("w_1", False), *[("b_1", True)] * b_1, ("w_2", False), *[("b_2", True)] * b_2]
    curve = ACTIVATIONS[activation]
    known = {"context": ("C", "query"), "output": ("O", "token"), "residual_1": ("R₁", "token"),
             "residual_1_norm": ("R₁′", "token")}  # fmt: skip
    symbol, rows = known[source]
    return table_of(
        row(source, symbol, rows, "feature", "vectors", part="v" if source == "context" else ""),
        *(
            row(name, name.capitalize() if not vector else name, "feature", "feature", "projections",
                is_vector=vector)
            for name, vector in layers
        ),
        row("preactivations", "Z", "token", "feature", "vectors", Product(), (source, "w_1", "b_1")[: 2 + b_1],
            told=f"preactivations_{activation}"),
        row("hidden", "H", "token", "feature", "vectors", curve, ("preactivations",), told=f"hidden_{activation}"),
        row("feed_forward", "F", "token", "feature", "vectors", Product(), ("hidden", "w_2", "b_2")[: 2 + b_2]),
    )  # fmt: skip
