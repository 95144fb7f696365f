"""Whose keys and values a sentence reads: its own, those of a second sentence, which is cross-attention, or its own and
those of a sentence before it that was kept, as in Transformer-XL."""

from collections.abc import Mapping
from dataclasses import replace
from math import isqrt
from types import MappingProxyType
from typing import Any

from attnviz.core import limits
from attnviz.core.errors import RefusedError
from attnviz.core.masks import NOT_SELF, PADDING, PAINTED
from attnviz.core.seeding import ADDED_POSITIONS
from attnviz.core.stages import E_KEPT_SCALED, ITSELF, JOINED, KEPT, OF_KEPT, Stage, Table, Y
from attnviz.core.tokens import tokenize

_OF_OTHERS = (Y, "k", "v", "k_rotated", "phi_k")
_KEPT_ALONE = (*OF_KEPT, E_KEPT_SCALED, Y, f"{Y}_norm")
MASKS_OF_OTHERS = ("none", PADDING, PAINTED)  # those that know of no places that queries and keys have in common
POSITIONS_OF_QUERIES = ("none", *ADDED_POSITIONS)


def reading_others(table: Table, read: tuple[str, ...], n_kept: int = 0) -> Table:
    """Return a table whose keys and values are of other tokens, by their own names; the first of them may have been
    kept, and the others are those of the sentence itself."""
    own_from = n_kept or None
    others = (*_OF_OTHERS, *_KEPT_ALONE, JOINED)

    def named(name: str, stage: Stage) -> dict[str, Any]:
        own = name.rpartition(".")[2]
        if own in others:
            return {"rows": "key", "entries": read[:n_kept] if n_kept and own in _KEPT_ALONE else read}
        return (
            {"entries": read, "own_from": None if stage.own_from is None else own_from}
            if stage.columns == "key"
            else {}
        )

    return MappingProxyType({
        name: replace(stage, **more) if (more := named(name, stage)) else stage
        for name, stage in table.items()
    })  # fmt: skip


def second_tokens(given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the tokens of the second sentence, or of the kept one, that settings name; none where no such is read."""
    return () if given.get("reads", ITSELF) == ITSELF else tokenize(given["second"], given["tokenizer"])


def n_read(given: Mapping[str, Any], n_tokens: int) -> int | None:
    """Return how many tokens are read where these are others than those that read, or more; else None."""
    if given.get("reads", ITSELF) == ITSELF:
        return None
    return len(second_tokens(given)) + (n_tokens if given["reads"] == KEPT else 0)


def check_reading(given: Mapping[str, Any], n_tokens: int) -> None:
    """Raise ``ValueError`` where settings can't go with the reading of a second sentence, or of a kept one."""
    reads = given.get("reads", ITSELF)
    if reads == ITSELF:
        return
    kept = reads == KEPT
    if not kept:
        _check_places(given)
    n_second, beside = len(second_tokens(given)), n_tokens if kept else 0
    most = limits.MAX_TOKENS - beside
    if most < 1:
        message = f"the text has {n_tokens} tokens, expected at most {limits.MAX_TOKENS - 1} where one is kept"
        raise RefusedError(message, "reads_full", tokens=n_tokens, most=limits.MAX_TOKENS - 1)
    if not n_second:
        raise RefusedError(f"second has 0 tokens, expected 1 to {most}", "reads_blank", which=reads)
    if n_second > most:
        message = f"second has {n_second} tokens, expected 1 to {most}"
        raise RefusedError(message, "reads_tokens", which=reads, n=n_second, most=most)
    heads = given["n_heads"] * given["n_layers"]
    each = limits.MAX_SCORES // heads
    alone = kept and given["n_layers"] > 1  # then each layer reads the kept sentence alone, too
    n = heads * max(n_tokens * (n_second + beside), alone * n_second**2)
    if n > limits.MAX_SCORES:
        message = f"{heads} heads have {n} scores, expected at most {limits.MAX_SCORES}"
        most = min(each // n_tokens - beside, isqrt(each) if alone else each)
        if most < 1:  # not even one fits: how many tokens of this sentence leave room for it
            most = max(fit for fit in range(n_tokens) if fit * (fit + 1) <= each)
            raise RefusedError(message, "reads_scores_full", heads=heads, tokens=n_tokens, most=most)
        raise RefusedError(message, "reads_scores", which=reads, heads=heads, tokens=n_tokens, most=most)
    if alone and n_second == 1 and given.get("mask") is None and _masked_as(given) == NOT_SELF:
        message = f"masking is {NOT_SELF!r} and second has 1 token, expected at least 2 where layers read it alone"
        raise RefusedError(message, "reads_nothing", masking=NOT_SELF)


def _masked_as(given: Mapping[str, Any]) -> str:
    return "causal" if given["causal"] else given["masking"]


def _check_places(given: Mapping[str, Any]) -> None:
    """Raise ``ValueError`` for positions and masks that don't go with a second sentence, which has no places in common
    with this one."""
    reads, positions = given["reads"], given["positions"]
    if positions not in POSITIONS_OF_QUERIES:
        message = f"reads is {reads!r} and positions is {positions!r}, expected one of {POSITIONS_OF_QUERIES}"
        raise RefusedError(message, "reads_positions", positions=positions)
    masked_as = _masked_as(given)
    if masked_as not in MASKS_OF_OTHERS:
        message = f"reads is {reads!r} and the mask is {masked_as!r}, expected one of {MASKS_OF_OTHERS}"
        raise RefusedError(message, "reads_mask", masking=masked_as)
