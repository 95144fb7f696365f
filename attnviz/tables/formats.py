"""The formats in which people have tables: what stands in which cell, before any of it is read as a number.

Spreadsheets and CSV (tabs, semicolons, commas, blanks), print-outs of numpy and torch and lists of Python
(brackets), LaTeX matrices, and Markdown tables. Nothing is evaluated; a format is told by its signs.
"""

import csv
import re
from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from attnviz.core.errors import SaidError
from attnviz.tables.typed_numbers import NoNumberError, read_number
from attnviz.words import say

_LATEX = re.compile(r"\\begin\s*\{(?:[a-zA-Z]*matrix\*?|array|tabular)\}(?:\[[^\]]{0,20}\])?(?:\{[^}]{0,200}\})?")
_LATEX_END = re.compile(r"\\end\s*\{")
_LATEX_ROW = re.compile(r"\\\\(?:\[[^\]]{0,20}\])?")
_LATEX_FRACTION = re.compile(r"\\[dt]?frac\s*\{\s*([0-9.,]{1,20})\s*\}\s*\{\s*([0-9.,]{1,20})\s*\}")
_LATEX_LINE = re.compile(r"\\(?:hline|toprule|midrule|bottomrule)")
_LATEX_DRESS = re.compile(r"\\h?phantom\{[^}]{0,20}\}|\\(?:math|text)(?:bf|it|rm|tt)|\\displaystyle|\\[,;:! ]|[${}~]")
_BEFORE_BRACKET = re.compile(r"\s*(?:[^\n=\[\](]{0,60}[=:])?\s*(?:Parameter containing:)?\s*(?:[\w.]{1,40}\()?\s*")
_AFTER_BRACKET = re.compile(r"(?:,\s*\w+\s*=\s*(?:<[^>]{0,80}>|[^,)\n]{0,40}))*\s*,?\s*\)?\s*[;,.]?\s*")
_MARKDOWN_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_BLANK_BEFORE_PERCENT = re.compile(r"(?<=[0-9.,])[ \u00a0\u202f]+(?=\\?%)")
_BLANKS_WITHIN = re.compile(r"[^,\s]\s+[^,\s]")
_ONE_COMMA = re.compile("([-+\u2212\u2010-\u2014]?)([0-9]*),([0-9]+)")

MOST_SHOWN = 40
MOST_DRESS = 200  # characters of a print-out before and after its numbers


class RawCell(NamedTuple):
    """What stands in a cell, and the line of the text where it stands, counted from 1."""

    text: str
    line: int


class RawTable(NamedTuple):
    """The cells of a table, row by row; in `by_lines` each row is one line.

    `semicolons` says that semicolons part the cells, as where a comma begins the decimals.
    """

    rows: list[list[RawCell]]
    by_lines: bool = False
    semicolons: bool = False


def split_table(text: str, columns: int | None = None) -> RawTable:
    """Split a text into the cells of a table, in whichever format it is; `columns` are expected, where it is known.

    Raises ``ValueError`` naming the line where the format is broken, in a sentence for whoever pasted it.

    >>> [[cell.text for cell in row] for row in split_table("tensor([[1., 2.]], grad_fn=<MmBackward0>)").rows]
    [['1.', '2.']]
    """
    if "[" in text and not _LATEX.search(text):
        return _bracketed(text)
    if _LATEX.search(text) or ("&" in text and "\\\\" in text):
        return _latex(text)
    if "|" in text:
        return _markdown(text)
    return _delimited(text, columns)


def refuse(key: str, line: int, text: str = "") -> NoReturn:
    """Raise the error that names a line and what stands there, by a sentence of tables.toml."""
    raise SaidError(say(f"tables.{key}", line=line, text=quoted(text)))


def quoted(text: str) -> str:
    """Return what stands in a cell, as a sentence shows it."""
    return f"“{text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + '…'}”"


class _Lines:
    """Tells the line of a position in a text."""

    def __init__(self, text: str) -> None:
        self.starts = [0, *(match.end() for match in re.finditer("\r\n|[\r\n]", text))]

    def of(self, position: int) -> int:
        return bisect_right(self.starts, position)


# Spreadsheets and CSV


