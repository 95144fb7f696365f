"""A table of numbers as people paste or upload it: from a spreadsheet, a print-out, a paper or a note."""

import math
import re
from types import MappingProxyType

import torch

from attnviz.core.errors import SaidError
from attnviz.core.limits import in_short
from attnviz.tables.cells import RawCell, RawTable, check_counts, quoted, refuse, undressed
from attnviz.tables.formats import joined, split_table
from attnviz.tables.markup import tables_of_html
from attnviz.tables.names import INFINITE, MASKED, NOT_GIVEN, without_names
from attnviz.tables.printed_table import MAX_DECIMALS, Printed
from attnviz.tables.printouts import plainly
from attnviz.tables.typed_numbers import NoNumberError, TypedNumber, read_number, why_no_number
from attnviz.words import plural, say

MAX_TABLE_CHARACTERS = 2_000_000
MAX_UPLOAD_BYTES = 4 * MAX_TABLE_CHARACTERS

_DTYPE = re.compile(r"\bdtype=['\"]?(?:(?:torch|np|numpy|jnp|tf)\.)?(\w{1,20})|\b(b?float16)\(")
_NO_TEXT = re.compile(
    r"\s{0,20}(?:%PDF-|data:(?:image|application/pdf)|\x89PNG|<svg|!\[[^\]]{0,80}\]\([^)]{1,400}\)\s*$)"
)

_KINDS_OF_FILES = MappingProxyType(
    {
        "picture": (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"BM6", b"II*\0", b"MM\0*", b"\0\0\0\x18ftyphei"),
        "pdf": (b"%PDF-",),
        "workbook": (b"PK\x03\x04", b"\xd0\xcf\x11\xe0"),
    }
)


