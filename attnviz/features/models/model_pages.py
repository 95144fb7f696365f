"""Models as documents: pages and notebook output, and a head's report."""

import html
import math
from base64 import b64encode
from pathlib import Path
from typing import Any

import numpy as np

from attnviz.board.data import bits_of
from attnviz.colours.palette import NEGATIVE, PAPER, ROLES, theme
from attnviz.colours.shading import ramp
from attnviz.core.arguments import typed
from attnviz.core.limits import check_whole
from attnviz.core.tokens import token_labels, visible
from attnviz.documents.page import page_of, paragraphs, script_json
from attnviz.documents.pixels import image
from attnviz.documents.report import report_page, section
from attnviz.explanation.head_figures import ALL_SHARES, figures_in_short, figures_in_words
from attnviz.export import matrix_names
from attnviz.features.language_models.inside import ModelTrace, OtherLayer
from attnviz.features.language_models.inside.hybrids import others_in_words
from attnviz.features.models.model_grid import check_alike, grid_of, grid_shades, largest_of
from attnviz.scripts import CONTROLS, joined
from attnviz.words import plural, say
from attnviz.words.numbers import DEFAULT_DIGITS, written

MOST_NUMBERS = 2**22  # a page holds up to this many attention weights in full: 22 MB of text
STRONGEST = 4  # largest weights of each token, which stand for all if the page can't hold them
_SIDE, _WIDE = 96, 1100  # pixels: a picture's side, and all side by side; few heads have larger pictures


