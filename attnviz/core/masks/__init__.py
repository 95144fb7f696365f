"""Masks: what a set-up draws, and what is done with it."""

from attnviz.core.masks.drawn import MASKINGS, NOT_SELF, PADDING, PAINTED, SIZED, drawn_mask, mask_named
from attnviz.core.masks.uses import ADDED, FACTOR, LATE, MASK_USES, SHARED, ZEROED, dropout_mask, dropped_by

__all__ = [
    "ADDED",
    "FACTOR",
    "LATE",
    "MASKINGS",
    "MASK_USES",
    "NOT_SELF",
    "PADDING",
    "PAINTED",
    "SHARED",
    "SIZED",
    "ZEROED",
    "drawn_mask",
    "dropout_mask",
    "dropped_by",
    "mask_named",
]
