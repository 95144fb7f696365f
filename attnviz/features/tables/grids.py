"""Tables in spreadsheets, also side by side, rewritten below each other."""

import csv
import io
import json
import math
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from importlib.util import find_spec
from itertools import pairwise

import numpy as np

from attnviz.core.limits import ReaderError
from attnviz.features.tables import workbook_cells
from attnviz.features.tables.stage_names import stage_named
from attnviz.typed_numbers import is_number
from attnviz.words import say

Grid = Sequence[Sequence[str]]
_LETTER = re.compile(r"[^\W\d_]")
_SEPARATORS = "\t;,"
_SECONDS = 20.0
_KIND, _MOST_OF_A_KIND = "mimetype", 100  # OpenDocument's entry with a file's type, and its bytes to read
_WHOLE = 1e15  # numbers this large aren't written as whole numbers


def unfolded(grid: Grid, sign: str = "\t") -> str:
    """Return a grid's tables below each other, each below its name.

    `sign` separates cells; if it's a semicolon, commas begin decimals. Cells outside tables are left out.

    >>> unfolded([["Q", "", "", "K"], ["1", "2", "", "3"]])
    'Q\\n1\\t2\\n\\nK\\n3'
    """
    width = max(map(len, grid), default=0)
    rows = [[*(cell.strip() for cell in row), *[""] * (width - len(row))] for row in grid]
    names: set[tuple[int, int]] = set()
    for r, row in enumerate(rows):
        names |= {(r, c) for c in range(width) if row[c] and _is_name(rows, r, c, names)}
    return "\n\n".join(part for at in sorted(names) if (part := _table(rows, names, *at, sign)))


def in_columns(text: str) -> str:
    """Return a text with side-by-side tables below each other, else unchanged."""
    lines = text.splitlines()
    for sign in _SEPARATORS:
        if sign not in text:
            continue
        try:
            rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=sign)]
        except csv.Error:  # a field beyond the csv module's limit
            continue
        if any(len(after) > 1 and _names_alone(row) for row, after in pairwise(rows)):
            return unfolded(rows, "\t" if sign == "\t" else ";")
    return text


def _names_alone(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell]
    return len(filled) > 1 and all(_LETTER.search(cell) and stage_named(cell) for cell in filled)


def _is_name(rows: Grid, r: int, c: int, names: AbstractSet[tuple[int, int]]) -> bool:
    """Whether a cell names a table, and not a row or column."""
    text = rows[r][c]
    if not _LETTER.search(text) or not stage_named(text) or (r - 1, c) in names:
        return False
    before, above = rows[r][c - 1] if c else "", rows[r - 1][c] if r else ""
    if before and (r, c - 1) not in names:
        return False
    after = rows[r][c + 1] if c + 1 < len(rows[r]) else ""
    beside = bool(after) and is_number(after)
    token = len(text) == 1 and text.islower()
    return not above if beside or token else True


def _table(rows: Grid, names: AbstractSet[tuple[int, int]], r: int, c: int, sign: str) -> str:
    """Return the name in a cell, and its table's rows as text."""
    right = min((column for row, column in names if row == r and column > c), default=len(rows[r]))
    beside = any(rows[r][c + 1 : right])
    first = r if beside or r + 1 == len(rows) or any(rows[r + 1][c:right]) else r + 1
    lines: list[Sequence[str]] = []
    for i in range(first if beside else first + 1, len(rows)):
        if not any(rows[i][c:right]) or (i > r and any((i, j) in names for j in range(c, right))):
            break
        lines.append(rows[i][c:right])
    if beside and is_number(rows[r][c + 1]) and not any(line[0] for line in lines[1:]):
        lines = [line[1:] for line in lines]
    while lines and lines[0] and not any(line[0] for line in lines):
        lines = [line[1:] for line in lines]
    if not lines or not lines[0]:
        return ""
    columns = range(len(lines[0]))
    end = next((j for j in columns if not any(line[j] for line in lines)), len(columns))
    return "\n".join([rows[r][c], *(sign.join(line[:end]) for line in lines)])


# Workbooks


def is_workbook(data: bytes) -> bool:
    """Whether a file may be a workbook, because it's a zip archive."""
    return data.startswith(b"PK\x03\x04")


def read_workbook(data: bytes) -> dict[str, Grid]:
    """Return the cells of each sheet of a workbook (.xlsx, .ods).

    Raises ``ValueError`` with a sentence for a file that can't be read. Needs no package but python-calamine.
    """
    check_packed(data)
    if find_spec("python_calamine") is None:
        raise ReaderError(say("tables.workbook_needs"))
    command = [sys.executable, "-I", workbook_cells.__file__]
    try:
        read = subprocess.run(command, input=data, capture_output=True, timeout=_SECONDS, check=True).stdout
        sheets = json.loads(read)
    except (subprocess.SubprocessError, ValueError) as error:
        raise ReaderError(say("tables.workbook_damaged")) from error
    return {name: [[*map(_text, row)] for row in rows] for name, rows in sheets.items()}


def check_packed(data: bytes) -> None:
    """Refuse an archive whose list of files isn't a workbook's."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            names = packed.namelist()
            kind = packed.open(_KIND).read(_MOST_OF_A_KIND) if _KIND in names else b""
    except Exception:  # each compression method raises errors of its own
        return  # whoever reads the file reports the damage
    folders = {name.partition("/")[0] for name in names}
    if "ppt" in folders or b"presentation" in kind:
        raise ReaderError(say("tables.slides"))
    if "word" in folders or (kind and b"spreadsheet" not in kind):
        raise ReaderError(say("tables.document"))
    if any(name.endswith(".iwa") for name in names):
        raise ReaderError(say("tables.of_apple"))
    if "content.xml" not in names and "xl" not in folders:
        raise ReaderError(say("tables.packed"))


def _text(value: object) -> str:
    """Write a cell's value, a number with all its digits."""
    if not isinstance(value, float) or not math.isfinite(value):
        return str(value)
    return str(int(value)) if value.is_integer() and abs(value) < _WHOLE else np.format_float_positional(value)


def tables_of_workbook(sheets: Mapping[str, Grid]) -> str:
    """Return a workbook's tables as one text; sheets' names may name them."""
    return "\n\n".join(_of_sheets(sheets))


def _of_sheets(sheets: Mapping[str, Grid]) -> Iterator[str]:
    for name, grid in sheets.items():
        text = unfolded(grid)
        if not text and stage_named(name):
            text = "\n".join([name, *("\t".join(row) for row in grid if any(row))])
        yield text