def _delimited(text: str, columns: int | None) -> RawTable:
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    part = _by_decimal_commas(lines, columns) or _cells_of_line
    rows = [[RawCell(cell, number) for cell in part(line)] for number, line in lines]
    return RawTable(rows, by_lines=True, semicolons=any(";" in line for _, line in lines))


def _by_decimal_commas(lines: list[tuple[int, str]], columns: int | None) -> Callable[[str], list[str]] | None:
    """Return how lines are parted whose commas begin decimals, though nothing but blanks stands between the cells.

    Raises ``ValueError`` where a comma may begin decimals or part two numbers.
    """
    with_comma = [(number, line.strip()) for number, line in lines if "," in line]
    if not with_comma or any(re.search('[\t;"]', line) for _, line in lines):
        return None
    if all(not re.search(r",\s", line) and _BLANKS_WITHIN.search(line) for _, line in with_comma):
        return _parted_by_blanks
    if any(re.search(r",\s", line) for _, line in lines):
        part = _parted_by_comma_and_blank
        cells = [(number, cell) for number, line in lines for cell in part(line)]
        could_be = all("," in cell for _, cell in cells)
    else:
        part = _parted_by_blanks
        cells = with_comma
        could_be = all(_is_alone(line.strip()) for _, line in lines)
    decimals = [_ONE_COMMA.fullmatch(cell) for _, cell in cells]
    if not could_be or not all(decimals):
        return None  # commas part the cells, as in CSV
    as_decimals, as_csv = (len(each(lines[0][1])) == columns for each in (part, _cells_of_line))
    if as_decimals != as_csv:
        return part if as_decimals else None
    if any(_begins_decimals(match) for match in decimals) or all(_is_below_one(match) for match in decimals):
        return part
    number, cell = cells[0]
    before, after = cell.split(",")
    one, two = quoted(f"{before}.{after}"), quoted(f"{before}, {after}")
    raise SaidError(say("tables.one_or_two", line=number, text=quoted(cell), one=one, two=two))


def _is_alone(line: str) -> bool:
    try:
        read_number(line, decimal_sign="")
    except NoNumberError:
        return False
    return True


def _begins_decimals(match: re.Match[str] | None) -> bool:
    """Whether a comma can only begin decimals: no whole number is written as what stands beside it is."""
    if match is None:
        return False
    sign, before, after = match.groups()
    return not before or (bool(sign) and not before.strip("0")) or (len(after) > 1 and after[0] == "0")


def _is_below_one(match: re.Match[str] | None) -> bool:
    return match is not None and not match[2].strip("0")


def _parted_by_comma_and_blank(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r",\s+", f"{line.strip()} ") if cell.strip()]


def _cells_of_line(line: str) -> list[str]:
    for separator in ("\t", ";", ","):
        if separator in line:
            parts = _quoted(line, separator) if '"' in line else line.split(separator)
            cells = [cell.strip() for cell in parts]
            return cells if cells[-1] else cells[:-1]  # after a closing separator comes no cell
    return [cell.strip('"') for cell in _parted_by_blanks(line)]


def _parted_by_blanks(line: str) -> list[str]:
    return _BLANK_BEFORE_PERCENT.sub("", line).split()


def _quoted(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator))
    except csv.Error:  # a field beyond the limit of the module
        return line.split(separator)


# Print-outs of numpy and torch, lists of Python

_BRACKET, _BETWEEN_BLOCKS = re.compile(r"[\[\]]"), re.compile(r"[\s,;]*")
_BY_COMMA, _BY_BLANK = re.compile(r"[^,]*,?"), re.compile(r"\S+")


def _bracketed(text: str) -> RawTable:
    lines, rows = _Lines(text), []
    at = text.index("[")
    before = text[:at].strip()
    if len(before) > MOST_DRESS or not _BEFORE_BRACKET.fullmatch(before):
        refuse("before_bracket", lines.of(len(text) - len(text.lstrip())), before)
    while at < len(text) and text[at] == "[":
        block, at = _block(text, at, lines)
        rows += [_cells_between(text, start, end, lines) for start, end in block]
        rest = _BETWEEN_BLOCKS.match(text, at)
        if rest and text[rest.end() : rest.end() + 1] == "[":
            at = rest.end()  # rows without brackets around them all
    after = text[at:].lstrip()
    if len(after) > MOST_DRESS or not _AFTER_BRACKET.fullmatch(after):
        refuse("after_bracket", lines.of(len(text) - len(after)), after)
    return RawTable([row for row in rows if row])


