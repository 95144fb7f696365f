"""Tables in LaTeX and HTML: their cells and headings."""

import html
import re
from collections.abc import Iterator

from attnviz.features.tables.cells import Lines, RawCell, RawTable, refuse

_SPEC = r"\{(?:[^{}]|\{[^{}]{0,40}\}){0,200}\}"  # the column specification of a table
LATEX = re.compile(
    r"\\begin\s*\{(?:[a-zA-Z]*matrix\*?\}(?:\[[^\]]{0,20}\])?"
    rf"|(?:array|longtable|tabular)\}}(?:\[[^\]]{{0,20}}\])?(?:{_SPEC})?|tabular[xy*]\}}(?:{_SPEC}){{0,2}})"
)
_END = re.compile(r"\\end\s*\{")
_ROW = re.compile(r"\\\\(?:\[[^\]]{0,20}\])?|\\tabularnewline")
_OF_FRACTION = r"\s*(-?[0-9.,]{1,20})\s*"
_FRACTION = re.compile(rf"\\[dt]?frac\s*(?:\{{{_OF_FRACTION}\}}\s*\{{{_OF_FRACTION}\}}|([0-9])\s*([0-9]))")
# In 1{,}000 the comma begins decimals; 1,000 may be a thousand.
_DECIMAL_COMMA = re.compile(r"(?<![0-9}])([0-9]{0,20})\{,\}([0-9]{1,20})(?![0-9{])")
_LINE = re.compile(
    r"\\(?:hline|(?:top|mid|bottom)rule|midrule|c(?:line|midrule)(?:\([lr]{0,4}\))?\{[^}]{0,20}\}|endhead"
    r"|(?:row|cell)color(?:\[[^\]]{0,10}\])?\{[^}]{0,30}\})"
)
_MARK = re.compile(
    r"\\(?:textsuperscript|tnote|footnotemark|footnote)\s*(?:\[[^\]]{0,10}\]|\{[^{}]{0,200}\})"
    r"|\^\s*(?:\{\s*(?:[a-z*]|\\(?:dagger|ddagger|ast|star)){1,3}\s*\}|[a-z*]|\\(?:dagger|ddagger|ast|star))"
)
_MULTICOLUMN = re.compile(r"\\multi(?:column|row)\{[^}]{0,20}\}\{[^}]{0,40}\}")
_DRESS = re.compile(
    r"\\h?phantom\{[^}]{0,20}\}|\\(?:math|text)(?:bf|it|rm|tt|sf)?(?![a-zA-Z])|\\(?:num|boldsymbol|bm|displaystyle"
    r"|bfseries|underline|centering|left|right)(?![a-zA-Z])|\\[,;:! ]|[${}~]"
)
_COMMENT = re.compile(r"(\\|[0-9.,][ \t]{0,2})?%[^\n]*")  # % begins no comment after a number or a backslash
MOST_BEFORE = 200  # characters of a row, in which a rule must begin


def is_latex(text: str) -> bool:
    """Whether a text is a LaTeX table or its rows."""
    return bool(LATEX.search(text)) or ("&" in text and "\\\\" in text)


def latex(text: str) -> RawTable:
    """Return the cells of a LaTeX matrix or table."""
    text = _COMMENT.sub(lambda found: found[0] if found[1] else "", text)
    lines = Lines(text)
    begin = LATEX.search(text)
    start = begin.end() if begin else 0
    closing = _END.search(text, start)
    end = closing.start() if closing else len(text)
    if begin and not closing:
        refuse("no_end", lines.of(begin.start()))
    second = LATEX.search(text, end)
    if second:
        refuse("second_matrix", lines.of(second.start()))
    rows: list[list[RawCell]] = []
    row_start, ruled = start, False
    for stop in [*_ROW.finditer(text, start, end), None]:
        row_end = stop.start() if stop else end
        ruled |= len(rows) == 1 and bool(_LINE.match(text[row_start : row_start + MOST_BEFORE].lstrip()))
        row = _cells(text, row_start, row_end, lines)
        if any(cell.text for cell in row) or (stop and len(row) > 1):
            rows.append(row)
        row_start = stop.end() if stop else end
    return RawTable(rows, ruled=ruled, may_have_names=True)