def grid_data(view: ModelTrace, *, dark: bool = False, most: int = MOST_NUMBERS) -> dict[str, Any]:
    """Return what the heads' grid draws, as JSON values.

    If there are more than `most` attention weights, it has only the largest of each token.

    Raises ``ValueError`` for layers of several kinds.
    """
    check_alike(view)
    first = view.attending[0]
    weights = [layer.weights.detach().cpu().float().numpy() for layer in view.layers]
    rows, columns = first.weights.shape[-2:]
    side = max(_SIDE, min(max(rows, columns), _WIDE // view.n_heads))
    limit = max(float(np.max(own, where=np.isfinite(own), initial=0.0)) for own in weights if own.size) or 1.0
    in_full = sum(own.size for own in weights) <= most
    inks = ramp(PAPER.on(dark), ROLES["a"].on(dark)).astype(np.uint8)
    names = [
        token_labels(tokens) if len(tokens) == n else tuple(map(str, range(n)))
        for tokens, n in ((first.tokens, rows), (first.read, columns))
    ]
    parts, cross = parts_of(view), first.kind == "cross"
    return {
        "layers": view.n_layers, "heads": view.n_heads, "rows": rows, "columns": columns, "limit": limit,
        "step": (step := math.ceil(max(rows, columns) / side)), "masked": first.kind == "decoder" and not view.notices,
        "paper": PAPER.on(dark), "ink": ROLES["a"].on(dark), "negative": NEGATIVE.on(dark), "parts": list(parts),
        "others": [str(layer) if isinstance(layer, OtherLayer) else "" for layer in view.layers],
        "shades": _shades(weights, view.n_heads, step, limit, len(inks)), "ramp": inks.tobytes().hex(),
        "weights": [[bits_of(own) for own in layer] for layer in weights] if in_full else None,
        "strongest": None if in_full else [[_strongest(own) for own in layer] for layer in weights],
        "tokens": list(names[0]), "read": list(names[1]), "same": not cross, "order": None,
        "kept": view.computed_from if view.written else None,
        "typed": typed_in_words(view) or [""] * rows, "marks": marks_of(view) or [""] * rows,
        "told": [
            [{"short": "" if cross else figures_in_short(view.measured(i, head), head, ALL_SHARES)["short"],
              "parts": [float(each[i][head]) for each in parts.values()]} for head in range(layer.n_heads)]
            for i, layer in enumerate(view.layers)
        ],
    }  # fmt: skip


def _shades(weights: list[np.ndarray], n_heads: int, step: int, limit: float, n_inks: int) -> str:
    """Return each cell's colour index in base64; a block's is its largest."""
    size = [math.ceil(n / step) for n in weights[0].shape[-2:]]
    shades = np.zeros((len(weights), n_heads, *size), dtype=np.uint8)
    for drawn, own in zip(shades, weights, strict=True):
        drawn[: len(own)] = np.rint(
            largest_of(np.nan_to_num(own, posinf=limit), step) * np.float32((n_inks - 1) / limit)
        ).clip(0, n_inks - 1)
    return b64encode(shades.tobytes()).decode()


def _strongest(weights: np.ndarray) -> dict[str, str]:
    """Return each row's largest weights and their columns in base64."""
    n = min(STRONGEST, weights.shape[1])
    some = np.argpartition(-weights, n - 1, axis=1)[:, :n]
    by_size = np.argsort(-np.take_along_axis(weights, some, 1), axis=1, kind="stable")
    columns = np.take_along_axis(some, by_size, 1)
    keys = b64encode(columns.astype("<u2").tobytes()).decode()
    return {"keys": keys, "shares": bits_of(np.take_along_axis(weights, columns, 1))}


def marks_of(view: ModelTrace) -> list[str]:
    """Return each token's mark: "special", "joined" to its word, or empty."""
    places = [(piece.at, piece.word) for piece in view.pieces]
    joined = [bool(place[1]) and place == before for place, before in zip(places, [(0, ""), *places], strict=False)]
    return [
        "special" if special else "joined" if goes_on else ""
        for special, goes_on in zip(view.special, joined or [False] * len(view.special), strict=True)
    ]


def typed_in_words(view: ModelTrace) -> list[str]:
    """Say which typed text each token is from; empty if it's equal."""
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


def parts_of(view: ModelTrace) -> dict[str, list[np.ndarray]]:
    """Return the named parts of attention: per layer, each head's share.

    The shares of a head sum to 1. There are none if another sentence is read.
    """
    first = view.attending[0]
    n = first.weights.shape[-1]
    if first.kind == "cross" or not n or first.weights.shape[-2] != n:
        return {}
    marks = np.array(view.special or (False,) * n)
    rest = marks if marks.any() else np.arange(n) == 0  # heads put unneeded attention on these
    kinds = np.full((n, n), 4) - (np.eye(n) * 3 + np.eye(n, k=1) * 2 + np.eye(n, k=-1)).astype(int)
    kinds[:, rest] = 0
    rows = np.flatnonzero(~rest) if not rest.all() else np.arange(n)
    tokens = " ".join(dict.fromkeys(token for token, mark in zip(view.tokens, marks, strict=False) if mark))
    names = [
        say("models.parts.marks", tokens=tokens) if marks.any() else say("models.parts.first"),
        *(say(f"models.parts.{each}") for each in ("itself", "after", "before", "others")),
    ]
    weights = [np.nan_to_num(layer.weights.detach().cpu().double().numpy()[:, rows]) for layer in view.layers]
    made = {
        name: [own[:, kinds[rows] == kind].sum(-1) / len(rows) for own in weights] for kind, name in enumerate(names)
    }
    return {name: shares for name, shares in made.items() if first.kind != "decoder" or name != names[2]}


_MOST_TOKENS = 48  # tokens that are written out above a picture


_STYLES = (Path(__file__).parents[2] / "scripts/head_view.css", Path(__file__).with_name("head_grid.css"))
GRID_STYLE = "".join(each.read_text("utf-8") for each in _STYLES)
_STYLE = """
body { margin: 16px; line-height: normal; }
h1 { margin: 0 0 4px; font-size: 18px; overflow-wrap: anywhere; }
p { max-width: 1080px; }
main { display: flex; flex-wrap: wrap; gap: 24px 44px; }
main > * { max-width: 100%; }
#head { flex: 1 1 min(480px, 100%); min-width: 0; }
"""


@typed
def model_page(view: ModelTrace, *, dark: bool = False) -> str:
    """Return all of a model's heads as an interactive HTML page.

    Raises ``ValueError`` for an encoder with a decoder, whose kinds are a page each.

    >>> import torch
    >>> from attnviz import look_into
    >>> layer = torch.nn.TransformerEncoderLayer(8, nhead=2, batch_first=True).eval()
    >>> "<h1>TransformerEncoderLayer" in model_page(look_into(layer, torch.ones(3, 8)))
    True
    """
    given = grid_data(view, dark=dark)
    colours = theme(dark)
    shown = say("models.colours", largest=written(given["limit"], 2))
    if given["step"] > 1:
        shown += "; " + say("models.blocks", rows=given["step"], columns=given["step"])
    numbers = {name: given.pop(name) for name in ("weights", "strongest")}
    about = say("models.about", axes=say("models.axes"), colours=shown)
    if numbers["strongest"] is not None:
        about += " " + say("models.strongest", most=STRONGEST)
    about = " ".join([about, *view.row_notices])
    title = say("models.title", model=view.name)
    alt = say("models.alt", layers=len(view.attending), heads=view.n_heads, model=view.name)
    inks = {"ink": colours.text, "mute": colours.muted, "line": colours.grid, "page": colours.paper,
            "weight": ROLES["a"].on(dark)}  # fmt: skip
    style = f":root {{ {' '.join(f'--{name}: {ink};' for name, ink in inks.items())} }}{CONTROLS}{_STYLE}{GRID_STYLE}"
    body = f"""<h1>{html.escape(title)}</h1>
<p>{html.escape(about)}</p>
<main><div id="grid" role="group" aria-label="{html.escape(alt)}"></div><div id="head"></div></main>
<script id="given" type="application/json">{script_json(given)}</script>
<script>
"use strict";
{{
{joined(Path(__file__).parent / "model_page.js")}
}}
</script>
<script id="numbers" type="application/json">{script_json(numbers)}</script>"""
    return page_of(title, style, body, allows="; script-src 'unsafe-inline'", dark=dark)


@typed
def model_markup(view: ModelTrace) -> str:
    """Return the tokens and a picture of all heads for a notebook.

    >>> import torch
    >>> from attnviz import look_into
    >>> layer = torch.nn.TransformerEncoderLayer(8, nhead=2, batch_first=True).eval()
    >>> "1 layer of 2 heads" in model_markup(look_into(layer, torch.ones(3, 8)))
    True
    """
    parts = [view.only(kind) for kind in view.kinds]
    return "<div>" + "".join(_part(part) for part in parts) + "</div>"


def _part(view: ModelTrace) -> str:
    grid = grid_of(view)
    scale = min(6.0, 900 / grid.z.shape[1])
    alt = say("models.alt", layers=len(view.attending), heads=view.n_heads, model=view.name)
    pictured = image(grid_shades(grid), grid.z.shape[1] * scale, grid.z.shape[0] * scale, alt)
    kind = view.kinds[0]
    many = say("models.many", layers=plural(len(view.attending), "layer"), heads=plural(view.n_heads, "head"))
    title = html.escape(say(f"models.kind.{kind}", model=view.name))
    told = html.escape(" ".join([_sentence(view), *view.row_notices, *others_in_words(view.layers)]))
    return f"<p><b>{title}</b>: {many}. {told}<br>{say('models.axes')}.</p>{pictured}"


def _sentence(view: ModelTrace) -> str:
    more = " …" if len(view.tokens) > _MOST_TOKENS else ""
    tokens = " · ".join(map(visible, view.tokens[:_MOST_TOKENS])) + more
    n = view.attending[0].weights.shape[-2]
    return say("models.sentence", tokens=plural(n, "token"), sentence=tokens)


@typed
def head_report(view: ModelTrace, layer: int, head: int, *, digits: int = DEFAULT_DIGITS) -> str:
    """Return a model's head as a printable HTML page with all matrices.

    Raises ``ValueError`` for a head that isn't there, and ``KeyError`` for a layer without attention weights.
    """
    own = view.attending_at(layer)
    trace = own.whole(check_whole("head", head, 0, own.n_heads - 1))
    title = say("models.of_head", model=view.name, layer=layer, head=head)
    measured = figures_in_words(view.measured(layer, head), head, ALL_SHARES)["full"]
    matrices = "\n".join(section(trace, name, digits) for name in matrix_names(trace))
    told = paragraphs([_sentence(view), *([measured] if view.layers[layer].kind != "cross" else []), *trace.notices])
    return report_page(title, f'{told}\n<div class="matrices">\n{matrices}\n</div>')
