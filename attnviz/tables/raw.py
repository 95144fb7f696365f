"""The cells of a table before any of it is read as a number, and how a text that holds none is refused."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from attnviz.core.errors import SaidError
from attnviz.core.limits import MAX_TOKENS
from attnviz.core.tokens import visible
from attnviz.words import plural, say

MAX_ROWS = MAX_COLUMNS = MAX_TOKENS
MOST_SHOWN = 40


class RawCell(NamedTuple):
    """What stands in a cell, and the line of the text where it stands, counted from 1."""

    text: str
    line: int


class RawTable(NamedTuple):
    """The cells of a table, row by row; in `by_lines` each row is one line.

    `semicolons` says that semicolons part the cells, as where a comma begins the decimals; `ruled` that a rule stands
    below the first row, as below the head of a Markdown table. `may_have_names` is for formats in which names of rows
    and columns can stand beside the numbers.
    """

    rows: list[list[RawCell]]
    by_lines: bool = False
    semicolons: bool = False
    ruled: bool = False
    may_have_names: bool = False


class Lines:
    """Tells the line of a position in a text."""

    def __init__(self, text: str) -> None:
        self.starts = [0, *(match.end() for match in re.finditer("\r\n|[\r\n]", text))]

    def of(self, position: int) -> int:
        """Return the line, counted from 1."""
        return bisect_right(self.starts, position)


def refuse(key: str, line: int, text: str = "", **places: str) -> NoReturn:
    """Raise the error that names a line and what stands there, by a sentence of tables.toml."""
    raise SaidError(say(f"tables.{key}", line=line, text=quoted(text), **places))


def check_counts(lines: Sequence[int], n_columns: int) -> None:
    """Raise the error for more rows, each given by its line, or more columns than there may be."""
    if len(lines) > MAX_ROWS:
        rows = plural(len(lines), "row")
        raise SaidError(say("tables.too_many_rows", rows=rows, most=f"{MAX_ROWS:,}", line=lines[MAX_ROWS]))
    if n_columns > MAX_COLUMNS:
        numbers = plural(n_columns, "number")
        raise SaidError(say("tables.too_many_columns", numbers=numbers, most=f"{MAX_COLUMNS:,}", line=lines[0]))


def quoted(text: str) -> str:
    """Return what stands in a cell, as a sentence shows it: nothing in it is invisible.

    >>> quoted("-0.6 3.8"), quoted("-0.6\u200b3.8")
    ('“-0.6 3.8”', '“-0.6⟨U+200B⟩3.8”')
    """
    cut = text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"
    return f"“{' '.join(map(visible, cut.split(' ')))}”"