def _cells(text: str, start: int, end: int, lines: Lines) -> list[RawCell]:
    cells, at = [], start
    for part in text[start:end].split("&"):
        bare = _MULTICOLUMN.sub("", _MARK.sub("", _LINE.sub("", part)))
        bare = _FRACTION.sub(lambda found: f"{found[1] or found[3]}/{found[2] or found[4]}", bare)
        leading = at + len(part) - len(part.lstrip())
        bare = _DECIMAL_COMMA.sub(r"\1.\2", bare)
        cells.append(RawCell(_DRESS.sub("", bare).strip(), lines.of(min(leading, end))))
        at += len(part) + 1
    return cells


_TAG = re.compile(r"<!--|<(/?)([a-zA-Z][a-zA-Z0-9]{0,15})([^<>]{0,2000})>")
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "caption"))
# In a cell, a small number is another number and a raised one is a mark, so neither is read.
_UNSEEN = frozenset(("script", "style", "small", "sup", "title"))
_VOID = frozenset(("br", "hr", "img", "input", "link", "meta", "wbr", "col"))
_MOST_OF_A_HEADING = 90


def tables_of_html(text: str) -> list[tuple[str, str]]:
    """Return each table's heading and its rows, with tabs between cells.

    >>> tables_of_html("<h2>Q</h2><table><tr><th>the<td>0.5<td>1</table>")
    [('Q', '0.5\\t1')]
    """
    tables: list[tuple[str, str]] = []
    heading: list[str] = []
    rows: list[list[list[str]]] | None = None
    inside: list[str] | None = None  # the open heading or cell, which collects its text
    hidden: list[str] = []  # open elements whose text is ignored
    for tag, closes, attributes, data in _pieces(text):
        if hidden and tag == hidden[-1]:
            if closes:
                hidden.pop()
            else:
                hidden.append(tag)
        elif hidden:
            continue
        elif closes and tag == "table" and rows is not None:
            lines = ["\t".join(row) for row in ([_plain(cell) for cell in row] for row in rows) if row and row != [""]]
            if any(line.strip() for line in lines):
                named = [each[:_MOST_OF_A_HEADING] for each in heading[:_MOST_OF_A_HEADING]]
                tables.append((_plain(named)[:_MOST_OF_A_HEADING], "\n".join(lines)))
            rows = None
        elif closes:
            inside = None if tag in (*_HEADINGS, "td", "th", "tr") else inside
        elif tag in _UNSEEN or (' aria-hidden="true"' in attributes and tag not in _VOID):
            hidden = [tag]
        elif tag in _HEADINGS:
            heading = inside = []
        elif tag == "table":
            rows, inside = [], None
        elif tag in ("tr", "td", "th") and rows is not None:
            if tag == "tr" or (tag == "td" and not rows):
                rows.append([])
            inside = None  # cells of the head hold names
            if tag == "td":
                inside = []
                rows[-1].append(inside)
        if inside is not None and not hidden:
            inside.append(data)
    return tables


def _plain(parts: list[str]) -> str:
    return " ".join(html.unescape("".join(parts)).split())


def _pieces(text: str) -> Iterator[tuple[str, bool, str, str]]:
    """Yield each tag with the text that follows it."""
    at, before = 0, ("", False, "")
    while found := _TAG.search(text, at):
        yield *before, text[at : found.start()]
        at = found.end()
        if found[2] is None:  # a comment
            at = text.find("-->", at)
            if at < 0:
                return
            at, before = at + 3, ("", False, "")
        else:
            before = (found[2].lower(), bool(found[1]), found[3])
    yield *before, text[at:]
