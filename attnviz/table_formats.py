"""The formats in which people have tables: what stands in which cell, before any of it is read as a number.

Spreadsheets and CSV (tabs, semicolons, commas, blanks), print-outs of numpy and torch and lists of Python
(brackets), LaTeX matrices, and Markdown tables. Nothing is evaluated; a format is told by its signs.
"""

import csv
import re
from bisect import bisect_right
from typing import NamedTuple, NoReturn

_LATEX = re.compile(r"\\begin\s*\{(?:[a-zA-Z]*matrix\*?|array|tabular)\}(?:\[[^\]]{0,20}\])?(?:\{[^}]{0,200}\})?")
_LATEX_END = re.compile(r"\\end\s*\{")
_LATEX_ROW = re.compile(r"\\\\(?:\[[^\]]{0,20}\])?")
_LATEX_LINE = re.compile(r"\\(?:hline|toprule|midrule|bottomrule)")
_LATEX_DRESS = re.compile(r"\\h?phantom\{[^}]{0,20}\}|\\(?:math|text)(?:bf|it|rm|tt)|\\displaystyle|\\[,;:! ]|[${}~]")
_BEFORE_BRACKET = re.compile(r"\s*(?:[^\n=\[\](]{0,60}[=:])?\s*(?:Parameter containing:)?\s*(?:[\w.]{1,40}\()?\s*")
_AFTER_BRACKET = re.compile(r"(?:,\s*\w+\s*=\s*(?:<[^>]{0,80}>|[^,)\n]{0,40}))*\s*,?\s*\)?\s*[;,.]?\s*")
_MARKDOWN_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_BLANK_BEFORE_PERCENT = re.compile(r"(?<=[0-9.,])[ \u00a0\u202f]+(?=\\?%)")
_BLANKS_WITHIN = re.compile(r"[^,\s]\s+[^,\s]")

MOST_DRESS = 200  # characters of a print-out before and after its numbers


class RawCell(NamedTuple):
    """What stands in a cell, the line of the text where it stands, and its place in its row; both count from 1."""

    text: str
    line: int
    column: int


class RawTable(NamedTuple):
    """The cells of a table, row by row; in `by_lines` each row is one line. Numbers may have a decimal comma."""

    rows: list[list[RawCell]]
    by_lines: bool = False
    decimal_comma: bool = False


def split_table(text: str) -> RawTable:
    """Split a text into the cells of a table, in whichever format it is.

    Raises ``ValueError`` naming line and column where the format is broken.

    >>> [[cell.text for cell in row] for row in split_table("tensor([[1., 2.]], grad_fn=<MmBackward0>)").rows]
    [['1.', '2.']]
    """
    if "[" in text and not _LATEX.search(text):
        return _bracketed(text)
    if _LATEX.search(text) or ("&" in text and "\\\\" in text):
        return _latex(text)
    if "|" in text:
        return _markdown(text)
    return _delimited(text)


def refuse(cell: RawCell, expected: str) -> NoReturn:
    """Raise the ``ValueError`` that names a cell, what stands in it, and what was expected."""
    raise ValueError(f"line {cell.line}, column {cell.column} is {cell.text[:40]!r}, expected {expected}")


class _Lines:
    """Tells the line of a position in a text."""

    def __init__(self, text: str) -> None:
        self.starts = [0, *(match.end() for match in re.finditer("\r\n|[\r\n]", text))]

    def of(self, position: int) -> int:
        return bisect_right(self.starts, position)


# Spreadsheets and CSV


def _delimited(text: str) -> RawTable:
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    comma = _has_decimal_commas(lines)
    rows = []
    for number, line in lines:
        cells = _parted_by_blanks(line) if comma == "by blanks" else _cells_of_line(line)
        rows.append([RawCell(cell, number, column) for column, cell in enumerate(cells, 1)])
    return RawTable(rows, by_lines=True, decimal_comma=bool(comma))


