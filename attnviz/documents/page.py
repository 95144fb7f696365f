"""Self-contained HTML pages: head, letters, print style, embedded data."""

import base64
import html
import json
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import pandas as pd

from attnviz.colours.palette import FONT_FAMILY, theme
from attnviz.core.attention import AttentionTrace
from attnviz.core.rules import in_rows
from attnviz.core.stages import formula_of
from attnviz.export import matrix_names
from attnviz.words import say
from attnviz.words.numbers import written

FAMILY = "Attnviz Letters"
# The style that pages to hand out share, on screens and on paper.
_PRINTED = """
body { margin: 24px auto; max-width: 1080px; padding: 0 16px;
  -webkit-print-color-adjust: exact; print-color-adjust: exact; }
h1 { font-size: 20px; margin: 0 0 4px; overflow-wrap: anywhere; }
p { margin: 4px 0; overflow-wrap: anywhere; }
pre { font-size: 12px; white-space: pre-wrap; overflow-wrap: anywhere; background: #f6f8fa; padding: 10px; }
@media print { body { margin: 0; padding: 0; max-width: none; } }
"""


def page_of(title: str, style: str, body: str, *, allows: str = "", dark: bool = False) -> str:
    """Return an HTML page that may load nothing but what it `allows`.

    >>> page_of("<a>", "", "")[:60]
    '<!DOCTYPE html>\\n<html lang="en">\\n<head>\\n<meta charset="utf-8'
    """
    shown = theme(dark)
    letters = f"font: 14px/1.45 {html.escape(FONT_FAMILY, quote=False)}"
    return f"""<!DOCTYPE html>
<html lang="{say("language.tag")}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'{allows}">
<title>{html.escape(title)}</title>
<style>body {{ {letters}; color: {shown.text}; background: {shown.paper}; }}{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def printed_page(title: str, style: str, body: str) -> str:
    """Return a printable page of a title and an HTML body."""
    heading = f"<h1>{html.escape(title)}</h1>\n{body}"
    return page_of(title, _PRINTED + style, heading, allows="; img-src data:")


@cache
def own_face() -> str:
    """Return the CSS of the page's own font, named `FAMILY`."""
    source = f'url("data:font/woff2;base64,{packed_letters()}")'
    return f'@font-face {{ font-family: "{FAMILY}"; font-weight: 400 700; src: {source}; }}'


@cache
def packed_letters() -> str:
    """Return the font of pages outside the app: WOFF2, in base64."""
    letters = resources.files("attnviz.documents").joinpath("letters", "attnviz-letters.woff2").read_bytes()
    return base64.b64encode(letters).decode("ascii")


def paragraphs(texts: Iterable[str]) -> str:
    """Return texts as paragraphs."""
    return "\n".join(f"<p>{html.escape(text)}</p>" for text in texts)


def script_json(value: Any) -> str:
    """Return JSON that is safe inside an HTML script element."""
    written = json.dumps(_plain(value), allow_nan=False)
    # json.dumps writes only ASCII, so it also escapes U+2028, which would end a line of a script.
    return written.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _plain(value: Any) -> Any:
    """Return a value with its arrays as lists or Plotly.js's base64."""
    match value:
        case dict():
            return {key: _plain(each) for key, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
        case np.ndarray() if value.dtype.kind != "f":
            return value.tolist()
        case np.ndarray():
            data = np.ascontiguousarray(value)
            array = {"dtype": data.dtype.str[1:], "bdata": base64.b64encode(data.tobytes()).decode("ascii")}
            return array | ({"shape": ", ".join(map(str, data.shape))} if data.ndim > 1 else {})
        case np.generic():
            return value.item()
        case _:
            return value


_MOST_COLUMNS, _MOST_ROWS = 16, 32  # limits of a printed table; --csv and --json give all of it


def tables(computed: AttentionTrace, digits: int, names: Iterable[str] | None = None) -> list[str]:
    """Return the matrices as text tables, each with its title and formula.

    >>> from attnviz.core.scenario import Scenario, traced
    >>> print(tables(traced(Scenario("a b", x="identity", d_in=2)), 2)[0])
    X
          0     1
    a  1.00  0.00
    b  0.00  1.00
    """
    return [_table(computed, name, digits) for name in names or matrix_names(computed)]


def _table(computed: AttentionTrace, name: str, digits: int) -> str:
    stage, matrix = computed.stages[name], in_rows(computed[name].cpu())
    formula = formula_of(name, computed.stages)
    rows = stage.labels("rows", computed.tokens, matrix.shape[0])
    columns = stage.labels("columns", computed.tokens, matrix.shape[1])
    texts = [[written(value, digits) for value in row] for row in matrix.tolist()]
    hidden = computed.masked_in(name)
    if hidden is not None and stage.makes_shares:  # a masked weight isn't the number 0
        texts = np.where(hidden, "–", texts).tolist()
    cells = pd.DataFrame(texts, index=rows, columns=columns)
    title = stage.title if formula == stage.title else f"{stage.title} = {formula}"
    return f"{title}\n{cells.to_string(max_rows=_MOST_ROWS, max_cols=_MOST_COLUMNS)}"
