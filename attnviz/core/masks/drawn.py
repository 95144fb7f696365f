"""Masks that a set-up draws: a number for each query and key, which is added to their score; -∞ hides the key."""

import math

import torch
from torch import Tensor

from attnviz.core.errors import RefusedError
from attnviz.core.limits import MAX_TOKENS, check_whole, in_short
from attnviz.core.seeding import FLOAT32_ON_CPU

PADDING, PAINTED, NOT_SELF = "padding", "painted", "not-self"
MASKINGS = ("none", "window", PADDING, NOT_SELF, PAINTED)  # besides the causal mask, which has its own switch
SIZED = ("window", PADDING)  # those that count tokens


def drawn_mask(kind: str, size: int, n_tokens: int, n_read: int | None = None, n_kept: int = 0) -> Tensor:
    """Return a mask ``(n_tokens, n_read)``: query, key. The keys are those of as many tokens, if nothing else is said;
    those of others know of no places in common with queries, and padding hides the last of them. So many kept tokens
    stand before the first of those that read.

    "causal" lets a token read itself and those before it, "window" only `size` of these, itself among them, "padding"
    hides the last `size` tokens from all, "not-self" hides each from itself, and "painted" hides nothing yet.

    Source: for the window, Jiang et al. 2023, Mistral 7B, section 2, and Beltagy et al. 2020, Longformer, section 3.1.

    >>> drawn_mask("window", 2, 3)
    tensor([[0., -inf, -inf],
            [0., 0., -inf],
            [-inf, 0., 0.]])
    >>> drawn_mask("causal", 0, 2, 3, 1)
    tensor([[0., 0., -inf],
            [0., 0., 0.]])
    """
    shape = (n_tokens, n_read or n_tokens)
    hidden = torch.full(shape, -math.inf, **FLOAT32_ON_CPU)
    if kind == "causal":
        return hidden.triu(n_kept + 1)
    if kind == "window":
        return hidden.triu(n_kept + 1) + hidden.tril(n_kept - size)
    mask = torch.zeros(shape, **FLOAT32_ON_CPU)
    if kind == PADDING:
        mask[:, -size:] = -math.inf
    elif kind == NOT_SELF:
        mask.diagonal(n_kept).fill_(-math.inf)
    return mask


def mask_named(given: str) -> tuple[str, int | None]:
    """Return the kind of a mask, and how many tokens it counts, where it does, of a text such as "window:3".

    Raises ``ValueError`` for any other text.

    >>> mask_named("window:3"), mask_named("causal")
    (('window', 3), ('causal', None))
    """
    kind, colon, size = given.partition(":")
    if kind in SIZED and size.isascii() and size.isdigit() and len(size) < 9:
        return kind, check_whole("mask_size", int(size), 1, MAX_TOKENS)
    if colon or kind in SIZED or kind not in (*MASKINGS, "causal"):
        raise RefusedError(
            f"mask is {in_short(given)}, expected none, causal, window:W, padding:K, not-self, painted, or numbers",
            "mask", value=given,
        )  # fmt: skip
    return kind, None