def _has_decimal_commas(lines: list[tuple[int, str]]) -> str:
    """Say whether commas are decimal commas: beside tabs, semicolons or quotes, or where only blanks part the cells."""
    with_comma = [line for _, line in lines if "," in line]
    if not with_comma:
        return ""
    if any("\t" in line or ";" in line for _, line in lines):
        return "by signs"
    if any('"' in line for line in with_comma):
        return "by signs" if any("," in cell for line in with_comma for cell in _cells_of_line(line)) else ""
    blanks_part = all(", " not in line and _BLANKS_WITHIN.search(line) for line in with_comma)
    return "by blanks" if blanks_part else ""


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


def _bracketed(text: str) -> RawTable:
    lines, rows = _Lines(text), []
    at = text.index("[")
    before = text[:at].strip()
    if len(before) > MOST_DRESS or not _BEFORE_BRACKET.fullmatch(before):
        refuse(RawCell(before, lines.of(len(text) - len(text.lstrip())), 1), "a table")
    while at < len(text) and text[at] == "[":
        block, at = _block(text, at, lines)
        rows += [_cells_between(text, start, end, lines) for start, end in block]
        rest = re.compile(r"[\s,;]*").match(text, at)
        if rest and text[rest.end() : rest.end() + 1] == "[":
            at = rest.end()  # rows without brackets around them all
    after = text[at:].lstrip()
    if len(after) > MOST_DRESS or not _AFTER_BRACKET.fullmatch(after):
        refuse(RawCell(after, lines.of(len(text) - len(after)), 1), "nothing after the table")
    return RawTable([row for row in rows if row])


def _block(text: str, at: int, lines: _Lines) -> tuple[list[tuple[int, int]], int]:
    """Return where the rows of the brackets that open here start and end, and where the brackets end."""
    rows: list[tuple[int, int]] = []
    depth, opened, end_of_row = 0, at, at
    for sign in re.compile(r"[\[\]]").finditer(text, at):
        if sign[0] == "[":
            depth += 1
            if depth > 2:
                raise ValueError(
                    f"line {lines.of(sign.start())} opens a third bracket, expected one table and no batch"
                )
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
    raise ValueError(f"line {lines.of(opened)}: a bracket is opened and not closed")


def _nothing_between(text: str, start: int, end: int, lines: _Lines) -> None:
    between = text[start:end].strip(" \t\r\n,;")
    if between:
        at = text.index(between, start)
        hint = "all rows (the print-out is shortened)" if between.startswith("...") else "a row in brackets"
        refuse(RawCell(between, lines.of(at), 1), hint)


def _cells_between(text: str, start: int, end: int, lines: _Lines) -> list[RawCell]:
    inner = text[start:end]
    by_comma = "," in inner
    cells: list[RawCell] = []
    for part in re.finditer(r"[^,]*,?" if by_comma else r"\S+", inner):
        cell = part[0].removesuffix(",").strip()
        if not cell and not part[0].endswith(","):
            continue  # after a closing comma comes no cell
        at = start + part.start() + len(part[0]) - len(part[0].lstrip())
        cells.append(RawCell(cell, lines.of(at), len(cells) + 1))
    return cells


# LaTeX


def _latex(text: str) -> RawTable:
    lines = _Lines(text)
    begin = _LATEX.search(text)
    start = begin.end() if begin else 0
    closing = _LATEX_END.search(text, start)
    end = closing.start() if closing else len(text)
    if begin and not closing:
        raise ValueError(f"line {lines.of(begin.start())}: a matrix begins and does not \\end")
    second = _LATEX.search(text, end)
    if second:
        raise ValueError(f"line {lines.of(second.start())}: a second matrix begins, expected one table")
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
    for column, part in enumerate(text[start:end].split("&"), 1):
        bare = _LATEX_LINE.sub("", part)
        leading = at + len(part) - len(part.lstrip())
        cells.append(RawCell(_LATEX_DRESS.sub("", bare).strip(), lines.of(min(leading, end)), column))
        at += len(part) + 1
    return cells


# Markdown


def _markdown(text: str) -> RawTable:
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    rules = [i for i, (_, line) in enumerate(lines) if "-" in line and _MARKDOWN_RULE.fullmatch(line)]
    rows = [
        [RawCell(cell.strip(), number, column) for column, cell in enumerate(_inside(line).split("|"), 1)]
        for number, line in lines
    ]
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