def parse_table(text: str, *, columns: int | None = None, rows: int | None = None) -> torch.Tensor:
    """Read a table in any format of :func:`read_table`; float64 ``(rows, columns)``.

    Raises ``ValueError`` with a sentence for whoever pasted it: which line has what is no finite number, or is of
    another length; or that the text is empty.

    >>> parse_table("1, 2\\n3, 4").tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return torch.tensor(read_table(text, columns=columns, expected_rows=rows).rows, dtype=torch.float64)


def read_table(
    text: str,
    *,
    infinite: bool = False,
    columns: int | None = None,
    expected_rows: int | None = None,
    blanks: bool = False,
) -> Printed:
    """Read rows of numbers with the decimals that they show.

    Parted by tabs, semicolons, commas or blanks, in brackets as numpy, torch and Python print them, as a LaTeX matrix
    or as a Markdown table; each number as :func:`attnviz.tables.typed_numbers.read_number` takes it. Commas beside
    tabs, semicolons or blanks are decimal commas, and so they are alone where nothing else can be meant: `columns`,
    where it is known how many there have to be, decides it. With `infinite`, infinities may stand there, as in masked
    scores, also as x or hatching; with `blanks`, cells may be blank or ?, and are NaN. Names of rows and columns, and
    what programs print around a table, are left out; a head made of numbers is told by the `expected_rows`, or asked
    about. ``Printed.told`` says what else was left out, and how it was read.

    Raises ``ValueError`` with a sentence for whoever pasted it: which line has what is no number, could be one number
    or two, or is of another length; that there are more than 1024 rows or columns; or that the text is empty.

    >>> read_table("0,57; 0,81")
    Printed(rows=((0.57, 0.81),), decimals=2, shown=((2, 2),))
    """
    _check_text(text)
    raw, told = _raw_table(text.removeprefix("\ufeff"), expected_rows, columns)
    raw, dress = _undressed(raw)
    sign = _decimal_sign(raw)
    if blanks:
        raw = _filled_up(raw)
    known: dict[str, TypedNumber] = {}  # the same number mostly stands in many cells of a large table
    numbers = [_row(row, sign, infinite, blanks, known) for row in raw.rows]
    for row, numbers_of_row in zip(raw.rows, numbers, strict=True):
        _check_length(raw, row, len(numbers_of_row))
    shown = [[number.decimals for number in row if number.decimals is not None] for row in numbers]
    # Powers of ten show more decimals the smaller a number is: all have only as many as the largest shows.
    by_powers = any(number.by_power for row in numbers for number in row)
    every = [each for row in shown for each in row] or [MAX_DECIMALS]  # of fractions alone, as many as there can be
    decimals = min(max(min(every) if by_powers else max(every), 0), MAX_DECIMALS)
    return Printed(
        tuple(tuple(number.value for number in row) for row in numbers),
        decimals,
        tuple(tuple(decimals if number.decimals is None else number.decimals for number in row) for row in numbers),
        dtype=said[1] or said[2] if (said := _DTYPE.search(text)) else "",
        by_power=by_powers,
        told=(*told, *_told_of(dress)),
    )


def _check_text(text: str) -> None:
    if not isinstance(text, str):
        raise ValueError(f"text is {in_short(text)}, expected a text")
    if len(text) > MAX_TABLE_CHARACTERS:
        line, character = _place(text, MAX_TABLE_CHARACTERS)
        characters, most = plural(len(text), "character"), f"{MAX_TABLE_CHARACTERS:,}"
        raise SaidError(say("tables.too_long", characters=characters, most=most, line=line, character=character))
    if _NO_TEXT.match(text):
        raise SaidError(say("tables.picture"))


def _raw_table(text: str, rows: int | None, columns: int | None) -> tuple[RawTable, tuple[str, ...]]:
    """Return the cells that hold the numbers of a table, and what to tell of how it was read."""
    if "<table" in text and (found := tables_of_html(text)):
        if len(found) > 1:
            raise SaidError(say("tables.several", tables=plural(len(found), "table")))
        text = found[0][1]
    told: list[str] = []
    parts = []
    for part in split_table(plainly(text), columns):
        _check_rows(part)
        bare, said = without_names(part, rows, columns)
        told += [each for each in said if each not in told]
        parts.append(bare)
    raw = joined(parts)
    _check_rows(raw)
    return raw, tuple(told)


def _undressed(raw: RawTable) -> tuple[RawTable, frozenset[str]]:
    """Take off what dresses the numbers, and return what it was.

    Raises ``ValueError`` for numbers of different units.
    """
    taken: set[str] = set()
    rows = []
    for row in raw.rows:
        bare = []
        for cell in row:
            text, dress = undressed(cell.text)
            taken |= dress
            bare.append(cell if text == cell.text else cell._replace(text=text))
        rows.append(bare)
    units = sorted(each.removeprefix("unit:") for each in taken if each.startswith("unit:"))
    if len(units) > 1:
        raise SaidError(say("tables.units", line=raw.rows[0][0].line, units=", ".join(units)))
    return raw._replace(rows=rows), frozenset(taken)


def _told_of(dress: frozenset[str]) -> tuple[str, ...]:
    units = [each.removeprefix("unit:") for each in dress if each.startswith("unit:")]
    said = [say("tables.told.units", unit=unit) for unit in units]
    return (*said, *(say(f"tables.told.{each}") for each in ("margin", "raised") if each in dress))


def _place(text: str, at: int) -> tuple[int, int]:
    """Return the line and the character in it of a position in a text, counted from 1."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _check_rows(raw: RawTable) -> None:
    if not raw.rows:
        raise SaidError(say("tables.empty"))
    check_counts([row[0].line for row in raw.rows], len(raw.rows[0]))


def _check_length(raw: RawTable, row: list[RawCell], n: int) -> None:
    expected = len(raw.rows[0])
    if n != expected:
        key = "tables.length" if raw.by_lines else "tables.row_length"
        said = say(key, line=row[0].line, numbers=plural(n, "number"), expected=f"{expected:,}")
        raise SaidError(said)


def _decimal_sign(raw: RawTable) -> str:
    """Return the sign that begins the decimals of a table where a cell alone, as 1,234, does not say it."""
    if raw.semicolons:
        commas = any("," in cell.text for row in raw.rows for cell in row)
        return "," if commas else "."
    for cell in (cell for row in raw.rows for cell in row if "," in cell.text):
        try:
            if read_number(cell.text).comma:
                return ","
        except NoNumberError:
            continue
    return "."


