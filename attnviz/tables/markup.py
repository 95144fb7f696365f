"""Tables in HTML: what stands in their cells, and the heading above each. Names of rows and columns are told by `th`.

The parser of Python's library takes a time that grows with the square of some texts; only tags and text are needed.
"""

import html
import re
from collections.abc import Iterator

_TAG = re.compile(r"<!--|<(/?)([a-zA-Z][a-zA-Z0-9]{0,15})([^<>]{0,2000})>")
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "caption"))
# A small number in a cell is another one, a raised one a mark; none of them is read.
_UNSEEN = frozenset(("script", "style", "small", "sup", "title"))
_VOID = frozenset(("br", "hr", "img", "input", "link", "meta", "wbr", "col"))
_MOST_OF_A_HEADING = 90


def tables_of_html(text: str) -> list[tuple[str, str]]:
    """Return each table with the heading above it, as lines whose cells tabs part.

    >>> tables_of_html("<h2>Q</h2><table><tr><th>the<td>0.5<td>1</table>")
    [('Q', '0.5\\t1')]
    """
    reader = _Reader()
    for tag, closes, attributes, data in _pieces(text):
        reader.tag(tag, closes, attributes)
        reader.text(data)
    return reader.tables


def _pieces(text: str) -> Iterator[tuple[str, bool, str, str]]:
    """Yield each tag with what follows it; what is no tag is text."""
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


class _Reader:
    def __init__(self) -> None:
        self.tables: list[tuple[str, str]] = []
        self.heading: list[str] = []
        self.rows: list[list[list[str]]] | None = None
        self.inside = ""  # "heading" or "td", whose text is taken
        self.hidden: list[str] = []  # the elements whose text isn't

    def tag(self, tag: str, closes: bool, attributes: str) -> None:
        """Take a tag."""
        if self.hidden:
            if closes and tag == self.hidden[-1]:
                self.hidden.pop()
            elif not closes and tag == self.hidden[-1] and tag not in _VOID:
                self.hidden.append(tag)
        elif closes:
            self._close(tag)
        elif tag in _UNSEEN or (' aria-hidden="true"' in attributes and tag not in _VOID):
            self.hidden = [tag]
        elif tag in _HEADINGS:
            self.heading, self.inside = [], "heading"
        elif tag == "table":
            self.rows, self.inside = [], ""
        elif tag == "tr" and self.rows is not None:
            self.rows.append([])
            self.inside = ""
        elif tag in ("td", "th") and self.rows is not None:
            self.inside = tag
            if tag == "td":
                self.rows = self.rows or [[]]
                self.rows[-1].append([])

    def _close(self, tag: str) -> None:
        if tag in _HEADINGS or tag in ("td", "th", "tr"):
            self.inside = ""
        elif tag == "table" and self.rows is not None:
            cells = [[" ".join(html.unescape("".join(cell)).split()) for cell in row] for row in self.rows]
            lines = ["\t".join(row) for row in cells if row and row != [""]]
            if any(line.strip() for line in lines):
                self.tables.append((" ".join("".join(self.heading).split())[:_MOST_OF_A_HEADING], "\n".join(lines)))
            self.rows = None

    def text(self, data: str) -> None:
        """Take the text behind a tag."""
        if self.hidden or not data:
            return
        if self.inside == "heading":
            self.heading.append(html.unescape(data[:_MOST_OF_A_HEADING]))
        elif self.inside == "td" and self.rows and self.rows[-1]:
            self.rows[-1][-1].append(data)
