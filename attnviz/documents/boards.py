"""Boards outside the app: on their own page, and in notebooks."""

import gzip
import html
import json
import re
from base64 import b64encode
from pathlib import Path
from typing import Any, Protocol, runtime_checkable
from urllib.parse import quote, urlsplit

from attnviz.board.data import MOST_COLUMNS, fits_board
from attnviz.board.drawn import OF_PLAYGROUND, data_of_model, drawn_data
from attnviz.board.script import alone_script
from attnviz.colours.palette import DARK, FONT_FAMILY, LIGHT
from attnviz.core.arguments import typed
from attnviz.core.attention import AttentionTrace
from attnviz.core.heads import in_view
from attnviz.core.limits import MAX_TOKENS, check_whole, in_short
from attnviz.core.rules import in_rows
from attnviz.core.scenario import Scenario, traced
from attnviz.core.trace import Trace
from attnviz.documents.bit_differences import with_apart
from attnviz.documents.page import FAMILY, own_face, page_of, tables
from attnviz.documents.report import trace_markup, visible_text
from attnviz.explanation.latex import symbol_in_latex
from attnviz.export import matrix_names
from attnviz.scripts import joined, shortened
from attnviz.words import by_language, say
from attnviz.words.numbers import DEFAULT_DIGITS, MAX_DIGITS, MIN_DIGITS, written

_ALLOWS = "; script-src 'unsafe-inline'; font-src data:; form-action 'none'; base-uri 'none'"
_STYLE = f"""
:root {{ color-scheme: light dark; --st-background-color: {LIGHT.paper}; --st-text-color: {LIGHT.text}; }}
:root[data-theme=dark] {{ --st-background-color: {DARK.paper}; --st-text-color: {DARK.text}; }}
body {{ margin: 0; padding: 16px; font-family: "{FAMILY}", {FONT_FAMILY.partition(", ")[2]};
  background: var(--st-background-color); color: var(--st-text-color); }}
.drawn {{ display: block; margin-bottom: 32px; }}
a {{ color: inherit; }}
h2 {{ font-size: 20px; margin: 0 0 8px; }}
section {{ max-width: 72ch; margin-bottom: 16px; line-height: 1.45; outline: none; }}
section button {{ display: block; margin: 6px 0; padding: 6px 14px; border: 1px solid currentcolor; border-radius: 8px;
  background: transparent; color: inherit; font: inherit; cursor: pointer; }}
svg[role=img] {{ margin: 0 24px 16px 0; }}
"""


@runtime_checkable
class Question(Protocol):
    """A question beside a board, as board_page draws it."""

    @property
    def title(self) -> str:
        """The title of the question's page."""

    def on_page(self, digits: int, told: bool | None) -> dict[str, Any]:
        """Return a page's data; with `told`, of one of two boards."""


@typed
def board_page(
    *shown: Scenario | str | AttentionTrace | Question,
    query: int = 0,
    digits: int = DEFAULT_DIGITS,
    title: str = "",
    link: str = "",
    dark: bool | None = None,
    tells: str = "",
    told: bool | None = None,
) -> str:
    """Return boards as one interactive HTML page that needs nothing else.

    Each argument is a scenario; the trace of a model's head or of a moment of a training, whose numbers can't be
    changed; or a question, whose board or tables show what happens once the reader has predicted it. Nothing of that
    outcome is drawn before, but the file contains it. With `told`, the file contains only one of a question's two
    boards, and asks nothing. `query` is the picked token, `link` leads to an app, and `dark` is by default what the
    reader's system prefers. If a page of the origin `tells` embeds this one, it receives by `postMessage` what the
    reader does.

    >>> "<title>Self-attention of: a cat</title>" in board_page(Scenario("a cat"))
    True
    """
    if not shown:
        raise ValueError("board_page has nothing to show, expected a scenario or a trace")
    drawn_ones = tuple(Scenario(each) if isinstance(each, str) else each for each in shown)
    digits = check_whole("digits", digits, MIN_DIGITS, MAX_DIGITS)
    query = check_whole("query", query, 0, MAX_TOKENS - 1)
    for name, address in (("link", link), ("tells", tells)):
        if address and urlsplit(address).scheme not in ("http", "https"):
            raise ValueError(f"{name} is {address!r}, expected an address that begins with https:// or http://")
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(tells)) if tells else ""
    how = {"dark": dark, "tells": origin}
    boards = (_packed(json.dumps(page_data(each, query, digits, told) | how)) for each in drawn_ones)
    title = title or _title(drawn_ones[0])
    back = f'<p><a href="{html.escape(link)}">{html.escape(say("report.open"))}</a></p>' if link else ""
    drawn = "\n".join(
        f'<div class="drawn"><script type="application/octet-stream">{each}</script></div>' for each in boards
    )
    body = f"""<style>{own_face()}</style>
{drawn}
<noscript>{html.escape(say("report.needs_script"))}</noscript>
{back}
<script id="script" type="application/octet-stream">{_script()}</script>
<script type="module">
{_drawing_script()}
</script>"""
    return page_of(title, _STYLE, body, allows=_ALLOWS, dark=bool(dark))


