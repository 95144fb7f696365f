"""A table of numbers as people paste it: from a spreadsheet, a CSV file or a print-out."""

import math
import re

import torch

MAX_TABLE_CHARACTERS = 2_000_000


def parse_table(text: str) -> torch.Tensor:
    """Read rows of numbers, parted by tabs, semicolons, commas or blanks; float64 ``(rows, columns)``.

    Raises ``ValueError`` naming line and column for what is no finite number, a row of another length
    or an empty text.

    >>> parse_table("1, 2\\n3, 4").tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    if len(text) > MAX_TABLE_CHARACTERS:
        raise ValueError(f"the table has {len(text)} characters, expected at most {MAX_TABLE_CHARACTERS}")
    rows: list[list[float]] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not line.strip():
            continue
        row = [_number(cell, number, column) for column, cell in enumerate(_cells(line), 1)]
        if rows and len(row) != len(rows[0]):
            raise ValueError(f"line {number} has {len(row)} numbers, expected {len(rows[0])} as in the first line")
        rows.append(row)
    if not rows:
        raise ValueError("the table is empty, expected rows of numbers")
    return torch.tensor(rows, dtype=torch.float64)


def _cells(line: str) -> list[str]:
    for separator in ("\t", ";", ","):
        if separator in line:
            cells = [cell.strip() for cell in line.split(separator)]
            return cells if cells[-1] else cells[:-1]  # after a closing separator comes no cell
    return line.split()


def parse_number(text: str) -> float:
    """Read one number, with a typeset minus sign too, as spreadsheets and papers have it.

    Raises ``ValueError`` naming a text that is no finite number.

    >>> parse_number(" −1e-3 ")
    -0.001
    """
    plain = re.sub("[\u2212\u2013\u2012]", "-", text.strip())
    try:
        value = float(plain) if re.fullmatch(r"[-+.0-9eE]+", plain) else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]!r} is no number")
    return value


def _number(cell: str, line: int, column: int) -> float:
    try:
        return parse_number(cell)
    except ValueError:
        raise ValueError(f"line {line}, column {column} is {cell[:40]!r}, expected a number") from None