def _filled_up(raw: RawTable) -> RawTable:
    """Return a triangle, whose rows leave out their masked cells, with blanks there."""
    filled = [sum(bool(cell.text) for cell in row) for row in raw.rows]
    if filled != list(range(1, len(filled) + 1)):
        return raw
    most = max(map(len, raw.rows))
    return raw._replace(rows=[row + [RawCell("", row[0].line)] * (most - len(row)) for row in raw.rows])


def _row(
    row: list[RawCell], sign: str, infinite: bool, blanks: bool, known: dict[str, TypedNumber]
) -> list[TypedNumber]:
    numbers: list[TypedNumber] = []
    for cell in row:
        number = known.get(cell.text)
        if number is None:
            if not cell.text and numbers and not blanks:
                before = quoted(row[len(numbers) - 1].text)
                raise SaidError(say("tables.nothing_after", line=cell.line, before=before))
            number = known[cell.text] = _number(cell, sign, infinite, blanks)
        numbers.append(number)
    return numbers


def _number(cell: RawCell, sign: str, infinite: bool, blanks: bool) -> TypedNumber:
    """Return the number in a cell."""
    if endless := INFINITE.fullmatch(cell.text):
        if not infinite:
            refuse("infinite", cell.line, cell.text)
        return TypedNumber(math.inf if endless[1] in ("", "+") else -math.inf, 0)
    if cell.text in ("...", "…"):
        refuse("shortened", cell.line)
    if blanks and (not cell.text or NOT_GIVEN.fullmatch(cell.text)):
        return TypedNumber(math.nan, None)
    if infinite and MASKED.fullmatch(cell.text):
        return TypedNumber(-math.inf, None)
    if not cell.text:
        refuse("nothing_first", cell.line)
    try:
        return read_number(cell.text, decimal_sign=sign)
    except NoNumberError as error:
        raise SaidError(say("tables.cell", line=cell.line, why=why_no_number(error, quoted(cell.text)))) from None


def read_cell(text: str) -> float:
    """Read one number as it may stand in a cell of a table: as a person types it, or endless.

    Raises :class:`NoNumberError` for what is no number.

    >>> read_cell("−0,5"), read_cell("25 %"), read_cell("1,234")
    (-0.5, 0.25, 1.234)
    """
    if endless := INFINITE.fullmatch(text.strip()):
        return math.inf if endless[1] in ("", "+") else -math.inf
    return read_number(text, decimal_sign="").value


def write_table(printed: Printed) -> str:
    """Write a table as lines of numbers that :func:`read_table` reads again.

    >>> write_table(Printed.of([[0.5, -1.25]]))
    '0.50  -1.25'
    """
    return "\n".join("  ".join(format(value, f".{printed.decimals}f") for value in row) for row in printed.rows)


def read_upload(data: bytes) -> str:
    """Return the text of an uploaded file: UTF-8, or UTF-16 with its mark, as spreadsheets save it.

    Raises ``ValueError`` with a sentence for whoever uploaded it: which line and character of it is no text, or that
    the file is too large.

    >>> read_upload(b"1 2")
    '1 2'
    """
    for kind, begins in _KINDS_OF_FILES.items():
        if data.startswith(begins) or (kind == "picture" and data[:4] == b"RIFF" and data[8:12] == b"WEBP"):
            raise SaidError(say(f"tables.{kind}"))
    if len(data) > MAX_UPLOAD_BYTES:
        raise SaidError(say("tables.file_too_long", size=f"{len(data):,}", most=f"{MAX_UPLOAD_BYTES:,}"))
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
        bad = text.find("\0")
        before = text[:bad]
        byte = 0
    except UnicodeDecodeError as error:
        bad, before = error.start, data[: error.start].decode("latin-1")
        byte = data[error.start]
    if bad < 0:
        return text
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    raise SaidError(say("tables.no_text", line=line, character=column, byte=f"0x{byte:02x}"))
