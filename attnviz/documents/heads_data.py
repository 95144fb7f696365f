"""What the grid of all heads is sent: a picture of each head, smaller where there are many tokens, and its numbers."""

import math
from base64 import b64encode
from typing import Any

import numpy as np

from attnviz.board.packing import bits_of
from attnviz.colours.mixing import ramp
from attnviz.colours.roles import PAPER, ROLES
from attnviz.core.tokens import token_labels
from attnviz.explanation.head_figures import ALL_SHARES, figures_in_short
from attnviz.figures.model_grid import check_alike, largest_of
from attnviz.models import ModelTrace
from attnviz.words import say

MOST_NUMBERS = 2**22  # attention weights of all heads that a page of their own holds in full: 22 MB of text
STRONGEST = 4  # of what each token reads, which stand for all where there are more
_SIDE, _WIDE = 96, 1100  # pixels of a picture, and of all beside each other: few pictures are larger


def grid_data(view: ModelTrace, *, dark: bool = False, most: int = MOST_NUMBERS) -> dict[str, Any]:
    """Return what the script of the grid draws, as plain values for JSON: of more than `most` attention weights only
    the strongest of each token.

    Raises ``ValueError`` where layers are of several kinds.
    """
    if len(view.kinds) > 1:
        raise ValueError(f"the model has attention of the kinds {', '.join(view.kinds)}, expected one: view.only(kind)")
    check_alike(view)
    first = view.layers[0]
    weights = [layer.weights.detach().cpu().float().numpy() for layer in view.layers]
    rows, columns = weights[0].shape[-2:]
    side = max(_SIDE, min(max(rows, columns), _WIDE // view.n_heads))
    limit = max(float(own.max()) for own in weights) or 1.0
    in_full = sum(own.size for own in weights) <= most
    inks = ramp(PAPER.on(dark), ROLES["a"].on(dark)).astype(np.uint8)
    names = [token_labels(tokens) if len(tokens) == n else tuple(map(str, range(n)))
             for tokens, n in ((first.tokens, rows), (first.read, columns))]  # fmt: skip
    return {
        "layers": view.n_layers, "heads": view.n_heads, "rows": rows, "columns": columns, "limit": limit,
        "side": side, "step": (step := math.ceil(max(rows, columns) / side)),
        "shades": _shades(weights, view.n_heads, step, limit, len(inks)), "ramp": inks.tobytes().hex(),
        "weights": [[bits_of(own) for own in layer] for layer in weights] if in_full else None,
        "strongest": None if in_full else [[_strongest(own) for own in layer] for layer in weights],
        "tokens": list(names[0]), "read": list(names[1]), "same": first.kind != "cross", "order": None,
        "typed": typed_in_words(view) or [""] * rows, "marks": marks_of(view) or [""] * rows,
        "told": [[_told(view, i, head) for head in range(layer.n_heads)] for i, layer in enumerate(view.layers)],
    }  # fmt: skip


def _shades(weights: list[np.ndarray], n_heads: int, step: int, limit: float, n_inks: int) -> str:
    """Return which ink each cell of each picture has, of blocks the largest, in base64."""
    size = [math.ceil(n / step) for n in weights[0].shape[-2:]]
    shades = np.zeros((len(weights), n_heads, *size), dtype=np.uint8)
    for drawn, own in zip(shades, weights, strict=True):
        drawn[: len(own)] = np.rint(largest_of(own, step) * np.float32((n_inks - 1) / limit)).clip(0, n_inks - 1)
    return b64encode(shades.tobytes()).decode()


def _strongest(weights: np.ndarray) -> dict[str, str]:
    """Return the largest weights of each row, the largest first, and which columns they're in, in base64."""
    n = min(STRONGEST, weights.shape[1])
    some = np.argpartition(-weights, n - 1, axis=1)[:, :n]
    by_size = np.argsort(-np.take_along_axis(weights, some, 1), axis=1, kind="stable")
    columns = np.take_along_axis(some, by_size, 1)
    keys = b64encode(columns.astype("<u2").tobytes()).decode()
    return {"keys": keys, "shares": bits_of(np.take_along_axis(weights, columns, 1))}


def marks_of(view: ModelTrace) -> list[str]:
    """Return how each token is marked: "special" where the model puts it there, "joined" where it goes on with the word
    of the token before; empty where that isn't known."""
    places = [(piece.at, piece.word) for piece in view.pieces]
    joined = [bool(place[1]) and place == before for place, before in zip(places, [(0, ""), *places], strict=False)]
    return ["special" if special else "joined" if goes_on else ""
            for special, goes_on in zip(view.special, joined or [False] * len(view.special), strict=True)]  # fmt: skip


def typed_in_words(view: ModelTrace) -> list[str]:
    """Say of each token what was typed of it, where it isn't written so itself, or that the model puts it there; empty
    where that isn't known."""
    told, special_ones = [], view.special or (False,) * len(view.pieces)
    for token, piece, special in zip(view.tokens, view.pieces, special_ones, strict=False):
        if special:
            told.append(say("models.pieces.special"))
        elif piece.word != piece.typed:
            told.append(say("models.pieces.of", typed=piece.typed, word=piece.word))
        else:
            same = not piece.typed or piece.typed == token.strip()
            told.append("" if same else say("models.pieces.typed", typed=piece.typed))
    return told


def _told(view: ModelTrace, layer: int, head: int) -> dict[str, str]:
    if view.layers[layer].kind == "cross":
        return {"short": "", "most": ""}
    return figures_in_short(view.measured(layer, head), head, ALL_SHARES)
