"""Whose keys and values a sentence reads: its own, or those of a second sentence, which is cross-attention."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from attnviz.core import limits
from attnviz.core.errors import RefusedError
from attnviz.core.masks import PADDING, PAINTED
from attnviz.core.seeding import ADDED_POSITIONS
from attnviz.core.stages import ITSELF, Table, Y
from attnviz.core.tokens import tokenize

_OF_OTHERS = (Y, "k", "v", "k_rotated", "phi_k")
MASKS_OF_OTHERS = ("none", PADDING, PAINTED)  # those that know of no places that queries and keys have in common
POSITIONS_OF_QUERIES = ("none", *ADDED_POSITIONS)


def reading_others(table: Table, read: tuple[str, ...]) -> Table:
    """Return a table whose keys and values are of other tokens, by their own names."""
    return MappingProxyType({
        name: replace(stage, rows="key", entries=read) if name.rpartition(".")[2] in _OF_OTHERS
        else replace(stage, entries=read) if stage.columns == "key" else stage
        for name, stage in table.items()
    })  # fmt: skip


def tokens_read(given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the tokens of the second sentence that settings name; none where no such is read."""
    return () if given.get("reads", ITSELF) == ITSELF else tokenize(given["second"], given["tokenizer"])


def check_reading(given: Mapping[str, Any], n_tokens: int) -> None:
    """Raise ``ValueError`` where settings can't go with the reading of a second sentence."""
    reads = given.get("reads", ITSELF)
    if reads == ITSELF:
        return
    if given["n_layers"] != 1:
        message = f"reads is {reads!r} and n_layers is {given['n_layers']}, expected 1"
        raise RefusedError(message, "reads_layers", n=given["n_layers"])
    if given["positions"] not in POSITIONS_OF_QUERIES:
        message = f"reads is {reads!r} and positions is {given['positions']!r}, expected one of {POSITIONS_OF_QUERIES}"
        raise RefusedError(message, "reads_positions", positions=given["positions"])
    masked_as = "causal" if given["causal"] else given["masking"]
    if masked_as not in MASKS_OF_OTHERS:
        message = f"reads is {reads!r} and the mask is {masked_as!r}, expected one of {MASKS_OF_OTHERS}"
        raise RefusedError(message, "reads_mask", masking=masked_as)
    if given.get("what_if"):
        message = f"reads is {reads!r} and what_if is {limits.in_short(given['what_if'])}, expected none"
        raise RefusedError(message, "reads_what_if", what_if=given["what_if"])
    n_read, most = len(tokens_read(given)), limits.MAX_TOKENS
    if not n_read:
        raise RefusedError(f"second has 0 tokens, expected 1 to {most}", "reads_blank")
    if n_read > most:
        raise RefusedError(f"second has {n_read} tokens, expected 1 to {most}", "reads_tokens", n=n_read, most=most)
    if (n := given["n_heads"] * n_tokens * n_read) > limits.MAX_SCORES:
        message = f"{given['n_heads']} heads have {n} scores, expected at most {limits.MAX_SCORES}"
        most = limits.MAX_SCORES // given["n_heads"] // n_tokens
        raise RefusedError(message, "reads_scores", heads=given["n_heads"], tokens=n_tokens, most=most)
