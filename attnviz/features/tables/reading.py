"""Reading a table of numbers that was pasted or uploaded."""

import math
import re
from dataclasses import replace
from types import MappingProxyType

import torch

from attnviz.core.arguments import typed
from attnviz.core.limits import MAX_FILE_BYTES, ReaderError, in_short
from attnviz.features.tables.cells import CellReader, RawCell, RawTable, ReadCell, check_counts, quoted, refuse
from attnviz.features.tables.formats import joined, split_table
from attnviz.features.tables.grids import check_packed
from attnviz.features.tables.markup import tables_of_html
from attnviz.features.tables.names import INFINITE, MASKED, NOT_GIVEN, without_names
from attnviz.features.tables.printed_table import MAX_DECIMALS, Printed
from attnviz.features.tables.printouts import plainly
from attnviz.typed_numbers import MINUS_SIGNS, NoNumberError, TypedNumber, read_number, why_no_number
from attnviz.words import plural, say, thousands

MAX_TABLE_CHARACTERS = 2_000_000
_CONTROL = re.compile(r"[\0-\x08\x0b\x0e-\x1f\x7f]")  # characters that no text contains

_DTYPE = re.compile(r"\bdtype=['\"]?(?:(?:torch|np|numpy|jnp|tf)\.)?(\w{1,20})|\b(b?float16)\(")
_NO_TEXT = re.compile(
    r"\s{0,20}(?:%PDF-|data:(?:image|application/pdf)|\x89PNG|<svg|!\[[^\]]{0,80}\]\([^)]{1,400}\)\s*$)"
)

# Where blanks separate cells, the sign in "- 0.5" may be a masked cell or a minus. It's joined to the number only if
# the rows wouldn't be equally long otherwise.
_SIGN_APART = re.compile(
    rf"(?<![^\s,;|&\[({{])([-+{MINUS_SIGNS}])[ \u00a0\u202f](?=[.,]?[0-9]|\\?inf|∞)", re.IGNORECASE
)
_BLANK = ReadCell("", frozenset(), None)
_KINDS_OF_FILES = MappingProxyType(
    {
        "picture": (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"BM6", b"II*\0", b"MM\0*", b"\0\0\0\x18ftyphei"),
        "pdf": (b"%PDF-",),
        "document": (b"{\\rtf",),
        "old_office": (b"\xd0\xcf\x11\xe0",),
        "packed": (b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"\xfd7zXZ"),
        "workbook": (b"PK\x03\x04",),
    }
)


def parse_table(
    text: str, *, columns: int | None = None, rows: int | None = None, infinite: bool = False
) -> torch.Tensor:
    """Read a table in any format of :func:`read_table` as float64 ``(rows, columns)``.

    Raises ``ValueError`` with a sentence for the reader, as :func:`read_table` does.
    """
    read = read_table(text, infinite=infinite, columns=columns, expected_rows=rows)
    return torch.tensor(read.rows, dtype=torch.float64)


@typed
def read_table(
    text: str,
    *,
    infinite: bool = False,
    columns: int | None = None,
    expected_rows: int | None = None,
    blanks: bool = False,
) -> Printed:
    """Read rows of numbers with the decimals that they show.

    Cells may be separated by tabs, semicolons, commas or blanks, or stand in brackets as numpy, torch and Python print
    them, in a LaTeX matrix or in a Markdown table; :func:`attnviz.typed_numbers.read_number` reads each number.
    Commas beside tabs, semicolons or blanks are decimal commas. Commas alone are decimal commas if they can't mean
    anything else, which `columns`, the expected number, may decide. With `infinite`, cells may be infinite, as in
    masked scores, and may also hold x or hatching; with `blanks`, they may be blank or ?, and become NaN. Names of rows
    and columns are left out, and so is what programs print around a table. Whether a first row of numbers is a head is
    decided by `expected_rows`; without it, an error asks. ``Printed.remarks`` says what else was left out, and how the
    text was read.

    Raises ``ValueError`` with a sentence for the reader: a line holds a text that isn't a number, or that could be one
    number or two; a line has another length; there are more than 1024 rows or columns; or the text is empty.

    >>> read_table("0,57; 0,81")
    Printed(rows=((0.57, 0.81),), decimals=2, cell_decimals=((2, 2),))
    """
    _check_text(text)
    whole = _SIGN_APART.sub(r"\1", text)
    is_apart = whole != text and not _holds(text, True, columns, expected_rows, blanks)
    if is_apart and _holds(whole, infinite, columns, expected_rows, blanks):
        table = _read(whole, infinite, columns, expected_rows, blanks)
        return replace(table, remarks=(*table.remarks, say("tables.told.signs")))
    return _read(text, infinite, columns, expected_rows, blanks)


