"""Finding and dropping names of rows and columns in a table."""

import re
from collections.abc import Sequence

from attnviz.core.limits import ReaderError
from attnviz.core.stages import EVERY_STAGE
from attnviz.features.tables.cells import CellReader, RawCell, RawTable, quoted
from attnviz.features.tables.stage_names import stage_named
from attnviz.typed_numbers import MINUS_SIGNS
from attnviz.words import plural, say

Row = list[RawCell]

INFINITE = re.compile(rf"([-+{MINUS_SIGNS}]?)\s*(?:inf|infinity|∞|\\?infty)", re.IGNORECASE)
# How people mark or hatch masked cells (MASKED), and how they write cells left open (NOT_GIVEN).
MASKED = re.compile(rf"[x×✗✕]|mask(?:ed)?|[-{MINUS_SIGNS}]{{1,3}}|[░▒▓█▨▧▦▩╱╳/\\#]+", re.IGNORECASE)
_RULE = re.compile("-{2,}|={2,}")  # a line under names of columns, as long as the longest cell below
NOT_GIVEN = re.compile("[?_]+|n/?a|nan", re.IGNORECASE)

_PLAIN = re.compile(f"[-+{MINUS_SIGNS}]?[0-9]*[.,]?[0-9]*")
_INDEX = re.compile("[0-9]{1,4}")
# A text with letters that isn't a mistyped number, such as 0.5x or O.5; also a few signs, or a count as in "1:".
_WORD = re.compile(r"(?![-+0-9OoIl]*[.,][0-9OoIl]+)(?![-+.]?[0-9]).*[^\W\d_].*|[^\w\s]{1,3}|[0-9]{1,4}[:)]", re.DOTALL)
# Words in the corner of a table, above the names of rows.
_CORNERS = frozenset(
    ("token", "tokens", "word", "words", "row", "rows", "index", "idx", "id", "i", "n", "no", "nr", "#", "pos",
     "position", "dim", "key", "query", "unnamed:0", "name", "label")
)  # fmt: skip
# Corners of the app's own CSV: a matrix's symbol, or that of one made from it, such as φ(Q), Q″ or R₁⁽⁰⁾.
_SYMBOLS = frozenset((*(stage.symbol for stage in EVERY_STAGE.values()), "Y", "Y_o", "γ₁", "β₁", "γ₂", "β₂", "R₂", "D"))
_OF_A_LAYER = re.compile("⁽[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}⁾")
_MADE_OF = re.compile("(?:φ\\()?([^()′″⁺]{1,5})[′″⁺]*\\)?")


def without_names(
    raw: RawTable, read: CellReader, rows: int | None, columns: int | None
) -> tuple[RawTable, tuple[str, ...]]:
    """Return a table without row and column names, and messages on it.

    `rows` and `columns` are the expected counts of numbers, if they are known; `read` decides what is a number.

    Raises ``ValueError`` if a first row of numbers may be names of the columns, or values.
    """
    if not raw.may_have_names or not raw.rows:
        return raw, ()
    naming = _Naming(raw, read, rows, columns)
    return raw._replace(rows=naming.without()), tuple(naming.told)