def _block(text: str, at: int, lines: _Lines) -> tuple[list[tuple[int, int]], int]:
    """Return where the rows of the brackets that open here start and end, and where the brackets end."""
    rows: list[tuple[int, int]] = []
    depth, opened, end_of_row = 0, at, at
    for sign in _BRACKET.finditer(text, at):
        if sign[0] == "[":
            depth += 1
            if depth > 2:
                refuse("third_bracket", lines.of(sign.start()))
            if depth == 2:
                _nothing_between(text, end_of_row if rows else at + 1, sign.start(), lines)
            opened = sign.end()
            continue
        if depth == 2 or not rows:
            rows.append((opened, sign.start()))
        else:
            _nothing_between(text, end_of_row, sign.start(), lines)
        depth, end_of_row = depth - 1, sign.end()
        if depth == 0:
            return rows, sign.end()
    refuse("open_bracket", lines.of(opened))


def _nothing_between(text: str, start: int, end: int, lines: _Lines) -> None:
    between = text[start:end].strip(" \t\r\n,;")
    if between:
        key = "shortened" if between.startswith("...") else "between_brackets"
        refuse(key, lines.of(text.index(between, start)), between)


def _cells_between(text: str, start: int, end: int, lines: _Lines) -> list[RawCell]:
    inner = text[start:end]
    by_comma = "," in inner
    cells: list[RawCell] = []
    for part in (_BY_COMMA if by_comma else _BY_BLANK).finditer(inner):
        cell = part[0].removesuffix(",").strip()
        if not cell and not part[0].endswith(","):
            continue  # after a closing comma comes no cell
        at = start + part.start() + len(part[0]) - len(part[0].lstrip())
        cells.append(RawCell(cell, lines.of(at)))
    return cells


# LaTeX


def _latex(text: str) -> RawTable:
    lines = _Lines(text)
    begin = _LATEX.search(text)
    start = begin.end() if begin else 0
    closing = _LATEX_END.search(text, start)
    end = closing.start() if closing else len(text)
    if begin and not closing:
        refuse("no_end", lines.of(begin.start()))
    second = _LATEX.search(text, end)
    if second:
        refuse("second_matrix", lines.of(second.start()))
    rows = []
    row_start = start
    for stop in [*_LATEX_ROW.finditer(text, start, end), None]:
        row_end = stop.start() if stop else end
        row = _latex_row(text, row_start, row_end, lines)
        if any(cell.text for cell in row) or (stop and len(row) > 1):
            rows.append(row)
        row_start = stop.end() if stop else end
    return RawTable(rows)


def _latex_row(text: str, start: int, end: int, lines: _Lines) -> list[RawCell]:
    cells, at = [], start
    for part in text[start:end].split("&"):
        bare = _LATEX_FRACTION.sub(r"\1/\2", _LATEX_LINE.sub("", part))
        leading = at + len(part) - len(part.lstrip())
        cells.append(RawCell(_LATEX_DRESS.sub("", bare).strip(), lines.of(min(leading, end))))
        at += len(part) + 1
    return cells


# Markdown


def _markdown(text: str) -> RawTable:
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    rules = [i for i, (_, line) in enumerate(lines) if "-" in line and _MARKDOWN_RULE.fullmatch(line)]
    rows = [[RawCell(cell.strip(), number) for cell in _inside(line).split("|")] for number, line in lines]
    if not rules or rules[0] != 1:
        return RawTable([row for i, row in enumerate(rows) if i not in rules], by_lines=True)
    header, body = rows[0], [row for i, row in enumerate(rows) if i > 1 and i not in rules]
    if not header[0].text or not all(_like_a_number(cell.text) for cell in header):
        # With a header, and nothing above the first column, that column holds the names of the rows.
        return RawTable([row[1:] for row in body] if not header[0].text else body, by_lines=True)
    return RawTable([header, *body], by_lines=True)


def _inside(line: str) -> str:
    return line.removeprefix("|").removesuffix("|")


def _like_a_number(text: str) -> bool:
    return bool(re.fullmatch(r"[^A-Za-z]*[0-9][^A-Za-z]*", text))