def _holds(text: str, infinite: bool, columns: int | None, expected_rows: int | None, blanks: bool) -> bool:
    """Whether a text is a table, of `columns` where these are known."""
    try:
        read = _read(text, infinite, columns, expected_rows, blanks)
    except ReaderError:
        return False
    return columns in (None, len(read.rows[0]))


def _read(text: str, infinite: bool, columns: int | None, expected_rows: int | None, blanks: bool) -> Printed:
    read = CellReader()
    raw, told = _raw_table(text.removeprefix("\ufeff"), read, expected_rows, columns)
    cells = [[read(cell.text) for cell in row] for row in raw.rows]
    told += _told_of({cell.dress for row in cells for cell in row if cell.dress}, raw)
    sign = _decimal_sign(raw, cells)
    if blanks:
        _fill_up(cells)
    numbers = [_row(row, stands, sign, infinite, blanks) for row, stands in zip(cells, raw.rows, strict=True)]
    for row, numbers_of_row in zip(raw.rows, numbers, strict=True):
        _check_length(raw, row[0].line, len(numbers_of_row), len(numbers[0]))
    shown = [number.decimals for row in numbers for number in row if number.decimals is not None]
    # With powers of ten, small numbers show more decimals than large ones. The table gets as many as the largest shows.
    by_powers = any(number.by_power for row in numbers for number in row)
    every = shown or [MAX_DECIMALS]  # a table of nothing but fractions gets the most decimals
    decimals = min(max(min(every) if by_powers else max(every), 0), MAX_DECIMALS)
    return Printed(
        tuple(tuple(number.value for number in row) for row in numbers),
        decimals,
        tuple(tuple(decimals if number.decimals is None else number.decimals for number in row) for row in numbers),
        dtype=said[1] or said[2] if (said := _DTYPE.search(text)) else "",
        by_power=by_powers,
        remarks=told,
    )


def _check_text(text: str) -> None:
    if not isinstance(text, str):
        raise ValueError(f"text is {in_short(text)}, expected a text")
    if len(text) > MAX_TABLE_CHARACTERS:
        line = text.count("\n", 0, MAX_TABLE_CHARACTERS) + 1
        character = MAX_TABLE_CHARACTERS - text.rfind("\n", 0, MAX_TABLE_CHARACTERS)
        characters, most = plural(len(text), "character"), thousands(MAX_TABLE_CHARACTERS)
        raise ReaderError(say("tables.too_long", characters=characters, most=most, line=line, character=character))
    if _NO_TEXT.match(text):
        raise ReaderError(say("tables.picture"))


def _raw_table(text: str, read: CellReader, rows: int | None, columns: int | None) -> tuple[RawTable, tuple[str, ...]]:
    """Return a table's cells without names, and messages on their reading."""
    if "<table" in text and (found := tables_of_html(text)):
        if len(found) > 1:
            raise ReaderError(say("tables.several", tables=plural(len(found), "table")))
        text = found[0][1]
    told: list[str] = []
    parts = []
    for part in split_table(plainly(text), columns):
        _check_rows(part)
        bare, said = without_names(part, read, rows, columns)
        told += [each for each in said if each not in told]
        parts.append(bare)
    raw = joined(parts)
    _check_rows(raw)
    return raw, tuple(told)


def _told_of(dresses: set[frozenset[str]], raw: RawTable) -> tuple[str, ...]:
    """Say what was ignored beside numbers; ``ValueError`` if their units differ."""
    dress: frozenset[str] = frozenset().union(*dresses)
    units = sorted(each.removeprefix("unit:") for each in dress if each.startswith("unit:"))
    if len(units) > 1:
        raise ReaderError(say("tables.units", line=raw.rows[0][0].line, units=", ".join(units)))
    said = [say("tables.told.units", unit=unit) for unit in units]
    return (*said, *(say(f"tables.told.{each}") for each in ("margin", "raised") if each in dress))


def _check_rows(raw: RawTable) -> None:
    if not raw.rows:
        raise ReaderError(say("tables.empty"))
    check_counts([row[0].line for row in raw.rows], len(raw.rows[0]))


def _check_length(raw: RawTable, line: int, n: int, expected: int) -> None:
    if n != expected:
        key = "tables.length" if raw.by_lines else "tables.row_length"
        said = say(key, line=line, numbers=plural(n, "number"), expected=thousands(expected))
        raise ReaderError(said)


def _decimal_sign(raw: RawTable, cells: list[list[ReadCell]]) -> str:
    """Return a table's decimal sign, for cells such as 1,234."""
    with_comma = [cell for row in cells for cell in row if "," in cell.text]
    if raw.semicolons:
        return "," if with_comma else "."
    return "," if any(cell.number and cell.number.comma and not cell.number.either for cell in with_comma) else "."