@typed
def board_frame(address: str, title: str) -> str:
    """Return the HTML that embeds a board's page in another page.

    >>> board_frame("cat.html", "a \\"cat\\"")
    '<iframe src="cat.html" title="a &quot;cat&quot;" width="100%" height="760" style="border: 0"></iframe>'
    """
    address, title = html.escape(quote(address)), html.escape(title)
    return f'<iframe src="{address}" title="{title}" width="100%" height="760" style="border: 0"></iframe>'


def page_data(
    shown: Scenario | AttentionTrace | Question, query: int, digits: int, told: bool | None = None
) -> dict[str, Any]:
    """Return what a page's script draws of one board, as JSON values."""
    if isinstance(shown, AttentionTrace):
        seen = shown.for_head(0)
        most = max(MOST_COLUMNS, len(seen.read_tokens))
        names = tuple(name for name in in_view(seen.stages) if seen[name].shape[-1] <= most)
        # The matrices that X is made of have more rows than tokens.
        names = names[names.index("x") :] if "x" in names else names
        return _alone(data_of_model(seen, query, digits, names), seen)
    if not isinstance(shown, Scenario):
        return shown.on_page(digits, told)
    trace = traced(checked_for_board(shown)).for_head(0)
    return _alone(drawn_data(shown, trace, query, digits, OF_PLAYGROUND, is_current=True), trace)


def _alone(data: dict[str, Any], trace: AttentionTrace) -> dict[str, Any]:
    return {"data": data | {"key": "alone", "matrices": with_apart(data["matrices"], trace)}}


def checked_for_board(scenario: Scenario) -> Scenario:
    """Return the scenario; ``ValueError`` for one that no board draws."""
    if not isinstance(scenario, Scenario):
        raise ValueError(f"scenario is {in_short(scenario)}, expected a Scenario or a text")
    if not fits_board(scenario):
        raise ValueError(f"the scenario has a matrix of more than {MOST_COLUMNS} columns, which a board doesn't draw")
    return scenario


def _title(shown: Scenario | AttentionTrace | Question) -> str:
    if not isinstance(shown, Scenario | AttentionTrace):
        return shown.title
    text = shown.text if isinstance(shown, Scenario) else " ".join(shown.tokens)
    return say("report.title", sentence=visible_text(text))


def _packed(text: str) -> str:
    return b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")


@by_language()
def _drawing_script() -> str:
    """Return the script that unpacks the other scripts and data, and draws."""
    return shortened(joined(Path(__file__).parent / "board_page.js"))


@by_language()
def _script() -> str:
    """Return the packed script that draws a board, as ``window.attnvizBoard``."""
    return _packed(re.sub(r"\bexport default\b", "window.attnvizBoard =", shortened(alone_script()), count=1))


LIVE = 64  # tokens up to which a notebook's output contains a board, because each token takes room in its file
_IN_LATEX = 16  # rows or columns of a matrix in LaTeX, at most
_TOLD = ("attention_weights", "context")


@typed
def shown_in_notebook(shown: Scenario | Trace, *, live: bool = True) -> dict[str, str]:
    """Return what a notebook shows, by its MIME type.

    That is numbers, LaTeX and pictures and, if `live`, a board in a frame, which untrusted notebooks leave out.
    >>> sorted(shown_in_notebook(Scenario("a cat")))
    ['text/html', 'text/latex', 'text/plain']
    """
    trace = traced(shown) if isinstance(shown, Scenario) else shown
    if not isinstance(trace, AttentionTrace):
        return {"text/plain": repr(trace)}
    context = trace.layers[-1].get("context")
    if context is not None and context.dim() != 2:  # a batch
        return {"text/plain": repr(trace), "text/html": trace_markup(trace)}
    names = [name for name in matrix_names(trace) if name.rpartition(".")[2] in _TOLD]
    bundle = {"text/plain": "\n\n".join(tables(trace, DEFAULT_DIGITS, names)), "text/html": trace_markup(trace)}
    if max(size for name in names for size in trace[name].shape) <= _IN_LATEX:
        bundle["text/latex"] = "\n".join(_in_latex(trace, name) for name in names)
    if live and len(trace.read_tokens) <= LIVE:
        bundle["text/html"] += _live(shown if isinstance(shown, Scenario) else trace)
    return bundle


def _live(shown: Scenario | AttentionTrace) -> str:
    try:
        page = board_page(shown)
    except ValueError:  # a matrix is too large for a board
        return ""
    return f'<iframe srcdoc="{html.escape(page)}" width="100%" height="720" style="border: 0"></iframe>'


def _in_latex(trace: AttentionTrace, name: str) -> str:
    rows = (" & ".join(map(_number, row)) for row in in_rows(trace[name].cpu()).tolist())
    cells = " \\\\\n".join(rows)
    stage = trace.stages[name]
    symbol = symbol_in_latex(stage.symbol) + ("" if stage.head is None else f"_{{{stage.number}}}")
    return f"$$ {symbol} = \\begin{{bmatrix}}\n{cells}\n\\end{{bmatrix}} $$"


def _number(value: float) -> str:
    text = written(value, DEFAULT_DIGITS).replace("−", "-")
    return text.replace("∞", r"\infty") if "∞" in text else rf"\text{{{text}}}" if text == "NaN" else text
