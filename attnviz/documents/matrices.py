"""Matrices as plain HTML, and heatmaps as pages of their own."""

import base64
import html
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from attnviz.colours.palette import LETTERS, theme
from attnviz.colours.shading import channels, takes_black
from attnviz.core.arguments import typed
from attnviz.core.limits import in_short
from attnviz.core.trace import Trace
from attnviz.documents.board_svg import heatmap_svg
from attnviz.documents.page import own_face, page_of, script_json
from attnviz.documents.pixels import image, in_base64
from attnviz.figures.cells import DARK_INK, LIGHT_INK, hatch_of, hatched, sign_of, value_in_words
from attnviz.figures.heatmap import formula_in, spec_of
from attnviz.figures.picture import FINITE, LABELLED, Picture, picture
from attnviz.scripts import joined
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS

_LABEL = "font-weight:normal;padding:0 6px;white-space:nowrap"
_LINES = "repeating-linear-gradient({angle}deg,{line} 0 1px,transparent 1px 6px)"
_HATCHED = 4  # pixels on each side of a cell, in pictures with hatched cells
_LARGEST = 360  # pixels; two pictures of this size fit side by side on a printed page
_CELL = "padding:2px 6px;text-align:right;border:1px solid transparent;font-variant-numeric:tabular-nums"


def matrix_markup(picture: Picture) -> str:
    """Return a matrix as an HTML table; a large one as picture."""
    return _table(picture) if picture.in_cell else _labelled_picture(picture)


def html_thumbnail(picture: Picture, side: int = 12, most: int = 168) -> str:
    """Return a small HTML picture; `side` and `most` are in pixels."""
    return _image(picture, min(side, most / max(picture.z.shape)))


def pixels(picture: Picture) -> np.ndarray:
    """Return colours from 0 to 255; a cell may cover several pixels."""
    hatches = hatched(picture)
    if not hatches:
        return picture.shades
    drawn = picture.shades.repeat(_HATCHED, 0).repeat(_HATCHED, 1)
    rows, columns = np.indices(drawn.shape[:2])
    for where, hatch in hatches:
        here = where.repeat(_HATCHED, 0).repeat(_HATCHED, 1)
        lines = (rows + columns) % _HATCHED == 0
        if hatch.crossed:
            lines |= (rows - columns) % _HATCHED == 0
        drawn[here], drawn[here & lines] = channels(hatch.ground), channels(hatch.line)
    return drawn


def _table(picture: Picture) -> str:
    head = "".join(
        f'<th scope="col" style="{_LABEL};text-align:right">{html.escape(each)}</th>' for each in picture.columns
    )
    shades = picture.shades
    dark_ink = takes_black(shades)
    rows = []
    for i, label in enumerate(picture.rows):
        cells = "".join(_cell(picture, i, j, shades[i, j], bool(dark_ink[i, j])) for j in range(len(picture.columns)))
        strong = "font-weight:bold" if i == picture.query else ""
        rows.append(
            f'<tr><th scope="row" style="{_LABEL};text-align:right;{strong}">{html.escape(label)}</th>{cells}</tr>'
        )
    return f'<table style="border-collapse:collapse"><tr><td></td>{head}</tr>{"".join(rows)}</table>'


def _cell(picture: Picture, row: int, column: int, rgb: np.ndarray, dark_ink: bool) -> str:
    kind = int(picture.kinds[row, column])
    background, ink = f"#{bytes(rgb).hex()}", DARK_INK if dark_ink else LIGHT_INK
    text, title = value_in_words(picture, row, column), ""
    if kind != FINITE:
        hatch = hatch_of(picture, kind)
        angles = (135, 45) if hatch.crossed else (135,)
        lines = [_LINES.format(angle=angle, line=hatch.line) for angle in angles]
        background, ink = ",".join((*lines, hatch.ground)), hatch.ink
        text, title = sign_of(picture, kind).sign, f' title="{html.escape(text)}"'
    return f'<td style="{_CELL};background:{background};color:{ink}"{title}>{html.escape(text)}</td>'


def _labelled_picture(picture: Picture) -> str:
    """Return a picture, with its rows' names if they are few."""
    n_rows = len(picture.z)
    side = max(1.0, min(16.0, _LARGEST / max(picture.z.shape)))
    drawn = _image(picture, side)
    if n_rows > LABELLED:
        return drawn
    size = min(11.0, side)
    labels = "".join(
        f'<div style="height:{side:.2f}px;line-height:{side:.2f}px">{html.escape(row)}</div>' for row in picture.rows
    )
    return (
        '<div style="display:flex">'
        f'<div style="font-size:{size:.1f}px;text-align:right;padding-right:6px;white-space:nowrap">{labels}</div>'
        f"{drawn}</div>"
    )


def _image(picture: Picture, side: float) -> str:
    rows, columns = picture.z.shape
    alt = f"{picture.stage.title}, {picture.shape[0]} by {picture.shape[1]}"
    framed = f"outline:1px solid {picture.theme.grid};"  # a 0 has the page's colour
    return image(pixels(picture), columns * side, rows * side, alt, framed)


