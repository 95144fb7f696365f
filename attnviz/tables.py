"""A table of numbers as people paste or upload it: from a spreadsheet, a print-out, a paper or a note."""

import math
import re
from decimal import Decimal

import torch

from attnviz.limits import MAX_TOKENS
from attnviz.printed import MAX_DECIMALS, Printed
from attnviz.table_formats import RawCell, RawTable, refuse, split_table

MAX_TABLE_CHARACTERS = 2_000_000
MAX_CELL_CHARACTERS = 60
MAX_ROWS = MAX_COLUMNS = MAX_TOKENS

# Typeset minus signs, dashes and hyphens that stand for one.
_MINUS = re.compile("[\u2212\u2010\u2011\u2012\u2013\u2014\u207b\u02d7\ufe63\uff0d\u2796]")
_NUMBER = re.compile(r"[-+]?\s*(?:[0-9]+(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([-+]?[0-9]{1,5}))?(\s*\\?%)?")
_INFINITE = re.compile(r"([-+]?)\s*(?:inf|Inf|Infinity|∞|\\infty)")


def parse_table(text: str) -> torch.Tensor:
    """Read a table in any format of :func:`read_table`; float64 ``(rows, columns)``.

    Raises ``ValueError`` naming line and column for what is no finite number, a row of another length
    or an empty text.

    >>> parse_table("1, 2\\n3, 4").tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return torch.tensor(read_table(text).rows, dtype=torch.float64)


def read_table(text: str, *, infinite: bool = False) -> Printed:
    """Read rows of numbers with the decimals that they show.

    Parted by tabs, semicolons, commas or blanks, in brackets as numpy, torch and Python print them, as a LaTeX matrix
    or as a Markdown table. Commas beside tabs, semicolons or blanks are decimal commas; minus signs may be typeset;
    a percent sign divides by 100. With `infinite`, infinities may stand there, as in masked scores.

    Raises ``ValueError`` naming line and column for what is no number, a row of another length, more than 1024 rows
    or columns, and an empty text.

    >>> read_table("0,57; 0,81")
    Printed(rows=((0.57, 0.81),), decimals=2, shown=((2, 2),))
    """
    if len(text) > MAX_TABLE_CHARACTERS:
        line, column = _place(text, MAX_TABLE_CHARACTERS)
        raise ValueError(
            f"the table has {len(text)} characters, expected at most {MAX_TABLE_CHARACTERS}: up to line {line}, "
            f"character {column}"
        )
    raw = split_table(text.removeprefix("\ufeff"))
    _check_rows(raw)
    numbers = [[_number(cell, raw.decimal_comma, infinite) for cell in row] for row in raw.rows]
    for row, numbers_of_row in zip(raw.rows, numbers, strict=True):
        _check_length(raw, row, len(numbers_of_row))
    shown = tuple(tuple(decimals for _, decimals in row) for row in numbers)
    # Powers of ten show more decimals the smaller a number is: all have only as many as the largest shows.
    by_powers = any(re.search("[0-9.][eE]", cell.text) for row in raw.rows for cell in row)
    decimals = min(map(min, shown)) if by_powers else max(map(max, shown))
    return Printed(tuple(tuple(value for value, _ in row) for row in numbers), min(decimals, MAX_DECIMALS), shown)


def _place(text: str, at: int) -> tuple[int, int]:
    """Return the line and the character in it of a position in a text, counted from 1."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _check_rows(raw: RawTable) -> None:
    if not raw.rows:
        raise ValueError("the table is empty, expected rows of numbers")
    if len(raw.rows) > MAX_ROWS:
        line = raw.rows[MAX_ROWS][0].line
        raise ValueError(f"line {line} is row {MAX_ROWS + 1} of {len(raw.rows)}, expected at most {MAX_ROWS} rows")
    if len(raw.rows[0]) > MAX_COLUMNS:
        line, columns = raw.rows[0][0].line, len(raw.rows[0])
        raise ValueError(f"line {line} has {columns} numbers, expected at most {MAX_COLUMNS} columns")


def _check_length(raw: RawTable, row: list[RawCell], n: int) -> None:
    expected = len(raw.rows[0])
    if n == expected:
        return
    if raw.by_lines:
        raise ValueError(f"line {row[0].line} has {_numbers(n)}, expected {expected} as in the first line")
    number = raw.rows.index(row) + 1
    raise ValueError(f"row {number}, line {row[0].line}, has {_numbers(n)}, expected {expected} as in the first row")


def _numbers(n: int) -> str:
    return "1 number" if n == 1 else f"{n} numbers"


def read_cell(text: str) -> float:
    """Read one number as it may stand in a table: with a decimal comma, a percent sign, or endless.

    Raises ``ValueError`` for what is no number.

    >>> read_cell("−0,5"), read_cell("25 %")
    (-0.5, 0.25)
    """
    return _number(RawCell(text.strip(), 1, 1), "," in text, infinite=True)[0]


def _number(cell: RawCell, decimal_comma: bool, infinite: bool) -> tuple[float, int]:
    """Return the number in a cell and how many decimals it shows."""
    if len(cell.text) > MAX_CELL_CHARACTERS:
        refuse(cell, "a number")
    text = _MINUS.sub("-", cell.text)
    if infinite and (endless := _INFINITE.fullmatch(text)):
        return (-math.inf if endless[1] == "-" else math.inf), 0
    if decimal_comma:
        if "," in text and "." in text:
            refuse(cell, "a number with one decimal sign and no other")
        if re.search(r"[0-9]\.[0-9]", text):
            refuse(cell, "a decimal comma as elsewhere in this table")
        text = text.replace(",", ".", 1)
    match = _NUMBER.fullmatch(text)
    if not match:
        refuse(cell, "all numbers (the print-out is shortened)" if text == "..." else "a number")
    percent = 2 if match[4] else 0
    bare = text[: match.start(4)] if percent else text
    value = float(Decimal(re.sub(r"\s", "", bare)).scaleb(-percent))
    if not math.isfinite(value):
        refuse(cell, "a number")
    fraction = match[1] or match[2] or ""
    return value, max(0, len(fraction) - int(match[3] or 0) + percent)


def write_table(printed: Printed) -> str:
    """Write a table as lines of numbers that :func:`read_table` reads again.

    >>> write_table(Printed.of([[0.5, -1.25]]))
    '0.50  -1.25'
    """
    return "\n".join("  ".join(format(value, f".{printed.decimals}f") for value in row) for row in printed.rows)


def read_upload(data: bytes) -> str:
    """Return the text of an uploaded file: UTF-8, or UTF-16 with its mark, as spreadsheets save it.

    Raises ``ValueError`` naming the line and column of the first byte that is no text, and for a file over the limit.

    >>> read_upload(b"1 2")
    '1 2'
    """
    if len(data) > 4 * MAX_TABLE_CHARACTERS:
        raise ValueError(f"the file has {len(data)} bytes, expected at most {4 * MAX_TABLE_CHARACTERS}")
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
    raise ValueError(f"line {line}, character {column} is the byte 0x{byte:02x}: the file is no text, expected numbers")
