"""Models as documents: all heads as a page and in a notebook, and one head as a report."""

import base64
import html
from pathlib import Path

from attnviz.colours.palette import FONT_FAMILY, theme
from attnviz.colours.roles import ROLES
from attnviz.core.tokens import visible
from attnviz.documents.figure_page import script_json
from attnviz.documents.heads_data import STRONGEST, grid_data
from attnviz.documents.matrix_markup import png
from attnviz.documents.report import page_of, paragraphs, section
from attnviz.explanation.head_figures import ALL_SHARES, figures_in_words
from attnviz.export import matrix_names
from attnviz.figures.model_grid import grid_of, grid_shades
from attnviz.models import ModelTrace
from attnviz.scripts import joined
from attnviz.words import plural, say
from attnviz.words.numbers import DEFAULT_DIGITS, written

_MOST_TOKENS = 48  # that are written out above a picture


_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
_SCRIPTS = Path(__file__).parents[1] / "scripts"
GRID_STYLE = (_SCRIPTS / "head_grid.css").read_text(encoding="utf-8")
SCRIPT = joined(Path(__file__).parent / "model_page.js")
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>
:root {{ --ink: {ink}; --mute: {mute}; --line: {line}; --page: {paper}; --weight: {weight}; }}
body {{ margin: 16px; font: 14px {family}; color: {ink}; background: {paper}; }}
h1 {{ margin: 0 0 4px; font-size: 18px; overflow-wrap: anywhere; }}
p {{ max-width: 1080px; }}
{style}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{about}</p>
<div id="grid" role="group" aria-label="{alt}"></div>
<script id="given" type="application/json">{given}</script>
<script>
"use strict";
{{
{script}
}}
</script>
<script id="numbers" type="application/json">{numbers}</script>
</body>
</html>
"""


def model_page(view: ModelTrace, *, dark: bool = False) -> str:
    """Return all heads at a glance as an HTML page that needs nothing else: pointing at one tells its numbers.

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
    return _PAGE.format(
        policy=_POLICY, title=html.escape(say("models.title", model=view.name)), about=html.escape(about),
        alt=html.escape(say("models.alt", layers=view.n_layers, heads=view.n_heads, model=view.name)),
        ink=colours.text, mute=colours.muted, line=colours.grid, paper=colours.paper, weight=ROLES["a"].on(dark),
        family=html.escape(FONT_FAMILY, quote=False), style=GRID_STYLE, given=script_json(given), script=SCRIPT,
        numbers=script_json(numbers),
    )  # fmt: skip


def model_markup(view: ModelTrace) -> str:
    """Return a model's heads as a notebook shows them: the tokens, and a picture of all weights.

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
    size = f"width:{grid.z.shape[1] * scale:.0f}px;height:{grid.z.shape[0] * scale:.0f}px"
    data = base64.b64encode(png(grid_shades(grid))).decode("ascii")
    alt = html.escape(say("models.alt", layers=view.n_layers, heads=view.n_heads, model=view.name))
    kind = view.kinds[0]
    many = say("models.many", layers=plural(view.n_layers, "layer"), heads=plural(view.n_heads, "head"))
    title = html.escape(say(f"models.kind.{kind}", model=view.name))
    return (
        f"<p><b>{title}</b>: {many}. {html.escape(_sentence(view))}<br>{say('models.axes')}.</p>"
        f'<img alt="{alt}" style="image-rendering:pixelated;{size}" src="data:image/png;base64,{data}">'
    )


def _sentence(view: ModelTrace) -> str:
    more = " …" if len(view.tokens) > _MOST_TOKENS else ""
    tokens = " · ".join(map(visible, view.tokens[:_MOST_TOKENS])) + more
    n = view.layers[0].weights.shape[-2]
    return say("models.sentence", tokens=plural(n, "token"), sentence=tokens)


def head_report(view: ModelTrace, layer: int, head: int, *, digits: int = DEFAULT_DIGITS) -> str:
    """Return one head of a model as an HTML page that prints well: its measured figures and every matrix.

    Raises ``KeyError`` for a head that isn't there.
    """
    if (layer, head) not in view.heads:
        raise KeyError(f"there is no head {(layer, head)}, expected one of the view's")
    trace = view.layers[layer].whole(head)
    title = say("models.of_head", model=view.name, layer=layer, head=head)
    measured = figures_in_words(view.measured(layer, head), head, ALL_SHARES)["full"]
    matrices = "\n".join(section(trace, name, digits) for name in matrix_names(trace))
    told = paragraphs([_sentence(view), *([measured] if view.layers[layer].kind != "cross" else []), *trace.notices])
    return page_of(title, f'{told}\n<div class="matrices">\n{matrices}\n</div>')
