"""Tables with separators: spreadsheets, print-outs and Markdown, whole or in blocks."""

import csv
import re
from collections.abc import Callable, Sequence
from itertools import chain

from attnviz.core.limits import ReaderError
from attnviz.features.tables.brackets import bracketed
from attnviz.features.tables.cells import RawCell, RawTable, check_counts, joined_to_numbers, quoted
from attnviz.features.tables.markup import is_latex, latex
from attnviz.typed_numbers import MINUS_SIGNS, is_number
from attnviz.words import say, thousands

MOST_BLOCKS = 1024
_COLUMNS = re.compile(r"\s*Columns? [0-9]{1,5}(?: (?:through|thru|to|and) [0-9]{1,5})?(?: and scale)?:?\s*")
_NUMBERED_HEAD = re.compile(r"\s*(?:column[0-9]{1,5}\s*)+")  # R's head, after printouts.py has rewritten it

Line = tuple[int, str]


def side_by_side(text: str) -> list[list[Line]]:
    """Return the numbered lines of each block of a table's columns."""
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
    # Lines before the first block are names, as in "Q =".
    kept = [block for block in blocks if any(line.strip() for _, line in block)]
    if len(kept) > 1 and not any(re.search("[0-9]", line) for _, line in kept[0]):
        kept = kept[1:]
    return _counted(kept) or [lines]


def _counted(blocks: list[list[Line]]) -> list[list[Line]]:
    if len(blocks) > MOST_BLOCKS:
        raise ReaderError(say("tables.too_many_blocks", most=thousands(MOST_BLOCKS)))
    return blocks


