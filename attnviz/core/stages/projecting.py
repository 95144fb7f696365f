"""The stages up to Q, K and V: the vectors that go in, and what they are multiplied by."""

from dataclasses import replace
from typing import Any

from attnviz.core.rules import Add, Concatenate, LayerNorm, Product, TimesRoot
from attnviz.core.rules.rows import ROWS
from attnviz.core.stages.names import (
    BIASES,
    E_KEPT,
    E_KEPT_SCALED,
    E_SCALED,
    ITSELF,
    JOINED,
    KEPT,
    P_KEPT,
    SECOND,
    Y,
)
from attnviz.core.stages.stage import NOTHING, Stage, lowered, row
from attnviz.core.what_if import WhatIf


def projected(
    biases: tuple[str, ...], positions: bool, normed: bool = False, factor: bool = False, what_if: WhatIf = NOTHING,
    reads: str = ITSELF,
) -> tuple[Stage, ...]:  # fmt: skip
    """Return the stages up to Q, K and V, which are made of X, or of X normed; K and V of Y where that is read, or of Y
    and X where Y was kept."""
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
        *(row(part, part.upper(), rows, "feature", "vectors", Product(), made_of[part], part=part, what_if=what_if)
          for part, rows in (("q", "query"), ("k", "key"), ("v", "token"))),
    )  # fmt: skip


def _learned(name: str, symbol: str, what_if: WhatIf, *, is_vector: bool = False) -> Stage:
    """Return a learned matrix, with what is said of the one that makes these vectors: with W_q, keys can be made."""
    stage = row(name, symbol, "feature", "feature", "projections", is_vector=is_vector, part=name[-1],
                told=name, what_if=what_if)  # fmt: skip
    return replace(stage, title=symbol)


def _kept(kept: str, x: str) -> tuple[Stage, ...]:
    """Return what is read where a sentence was kept: its vectors, normed as those of X are, and below them X.

    Source: Dai et al. 2019, Transformer-XL, section 3.2.
    """
    normed = row(f"{Y}_norm", "Y′", "key", "feature", "vectors", LayerNorm(), (Y, "gamma_1", "beta_1"))
    return (
        *[normed] * (kept != Y),
        row(JOINED, "X⁺", "key", "feature", "vectors", Concatenate(ROWS), (kept, x)),
    )


def _read(reads: str, positions: bool, factor: bool) -> tuple[Stage, ...]:
    """Return Y, and what it is made of: that of a kept sentence is made as X is."""
    y: tuple[Any, ...] = (Y, "Y", "key", "feature", "inputs")
    if reads == SECOND or not (positions or factor):
        return (row(*y, told="y_kept" if reads == KEPT else ""),)
    e = row(E_KEPT, "E_y", "key", "feature", "inputs")
    if not positions:
        return e, row(*y, TimesRoot(), (E_KEPT,), told="y_kept_scaled")
    scaled = row(E_KEPT_SCALED, "E_y′", "key", "feature", "inputs", TimesRoot(), (E_KEPT,))
    return (
        e,
        *[scaled] * factor,
        row(P_KEPT, "P_y", "key", "feature", "inputs"),
        row(*y, Add(), (E_KEPT_SCALED if factor else E_KEPT, P_KEPT), told="y_kept"),
    )


def _inputs(positions: bool, factor: bool) -> tuple[Stage, ...]:
    """Return X, and what it is made of: E, times √d_in where there is this factor, and P where positions are added."""
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
    """Return the gain and the offset of a layer norm, and what it makes of the matrix of this name."""
    gain, offset = f"gamma_{number}", f"beta_{number}"
    return (
        row(gain, f"γ{lowered(number)}", "feature", "feature", "projections", is_vector=True, told="gamma"),
        row(offset, f"β{lowered(number)}", "feature", "feature", "projections", is_vector=True, told="beta"),
        row(f"{name}_norm", symbol, "token", "feature", "vectors", LayerNorm(), (name, gain, offset)),
    )
