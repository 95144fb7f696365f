"""A figure as a page of its own, which opens without any network."""

import base64
import html
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from attnviz.colours.palette import LETTERS, theme
from attnviz.core.trace import Trace
from attnviz.documents.page import page_of, script_json
from attnviz.figures.heatmap import heatmap_spec
from attnviz.scripts import joined
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS

# The part of plotly.js that the figures draw with, made by .ci/plotly_js.mjs: a fifth of the whole.
_PLOTLY_JS = "plotly-figures-3.7.0.min.js.gz"

_SPARE = 4  # pixels to the right of the letters

_ALLOWS = "; script-src 'unsafe-inline'; img-src data: blob:; font-src data:"
_STYLE = """
body { margin: 16px; line-height: normal; }
#frame { overflow: hidden; }
#figure { transform-origin: 0 0; }
button {
  margin-right: 8px; padding: 6px 14px; border: 1px solid color-mix(in srgb, currentcolor 25%, transparent);
  border-radius: 8px; background: transparent; color: inherit; font: inherit; cursor: pointer;
}
button:hover { border-color: currentcolor; }
button:focus-visible { outline: 2px solid currentcolor; outline-offset: 1px; }
@media print { button { display: none; } }
"""
_SCRIPT = joined(Path(__file__).parent / "figure_page.js")


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
    """Return the heatmap of one matrix as an HTML page that needs nothing else; arguments as in
    :func:`attnviz.figures.heatmap`, `alt`, a description of it in words, and `letters`, a font to write it in.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> "<title>Attention weights</title>" in heatmap_page(trace(Scenario()), "attention_weights")
    True
    """
    spec = heatmap_spec(trace, name, digits=digits, query=query, dark=dark)
    return figure_page(spec, trace.stages[name].title, alt=alt, dark=dark, file_name=name, letters=letters)


def figure_page(
    spec: dict[str, Any],
    title: str,
    *,
    alt: str = "",
    dark: bool = False,
    file_name: str = "",
    letters: bytes | None = None,
) -> str:
    """Return a figure, as the plain dictionary that Plotly.js reads, as an HTML page that needs nothing else.

    It stands on the page's paper, also where it is saved: its letters could not be read on any other. `letters` is
    the font of the figure as a WOFF2 file; the page and the pictures saved from it carry it along. Without it they are
    written in what the reader's machine has.
    """
    on_paper = spec | {"layout": spec["layout"] | {"paper_bgcolor": theme(dark).paper}}
    drawn = script_json({"figure": on_paper, "filename": file_name or title, "spare": _SPARE})
    body = f"""<style id="letters">{_font_face(letters)}</style>
<div id="frame"><div id="figure" role="img" aria-label="{html.escape(alt or title)}"></div></div>
<p>{html.escape(alt)}</p>
<button data-format="svg">{html.escape(say("figures.page.save_svg"))}</button>
<button data-format="png">{html.escape(say("figures.page.save_png"))}</button>
<script id="plotly" type="application/octet-stream">{_packed_plotly()}</script>
<script id="given" type="application/json">{drawn}</script>
<script type="module">
{_SCRIPT}
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
    """Return plotly.js gzipped, as the package carries it; the page unpacks it."""
    packed = resources.files("attnviz.documents").joinpath("plotly_js", _PLOTLY_JS).read_bytes()
    return base64.b64encode(packed).decode("ascii")
