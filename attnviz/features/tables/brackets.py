"""Tables in brackets, as numpy, torch, Python and Matlab write them."""

import re
from collections import Counter

from attnviz.features.tables.cells import Lines, RawCell, RawTable, levels, refuse
from attnviz.typed_numbers import MINUS_SIGNS

MOST_DRESS = 200  # characters of a print-out before its numbers, and after them, at most
MOST_AXES = 6
_MOST_OF_A_SHORT_LINE = 48  # characters; numpy wraps long rows only after far more

_VALUE = r"(?:<[^>]{0,80}>|\([^)]{0,40}\)|[^,)\n(<]{0,40})"
_BEFORE = re.compile(
    r"\s*(?:(?:[^\n=\[\](<]{0,60}[=:]|\w{1,30}(?=\s))\s*)?(?:Parameter containing:)?\s*"
    r"(?:<[\w.]{1,40}[^\[\]]{0,120}=\s*)?(?:[\w.]{1,40}\()?\s*"
)
_AFTER = re.compile(rf"(?:,\s*\w+\s*=\s*{_VALUE})*\s*,?\s*\)?\s*[>}}]?\s*(?:<NDArray[^<>\n]{{0,60}}>)?\s*[;,.]?\s*")
_BETWEEN_BLOCKS = re.compile(r"[\s,;]*")
_BY_COMMA, _BY_BLANK = re.compile(r"[^,]*,?"), re.compile(r"\S+")
_ONE_COMMA = re.compile(rf"\s*[-+{MINUS_SIGNS}]?[0-9]*,[0-9]+\s*")


def bracketed(text: str, columns: int | None) -> RawTable:
    """Return the cells of a table in brackets, or of its batch."""
    lines, rows = Lines(text), []
    at = text.index("[")
    before = text[:at].strip()
    if len(before) > MOST_DRESS or not _BEFORE.fullmatch(text[:at] if len(text[:at]) < 2 * MOST_DRESS else before):
        refuse("before_bracket", lines.of(len(text) - len(text.lstrip())), before)
    text = _only_of_its_batch(text, lines)
    at = text.index("[")
    while at < len(text) and text[at] == "[":
        block, at = _block(text, at, lines)
        for start, end in block:
            parts = _rows_within(text, start, end, lines, columns) if len(block) == 1 else [(start, end)]
            rows += [_cells_between(text, *part, lines) for part in parts]
        rest = _BETWEEN_BLOCKS.match(text, at)
        if rest and text[rest.end() : rest.end() + 1] == "[":
            at = rest.end()  # rows without brackets around all of them
    after = text[at:].lstrip()
    if len(after) > MOST_DRESS or not _AFTER.fullmatch(after):
        refuse("after_bracket", lines.of(len(text) - len(after)), after)
    return RawTable([row for row in rows if row])


def _only_of_its_batch(text: str, lines: Lines) -> str:
    """Remove the outer brackets, which are of axes of length 1."""
    signs = list(levels(text))
    deepest = max(level for _, _, level in signs)
    if deepest <= 2:
        return text
    opened, taken = Counter[int](), list(text)
    for at, opens, level in signs:
        if 0 < level <= deepest - 2:
            taken[at] = " "
        opened[level] += opens
        if opens and level < deepest and (opened[level] > 1 or deepest > MOST_AXES):
            refuse("third_bracket", lines.of(at))
    return "".join(taken)


def _block(text: str, at: int, lines: Lines) -> tuple[list[tuple[int, int]], int]:
    """Return where each row of these brackets is, and where they end."""
    rows: list[tuple[int, int]] = []
    opened = end_of_row = at
    for place, opens, level in levels(text, at):
        if opens:
            if level == 2:
                _nothing_between(text, end_of_row if rows else at + 1, place, lines)
            opened = place + 1
            continue
        if level == 2 or not rows:
            rows.append((opened, place))
        else:
            _nothing_between(text, end_of_row, place, lines)
        end_of_row = place + 1
        if level == 1:
            return rows, end_of_row
    refuse("open_bracket", lines.of(opened))


def _nothing_between(text: str, start: int, end: int, lines: Lines) -> None:
    between = text[start:end].strip(" \t\r\n,;")
    if between:
        key = "shortened" if between.startswith("...") else "between_brackets"
        refuse(key, lines.of(text.index(between, start)), between)


def _rows_within(text: str, start: int, end: int, lines: Lines, columns: int | None) -> list[tuple[int, int]]:
    """Return the rows in one pair of brackets, by semicolons or lines.

    Raises ``ValueError`` if lines may be rows, or a single row that was wrapped.
    """
    inner = text[start:end]
    if ";" in inner:
        rows = _parted(text, start, end, ";")
        if all(_ONE_COMMA.fullmatch(text[slice(*row)]) for row in rows):  # 0,5; 0,7
            part = text[slice(*rows[0])].strip()
            before, after = part.split(",")
            refuse("one_or_two", lines.of(start), part, one=f"“{before}.{after}”", two=f"“{before} {after}”")
        return rows
    rows = _parted(text, start, end, "\n")
    if len(rows) < 2:
        return [(start, end)]
    texts = [text[slice(*row)].strip() for row in rows]
    counts = [len(_cells_between(text, *row, lines)) for row in rows]
    if any(each.endswith(",") for each in texts[:-1]) or len(set(counts)) > 1:
        return [(start, end)]
    if counts[0] == columns:
        return rows
    if sum(counts) == columns or counts[0] == 1:
        return [(start, end)]
    if max(map(len, texts)) <= _MOST_OF_A_SHORT_LINE:
        return rows
    refuse("one_row_or_more", lines.of(start))


def _parted(text: str, start: int, end: int, sign: str) -> list[tuple[int, int]]:
    """Return the parts between a sign that are not blank."""
    parts, at = [], start
    for part in text[start:end].split(sign):
        if part.strip():
            parts.append((at, at + len(part)))
        at += len(part) + 1
    return parts or [(start, end)]


def _cells_between(text: str, start: int, end: int, lines: Lines) -> list[RawCell]:
    inner = text[start:end]
    by_comma = "," in inner
    cells: list[RawCell] = []
    for part in (_BY_COMMA if by_comma else _BY_BLANK).finditer(inner):
        cell = part[0].removesuffix(",").strip()
        if not cell and not part[0].endswith(","):
            continue  # no cell follows a closing comma
        at = start + part.start() + len(part[0]) - len(part[0].lstrip())
        cells.append(RawCell(cell, lines.of(at)))
    return cells