def _fill_up(cells: list[list[ReadCell]]) -> None:
    """Fill a triangle, whose rows omit masked cells, with blanks."""
    filled = [sum(bool(cell.text) for cell in row) for row in cells]
    if filled == list(range(1, len(filled) + 1)):
        most = max(map(len, cells))
        for row in cells:
            row += [_BLANK] * (most - len(row))


def _row(row: list[ReadCell], raw: list[RawCell], sign: str, infinite: bool, blanks: bool) -> list[TypedNumber]:
    numbers: list[TypedNumber] = []
    for i, cell in enumerate(row):
        line = raw[min(i, len(raw) - 1)].line  # cells that were filled up have no line
        if not cell.text and numbers and not blanks:
            raise ReaderError(say("tables.nothing_after", line=line, before=quoted(row[i - 1].text)))
        numbers.append(_number(cell, line, sign, infinite, blanks))
    return numbers


def _number(cell: ReadCell, line: int, sign: str, infinite: bool, blanks: bool) -> TypedNumber:
    """Return the number in a cell."""
    text, number = cell.text, cell.number
    if number is not None and number.either in ("", sign):
        return number
    if endless := INFINITE.fullmatch(text):
        if not infinite:
            refuse("infinite", line, text)
        return TypedNumber(math.inf if endless[1] in ("", "+") else -math.inf, 0)
    if text in ("...", "…"):
        refuse("shortened", line)
    if blanks and (not text or NOT_GIVEN.fullmatch(text)):
        return TypedNumber(math.nan, None)
    if infinite and MASKED.fullmatch(text):
        return TypedNumber(-math.inf, None)
    if not text:
        refuse("nothing_first", line)
    why = why_no_number(NoNumberError(text, cell.reason or "two_ways"), quoted(text))
    raise ReaderError(say("tables.cell", line=line, why=why))


def read_cell(text: str) -> float:
    """Read one number, possibly infinite, as typed into a table's cell.

    Raises :class:`NoNumberError` for any other text.

    >>> read_cell("−0,5"), read_cell("25 %"), read_cell("1,234")
    (-0.5, 0.25, 1.234)
    """
    if endless := INFINITE.fullmatch(text.strip()):
        return math.inf if endless[1] in ("", "+") else -math.inf
    return read_number(text, decimal_sign="").value


def write_table(printed: Printed) -> str:
    """Write a table as lines of numbers that :func:`read_table` reads again."""
    return "\n".join("  ".join(format(value, f".{printed.decimals}f") for value in row) for row in printed.rows)


def read_upload(data: bytes) -> str:
    """Return an uploaded file's text: UTF-8, marked UTF-16, or Windows-1252.

    Excel saves CSV as Windows-1252 in Western Europe. In UTF-8 with a few broken bytes, a sign replaces these, and
    :func:`told_of_broken` says so.

    Raises ``ValueError`` with a sentence for the reader if the file isn't a text, or is too large.
    """
    for kind, begins in _KINDS_OF_FILES.items():
        if data.startswith(begins) or (kind == "picture" and data[:4] == b"RIFF" and data[8:12] == b"WEBP"):
            if kind == "workbook":
                check_packed(data)
            raise ReaderError(say(f"tables.{kind}"))
    if len(data) > MAX_FILE_BYTES:
        raise ReaderError(say("tables.file_too_long", size=thousands(len(data)), most=thousands(MAX_FILE_BYTES)))
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
        bad = text.find("\0")
        before = text[:bad]
        byte = 0
    except UnicodeDecodeError as error:
        if encoding == "utf-8-sig" and (found := _mostly_utf8(data) or _of_windows(data)):
            return found
        bad, before = error.start, data[: error.start].decode("latin-1")
        byte = data[error.start]
    if bad < 0:
        return text
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    raise ReaderError(say("tables.no_text", line=line, character=column, byte=f"0x{byte:02x}"))


_BROKEN = "\ufffd"
_MORE_BYTES = re.compile(r"[^\x00-\x7f\ufffd]")


def _mostly_utf8(data: bytes) -> str:
    """Return the text of UTF-8 with few broken bytes, or empty.

    In Windows-1252, two letters that aren't English hardly ever form a valid sign of UTF-8.
    """
    text = data.decode("utf-8-sig", "replace")
    return text if len(_MORE_BYTES.findall(text)) > text.count(_BROKEN) and not _CONTROL.search(text) else ""


def told_of_broken(text: str) -> str:
    """Say where an upload holds a broken byte, or empty."""
    return say("tables.broken", line=text[: text.index(_BROKEN)].count("\n") + 1) if _BROKEN in text else ""


def _of_windows(data: bytes) -> str:
    """Return the text of Windows-1252; empty if it can't be that."""
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return ""
    return "" if _CONTROL.search(text) else text
