"""Wide tables, whose columns a program prints in blocks below each other: Matlab, Octave, R and pandas do."""

import re
from collections.abc import Sequence
from itertools import chain

from attnviz.core.errors import SaidError
from attnviz.tables.raw import RawTable
from attnviz.words import say

MOST_BLOCKS = 1024
_COLUMNS = re.compile(r"\s*Columns? [0-9]{1,5}(?: (?:through|thru|to|and) [0-9]{1,5})?(?: and scale)?:?\s*")
_NUMBERED_HEAD = re.compile(r"\s*(?:column[0-9]{1,5}\s*)+")  # as normalizing leaves the head of R

Line = tuple[int, str]


def side_by_side(text: str) -> list[list[Line]]:
    """Return the lines of each block, with their numbers counted from 1; of a table in one piece, all of them.

    >>> len(side_by_side(" Columns 1 through 2:\\n\\n 1 2\\n 3 4\\n\\n Column 3:\\n\\n 5\\n 6"))
    2
    """
    lines = list(enumerate(text.splitlines(), 1))
    if any(line.rstrip().endswith("\\") and line.strip() != "\\" for _, line in lines):
        return _counted(_parted_by_blank_lines(lines))
    blocks: list[list[Line]] = [[]]
    for number, line in lines:
        named = bool(line.strip()) and bool(_COLUMNS.fullmatch(line))
        if named or (line.strip() and _NUMBERED_HEAD.fullmatch(line)):
            blocks.append([])
        if not named:
            blocks[-1].append((number, line))
    # What stands before the first block are names, as in "Q =".
    kept = [block for block in blocks if any(line.strip() for _, line in block)]
    if len(kept) > 1 and not any(re.search("[0-9]", line) for _, line in kept[0]):
        kept = kept[1:]
    return _counted(kept) or [lines]


def _counted(blocks: list[list[Line]]) -> list[list[Line]]:
    if len(blocks) > MOST_BLOCKS:
        raise SaidError(say("tables.too_many_blocks", most=f"{MOST_BLOCKS:,}"))
    return blocks


def _parted_by_blank_lines(lines: Sequence[Line]) -> list[list[Line]]:
    """pandas ends the head of a block with a backslash where another block follows."""
    blocks: list[list[Line]] = [[]]
    for number, line in lines:
        if line.strip():
            blocks[-1].append((number, line.rstrip().removesuffix("\\")))
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def joined(tables: Sequence[RawTable]) -> RawTable:
    """Return the blocks of one table side by side.

    Raises ``ValueError`` for blocks of different heights.
    """
    first = tables[0]
    for table in tables[1:]:
        if len(table.rows) != len(first.rows):
            line = table.rows[0][0].line if table.rows and table.rows[0] else 1
            said = say("tables.blocks_differ", line=line, rows=len(table.rows), expected=len(first.rows))
            raise SaidError(said)
    if len(tables) == 1:
        return first
    rows = [list(chain.from_iterable(parts)) for parts in zip(*(table.rows for table in tables), strict=True)]
    return first._replace(rows=rows, semicolons=any(table.semicolons for table in tables))
