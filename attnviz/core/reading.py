"""Whose keys and values a sentence reads: its own, those of a second sentence, which is cross-attention, or its own and
those of a sentence before it that was kept, as in Transformer-XL."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from attnviz.core.stages import E_KEPT_SCALED, ITSELF, JOINED, KEPT, OF_KEPT, Stage, Table, Y
from attnviz.core.tokens import tokenize

_OF_OTHERS = (Y, "k", "v", "k_rotated", "phi_k")
_KEPT_ALONE = (*OF_KEPT, E_KEPT_SCALED, Y, f"{Y}_norm")


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