def still_heatmap(drawn: Picture, formula: str) -> dict[str, str]:
    """Return a heatmap as a still picture, by its MIME type.

    It's an SVG with its numbers if these fit, or else a PNG of its colours, in base64.
    """
    if drawn.in_cell:
        return {"image/svg+xml": heatmap_svg(drawn, formula, drawn.stage.title)}
    side = max(1, _LARGEST // max(drawn.z.shape))
    return {"image/png": in_base64(pixels(drawn).repeat(side, 0).repeat(side, 1))}


# The part of plotly.js that our figures need, made by .ci/plotly_js.mjs; it is a fifth of the whole.
_PLOTLY_JS = "plotly-figures-3.7.0.min.js.gz"

_SPARE = 4  # pixels kept free at the right of texts

_ALLOWS = "; script-src 'unsafe-inline'; img-src data: blob:; font-src data:"
_STYLE = """
body { margin: 16px; line-height: normal; }
#frame { overflow: hidden; }
#figure { transform-origin: 0 0; }
svg { max-width: 100%; height: auto; }
button {
  margin-right: 8px; padding: 6px 14px; border: 1px solid color-mix(in srgb, currentcolor 25%, transparent);
  border-radius: 8px; background: transparent; color: inherit; font: inherit; cursor: pointer;
}
button:hover { border-color: currentcolor; }
button:focus-visible { outline: 2px solid currentcolor; outline-offset: 1px; }
@media print { button { display: none; } }
"""


@typed
def heatmap_page(
    trace: Trace,
    name: str,
    *,
    digits: int = DEFAULT_DIGITS,
    query: int | None = None,
    dark: bool = False,
    alt: str = "",
    letters: bytes | None = None,
) -> str:
    """Return one matrix's heatmap as an HTML page that needs nothing else.

    Arguments are those of :func:`attnviz.figures.heatmap`; `alt` describes it in words, `letters` is a font. If its
    cells show numbers, it is a still picture in the app's own font.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> "<title>Attention weights</title>" in heatmap_page(trace(Scenario()), "attention_weights")
    True
    """
    drawn = picture(trace, name, digits, query, dark)
    title, formula = drawn.stage.title, formula_in(trace, drawn.stage)
    shown = heatmap_svg(drawn, formula, alt or title) if drawn.in_cell else spec_of(drawn, formula)
    return figure_page(shown, title, alt=alt, dark=dark, file_name=name, letters=letters)


@typed
def figure_page(
    drawn: dict[str, Any] | str,
    title: str,
    *,
    alt: str = "",
    dark: bool = False,
    file_name: str = "",
    letters: bytes | None = None,
) -> str:
    """Return a Plotly.js figure, or an SVG, as an HTML page.

    The page needs nothing else. A figure has the page's background, even when it is saved, because its texts would be
    unreadable on any other. `letters` is the figure's font as a WOFF2 file; the page and the pictures that are saved
    from it contain the font, or for an SVG the app's own. Without it, texts are in a font of the reader's machine.
    """
    paper = theme(dark).paper
    if isinstance(drawn, dict) and not isinstance(drawn.get("layout"), dict):
        raise ValueError(f"drawn is {in_short(drawn)}, expected a figure's data and its layout")
    if isinstance(drawn, str):
        ground = f'<style>{own_face() if letters else ""}</style><rect width="100%" height="100%" fill="{paper}"/>'
        still = f'<div id="figure">{drawn.replace(">", f">{ground}", 1)}</div>'
        return _page(still, title, alt, dark, file_name or title, "picture")
    on_paper = drawn | {"layout": drawn["layout"] | {"paper_bgcolor": paper}}
    given = script_json({"figure": on_paper, "filename": file_name or title, "spare": _SPARE})
    figure = f'''<style id="letters">{_font_face(letters)}</style>
<div id="frame"><div id="figure" role="img" aria-label="{html.escape(alt or title)}"></div></div>
<script id="plotly" type="application/octet-stream">{_packed_plotly()}</script>
<script id="given" type="application/json">{given}</script>'''
    return _page(figure, title, alt, dark, file_name or title, "figure")


def _page(figure: str, title: str, alt: str, dark: bool, name: str, script: str) -> str:
    """Return a figure's page, with buttons to save it as `name`."""
    labels = {"svg": say("figures.page.save_svg"), "png": say("figures.page.save_png")}
    buttons = "\n".join(
        f'<button data-format="{each}" data-name="{html.escape(name)}">{html.escape(label)}</button>'
        for each, label in labels.items()
    )
    body = f"""{figure}
<p>{html.escape(alt)}</p>
{buttons}
<script type="module">
{joined(Path(__file__).parent / f"{script}_page.js")}
</script>"""
    return page_of(title, _STYLE, body, allows=_ALLOWS, dark=dark)


def _font_face(letters: bytes | None) -> str:
    if letters is None:
        return ""
    data = base64.b64encode(letters).decode("ascii")
    return (
        f'@font-face {{ font-family: "{LETTERS}"; font-weight: 200 900; '
        f'src: url("data:font/woff2;base64,{data}") format("woff2"); }}'
    )


@cache
def _packed_plotly() -> str:
    """Return plotly.js gzipped, as in the package; the page unpacks it."""
    packed = resources.files("attnviz.documents").joinpath("plotly_js", _PLOTLY_JS).read_bytes()
    return base64.b64encode(packed).decode("ascii")