class _Naming:
    def __init__(self, raw: RawTable, read: CellReader, rows: int | None, columns: int | None) -> None:
        self.raw, self.read, self.rows, self.columns = raw, read, rows, columns
        self.told: list[str] = []

    def without(self) -> list[Row]:
        """Return the rows without names."""
        raw, body = self.raw, self.raw.rows
        head: Row | None = None
        if raw.ruled and len(body) > 1 and not any(cell.text for cell in body[0]):
            body = body[1:]  # the blank head that Markdown requires
        while len(body) > 1 and self._is_head(body[0], ruled=raw.ruled and head is None):
            head, body = max(body[0], head or [], key=len), body[1:]
        if head is not None and len(body) > 1 and all(_RULE.fullmatch(cell.text) for cell in body[0]):
            body = body[1:]
        if raw.by_lines and len({row[0].text for row in body}) == 1 < len(body):
            body = self._numbered_names(body)
        if raw.by_lines and any(len(row) > 1 and self._is_word(row[0]) for row in body):
            body = [self._with_one_name(row) for row in body]
        if head is not None and stage_named(" ".join(cell.text for cell in head)):
            head = None  # a title
        if head is None and len(body) > 1 and self._is_numbered_head(body):
            head, body = body[0], body[1:]
        while self._first_are_names(head, body):
            head, body = (head[1:] if head and len(head) == len(body[0]) else head), [row[1:] for row in body]
        return body

    def _is_word(self, cell: RawCell) -> bool:
        """Whether a cell can only be a name."""
        text = self.read(cell.text).text  # without emphasis: a bold infinity isn't a name
        if not text or _PLAIN.fullmatch(text) or INFINITE.fullmatch(text) or MASKED.fullmatch(text):
            return False
        return not NOT_GIVEN.fullmatch(text) and bool(_WORD.fullmatch(text)) and not self._is_number(text)

    def _is_number(self, text: str) -> bool:
        return self.read(text).reason != "no_number"

    def _is_head(self, row: Row, *, ruled: bool) -> bool:
        """Whether a row holds only names of columns."""
        if any(cell.text and self._is_number(cell.text) for cell in row):
            return False
        words = [self._is_word(cell) for cell in row]
        return any(words) if ruled or len(row) == 1 else any(words[1:])

    def _with_one_name(self, row: Row) -> Row:
        """Join the words before a row's first number into one name."""
        n = next((i for i, cell in enumerate(row) if not self._is_word(cell)), len(row))
        return [RawCell(" ".join(cell.text for cell in row[:n]), row[0].line), *row[n:]] if n > 1 else row

    def _numbered_names(self, body: list[Row]) -> list[Row]:
        """Drop the count after a word that begins each row: "row 0"."""
        counted = [row[1] for row in body if len(row) > 2]
        if not self._is_word(body[0][0]) or len(counted) < len(body) or not _are_indices(counted):
            return body
        self.told.append(say("tables.told.column_as_names", text=_shown(counted)))
        return [[row[0], *row[2:]] for row in body]

    def _is_numbered_head(self, body: list[Row]) -> bool:
        """Whether the first row numbers the columns; ``ValueError`` if it's unclear."""
        first, *rest = body
        width = max(map(len, rest))
        named = all(self._is_word(row[0]) for row in rest)
        named_or_counted = named or _are_indices([row[0] for row in rest])
        if len(first) == width - 1 and _are_indices(first) and width != self.columns:
            return named_or_counted
        if len(first) != width:
            return False
        if not first[0].text:
            return named or (_are_indices(first[1:]) and named_or_counted)
        corner = self._is_word(first[0]) or _is_corner(first[0])
        if corner and all(row[0].text == first[0].text for row in rest):
            return False  # "row 0", "row 1"
        if _is_corner(first[0]) and (_are_indices(first[1:]) or _are_distances(first[1:])) and named_or_counted:
            return True
        numbers = first[1:] if corner else first
        if len(numbers) < 2 - corner or not _are_indices(numbers):
            if self.raw.ruled and not corner:
                self.told.append(say("tables.told.head_as_row", line=first[0].line, text=_shown(first)))
            return False
        cells = (cell.text for row in rest for cell in row[corner:] if cell.text)
        if not self.raw.ruled and not all("." in text or "," in text for text in cells):
            return False
        if self.rows not in (len(rest), len(body)):
            why = say("tables.head_or_row", line=first[0].line, text=_shown(first), point=f"“{numbers[0].text}.”")
            raise ReaderError(why)
        if self.rows == len(rest):
            self.told.append(say("tables.told.head_as_names", line=first[0].line, text=_shown(first)))
        return self.rows == len(rest)

    def _first_are_names(self, head: Row | None, body: list[Row]) -> bool:
        """Whether the first column holds the names of the rows."""
        if min(map(len, body)) < 2:
            return False
        first = [row[0] for row in body]
        blank = [not any(cell.text for cell in row) for row in body]  # a blank row has no name either
        if all(self._is_word(cell) or left for cell, left in zip(first, blank, strict=True)) and not all(blank):
            return True
        width = max(map(len, body))
        if head is None or width == self.columns or not any(cell.text for cell in first):
            return False
        counted = _are_indices(first)
        if len(head) == width:
            if counted and head[0].text and _is_corner(head[0]) and not _are_indices(head[1:]):
                self.told.append(say("tables.told.column_as_names", text=_shown(first)))
            return not head[0].text or (counted and _is_corner(head[0]))
        if len(head) != width - 1:
            return False
        if _are_indices(head) or width - 1 == self.columns:
            return counted or width - 1 == self.columns
        if counted and len(head) > 1:
            self.told.append(say("tables.told.column_as_names", text=_shown(first)))
            return True
        why = say("tables.names_or_numbers", line=head[0].line, text=_shown(head), names=plural(len(head), "name"),
                  columns=plural(width, "column"))  # fmt: skip
        raise ReaderError(why)


def _are_indices(cells: Sequence[RawCell]) -> bool:
    """Whether cells count up from 0 or 1."""
    texts = [cell.text for cell in cells]
    if not texts or not all(_INDEX.fullmatch(text) for text in texts):
        return False
    counted = list(map(int, texts))
    return counted[0] in (0, 1) and counted == list(range(counted[0], counted[0] + len(counted)))


def _are_distances(cells: Sequence[RawCell]) -> bool:
    """Return whether cells count up by ones from a negative number."""
    texts = [cell.text.replace("\u2212", "-") for cell in cells]
    if not texts or not all(_INDEX.fullmatch(text.removeprefix("-")) for text in texts):
        return False
    counted = list(map(int, texts))
    return counted[0] < 0 and counted == list(range(counted[0], counted[0] + len(counted)))


def _is_corner(cell: RawCell) -> bool:
    if cell.text.lower().replace(" ", "") in _CORNERS or cell.text in _SYMBOLS:
        return True
    made = _MADE_OF.fullmatch(_OF_A_LAYER.sub("", cell.text))
    return made is not None and made[1] in _SYMBOLS


def _shown(cells: Sequence[RawCell]) -> str:
    return quoted(" ".join(cell.text for cell in cells))