def _parted_by_blank_lines(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the blocks of a pandas print-out, without their backslashes."""
    blocks: list[list[Line]] = [[]]
    for number, line in lines:
        if line.strip():
            blocks[-1].append((number, line.rstrip().removesuffix("\\")))
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def joined(tables: Sequence[RawTable]) -> RawTable:
    """Join blocks side by side; ``ValueError`` if their heights differ."""
    first = tables[0]
    for rows in (table.rows for table in tables if len(table.rows) != len(first.rows)):
        line = rows[0][0].line if rows and rows[0] else 1
        raise ReaderError(say("tables.blocks_differ", line=line, rows=len(rows), expected=len(first.rows)))
    if len(tables) == 1:
        return first
    rows = [list(chain.from_iterable(parts)) for parts in zip(*(table.rows for table in tables), strict=True)]
    return first._replace(rows=rows, semicolons=any(table.semicolons for table in tables))


_MARKDOWN_RULE = re.compile(r"\s*\|?\s*:?[-=]+:?\s*(?:[|+]\s*:?[-=]+:?\s*)*\|?\s*")
_BLANKS_WITHIN = re.compile(r"[^,\s]\s+[^,\s]")
_ONE_COMMA = re.compile(f"([-+{MINUS_SIGNS}]?)([0-9]*),([0-9]+)")
# A row whose cells are separated by blanks only, and which begins with a token that is one of these signs.
_SIGN_AS_NAME = re.compile(r"([ \t]*)[,;:.!?]([ \t]+[^\s,;][^,;\t]*)")


def split_table(text: str, columns: int | None = None) -> list[RawTable]:
    """Split text of any format into cells; `columns` is the expected number.

    There are several tables if a program printed the columns of one table in blocks, one below the other.

    Raises ``ValueError`` with a sentence for the reader, which names the line where the format is broken.

    >>> [[cell.text for cell in row] for row in split_table("tensor([[1., 2.]], grad_fn=<MmBackward0>)")[0].rows]
    [['1.', '2.']]
    """
    if is_latex(text):
        return [latex(text)]
    if "[" in text:
        return [bracketed(text, columns)]
    if "|" in text:
        return [_markdown(text)]
    return [_delimited(lines, columns) for lines in side_by_side(text)]


# Spreadsheets and CSV


def _delimited(lines: Sequence[Line], columns: int | None) -> RawTable:
    tabs = [line.count("\t") for _, line in lines if line.strip()]
    blank = min(tabs, default=0)  # a line of tabs between two rows is a blank row
    kept = [(number, line) for number, line in lines if line.strip() or 0 < blank <= line.count("\t")]
    while kept and not kept[-1][1].strip():
        kept.pop()
    lines = kept[next((i for i, (_, line) in enumerate(kept) if line.strip()), 0) :]
    check_counts([number for number, _ in lines], 0)  # before any cell is created
    lines = [
        (number, _SIGN_AS_NAME.sub(r"\1sign\2", line) if _SIGN_AS_NAME.fullmatch(line) else line)
        for number, line in lines
    ]
    part = _by_decimal_commas(lines, columns) or _cells_of_line
    rows = _without_closing([[RawCell(cell, number) for cell in part(line)] for number, line in lines])
    return RawTable(rows, by_lines=True, semicolons=any(";" in line for _, line in lines), may_have_names=True)


def _without_closing(rows: list[list[RawCell]]) -> list[list[RawCell]]:
    """Drop the blank cells that separators at the ends of rows make."""
    closed = [not row[-1].text and len(row) > 1 for row in rows]
    width = 0 if all(closed) else max(len(row) for row, shut in zip(rows, closed, strict=True) if not shut)
    return [row[:-1] if shut and len(row) > width else row for row, shut in zip(rows, closed, strict=True)]


def _by_decimal_commas(lines: Sequence[Line], columns: int | None) -> Callable[[str], list[str]] | None:
    """Return how to split lines with decimal commas and blanks, if any.

    Raises ``ValueError`` if a comma may begin decimals or separate two numbers.
    """
    with_comma = [(number, line.strip()) for number, line in lines if "," in line]
    if not with_comma or any(re.search('[\t;"]', line) for _, line in lines):
        return None
    if all(not re.search(r",\s", line) and _BLANKS_WITHIN.search(line) for _, line in with_comma):
        return _parted_by_blanks
    if any(re.search(r",\s", line) for _, line in lines):
        part = _parted_by_comma_and_blank
        cells = [(number, cell) for number, line in lines for cell in part(line)]
        could_be = all("," in cell for _, cell in cells) and all(part(line) for _, line in lines)
    else:
        part = _parted_by_blanks
        cells = with_comma
        could_be = all(is_number(line.strip()) for _, line in lines)
    decimals = [_ONE_COMMA.fullmatch(cell) for _, cell in cells]
    if not could_be or not all(decimals):
        return None  # commas separate the cells, as in CSV
    as_decimals, as_csv = (len(each(lines[0][1])) == columns for each in (part, _cells_of_line))
    if as_decimals != as_csv:
        return part if as_decimals else None
    if any(_begins_decimals(match) for match in decimals) or all(
        match and not match[2].strip("0") for match in decimals
    ):
        return part
    number, cell = cells[0]
    before, after = cell.split(",")
    one, two = quoted(f"{before}.{after}"), quoted(f"{before}, {after}")
    raise ReaderError(say("tables.one_or_two", line=number, text=quoted(cell), one=one, two=two))


def _begins_decimals(match: re.Match[str] | None) -> bool:
    """Whether a comma can only begin decimals, as in 0,05 or ,5."""
    if match is None:
        return False
    sign, before, after = match.groups()
    return not before or (bool(sign) and not before.strip("0")) or (len(after) > 1 and after[0] == "0")


def _parted_by_comma_and_blank(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r",\s+", f"{line.strip()} ") if cell.strip()]


def _cells_of_line(line: str) -> list[str]:
    for separator in ("\t", ";", ","):
        if separator in line:
            parts = _quoted(line, separator) if '"' in line else line.split(separator)
            return [cell.strip() for cell in parts]
    return [cell.strip('"') for cell in _parted_by_blanks(line)]


def _parted_by_blanks(line: str) -> list[str]:
    return joined_to_numbers(line).split()


def _quoted(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator))
    except csv.Error:  # a field beyond the csv module's limit
        return line.split(separator)


# Markdown


def _markdown(text: str) -> RawTable:
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    rules = [i for i, (_, line) in enumerate(lines) if ("-" in line or "=" in line) and _MARKDOWN_RULE.fullmatch(line)]
    rules = [
        i for i in rules if i == rules[0] or "--" in lines[i][1] or "=" in lines[i][1]
    ]  # elsewhere, | - | - | is a row of cells
    if rules and rules[0] == 0:  # the table has a frame
        lines, rules = lines[1:], [i - 1 for i in rules[1:]]
    rows = [
        [RawCell(cell.strip(), number) for cell in line.removeprefix("|").removesuffix("|").split("|")]
        for number, line in lines
    ]
    ruled = bool(rules) and rules[0] == 1 and len(rules) < len(rows) - 1
    body = [row for i, row in enumerate(rows) if i not in set(rules)]
    return RawTable(body, by_lines=True, ruled=ruled, may_have_names=True)
