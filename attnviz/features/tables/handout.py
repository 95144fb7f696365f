"""Several tables in one text, such as a notebook or a handout."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from attnviz.core.stages import EVERY_STAGE, head_name
from attnviz.features.tables.cells import undressed
from attnviz.features.tables.grids import in_columns
from attnviz.features.tables.markup import tables_of_html
from attnviz.features.tables.names import INFINITE, MASKED
from attnviz.features.tables.printouts import CODE_OF_R
from attnviz.features.tables.stage_names import OF_A_HEAD, first_of, head_of_line, head_said, stage_named
from attnviz.typed_numbers import MINUS_SIGNS, is_number

_PROMPT = re.compile(
    r"[ \t]{0,8}(?:>>>|In ?\[[0-9 *]{0,6}\]:|julia>|octave(?::[0-9]{1,6})?>|>>|>)[ \t]{0,8}"
    r"(?:(?:print|display|disp|pprint)\([ \t]{0,4})?([\w.]{1,30}?)"
    r"(?:\.(?:round|detach|numpy|tolist)\([^()]{0,10}\)){0,3}[ \t]{0,4}\)?;?[ \t]{0,8}"
)
_BEGINS = f"-+{MINUS_SIGNS}.0-9"  # characters that begin a number
_LETTER = re.compile(r"[^\W\d_]")
_OUT = re.compile(r"[ \t]{0,8}Out ?\[[0-9]{0,6}\]:")
_THEN_TABLE = re.compile(
    r"=\s{0,4}(?=\\begin|\\left|\[[" + _BEGINS + r"\[]|(?:tensor|array|np\.array|torch\.tensor)\()"
)
# R code counts as a named table, so that reading it gives the message that R code can't be read.
_OF_R = re.compile(rf"[ \t>]{{0,8}}(?:(\w{{1,30}})\s{{0,4}}(?:<-|=)\s{{0,4}})?(?:t\()?{CODE_OF_R}")
_OF_DICT = re.compile(r"[{,]\s{0,20}['\"]([\w′ ]{1,30})['\"]\s{0,4}:\s{0,4}(?=[\w.(\[]{0,30}\[)")
_BEGINS_TABLE = re.compile(
    r"[$\s]*(?:\\left\s*[\[(.|]?\s*)?(?:(?:[\w.]{1,30}\()*\s*[\[({]\s*[" + _BEGINS + r"\[({nt]|\\begin"
    r"|[-+" + MINUS_SIGNS + r"]?[.0-9])"
)
_NAME_FIRST = re.compile(r"[#>*\s$-]{0,12}([^=:\n]{1,60}?)[ \t$*]{0,8}(?:=|:|<-)(?!=)[ \t*]{0,8}(.*)", re.DOTALL)
_NAME_THEN_BRACKET = re.compile(
    r"\s{0,8}([^\[\n:=]{1,40}?)[ \t]{1,8}((?:[\w.]{1,20}\()?\[\[?\s*[" + _BEGINS + r"].*)", re.DOTALL
)
_CORNER = re.compile(r"([\"']?)([\w′'^{}]{1,8}?)\1([,;\t])(.*)", re.DOTALL)
_CELLS = re.compile(r"[,;\t]")
_WORDS = re.compile(r"[^\W\d_]{2,}")
# Contents of masked or open cells; these don't count as words of a sentence.
_NO_WORDS = re.compile(
    rf"(?<![^\W\d_])(?:[-+{MINUS_SIGNS}]\s?)?(?:inf|infinity|∞|\\?infty|nan|masked|mask)(?![^\W\d_])", re.IGNORECASE
)
_NUMBERS = re.compile(rf"(?<![\w.])[-+{MINUS_SIGNS}]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)")
_LAYER = re.compile(r"layers\.[0-9]{1,2}\s*")  # exported scripts print it above a layer's tables
_OF_ALL = re.compile(r"concat|all (?:the )?heads|together|side by side", re.IGNORECASE)
_MOST_OF_A_NAME = 90
MAX_CHARACTERS = 2_000_000
_MOST_OF_A_LINE = 1000
_SIGNS_OF_TABLES = ("|", "[", "&", "\t", "\\\\", "\\begin")


class Sorted(NamedTuple):
    """Tables' texts by stage; `twice` names stages with several tables."""

    tables: dict[str, str]
    twice: tuple[str, ...] = ()


def sorted_tables(text: str) -> Sorted:
    """Return the tables that a text names, each with its own text.

    If there are several layers, they are the first layer's. Tables of stages that handouts can't have are left out.
    """
    found = list(_of_json(text) if text.lstrip()[:1] == "{" else ())
    if not found and "<table" in text:
        found = [(name, table) for heading, table in tables_of_html(text) if (name := stage_named(heading))]
    found = found or list(_named_parts(in_columns(text)))
    tables: dict[str, str] = {}
    twice: dict[str, None] = {}
    for name, table in (each for each in found if each[0].rpartition(".")[2] in EVERY_STAGE):
        whole = name.rpartition(".")[2]  # a table below the last head may be that of all heads
        called = whole if name in tables and whole not in tables else name
        if tables.setdefault(called, table) is not table:
            twice[name] = None
    if "output" in tables and not {"w_o", "b_o", "context"} & set(tables):
        tables = {"context" if name == "output" else name: table for name, table in tables.items()}
    heads = {name: int(name.split(".")[1]) for name in tables if name.count(".") == 2}
    first = first_of(heads.values())
    counted = {n: head_name(heads[n] - first, n.rpartition(".")[2]) if n in heads else n for n in tables}
    return Sorted({counted[name]: table for name, table in tables.items()}, tuple(twice))


def may_hold_several(text: str) -> bool:
    """Whether a text may hold several tables, by a quick look.

    >>> may_hold_several("0.5 0.2\\n0.1 0.3"), may_hold_several("Q = [[1]]\\nK = [[2]]")
    (False, True)
    """
    return len(text) < MAX_CHARACTERS and bool(_LETTER.search(text))


# JSON may be the app's own, a dictionary of matrices, or a notebook.


def _of_json(text: str) -> Iterator[tuple[str, str]]:
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return
    if isinstance(held, dict) and isinstance(held.get("cells"), list):
        yield from _named_parts("\n\n".join(_of_notebook(held["cells"])))
        return
    matrices = held.get("matrices", held) if isinstance(held, dict) else {}
    for key, rows in matrices.items() if isinstance(matrices, Mapping) else ():
        name = stage_named(str(key))
        if not name or not isinstance(rows, list) or not rows:
            continue
        if isinstance(rows[0], list) and rows[0] and isinstance(rows[0][0], list):
            yield from ((head_name(head, name), _lines(each)) for head, each in enumerate(rows))
        else:
            yield name, _lines(rows)


def _lines(rows: list[Any]) -> str:
    cells = (row if isinstance(row, list) else [row] for row in rows)
    return "\n".join("  ".join("?" if cell is None else str(cell) for cell in row) for row in cells)


def _of_notebook(cells: list[Any]) -> Iterator[str]:
    """Yield a notebook's outputs, each named by its cell's last line."""
    for cell in (each for each in cells if isinstance(each, dict)):
        source = _joined(cell.get("source"))
        if cell.get("cell_type") == "markdown":
            yield source
        last = source.rstrip().rpartition("\n")[2].strip()
        for output in (each for each in cell.get("outputs") or () if isinstance(each, dict)):
            data = output.get("data")
            shown = _joined(data.get("text/plain") if isinstance(data, dict) else output.get("text"))
            named = output.get("output_type") == "execute_result" and re.fullmatch(r"[\w.]{1,30}", last)
            yield f"{last} =\n{shown}" if named else shown


def _joined(text: Any) -> str:
    return "".join(map(str, text)) if isinstance(text, list) else str(text or "")


# Text: a name, and the table below it


def _named_parts(text: str) -> Iterator[tuple[str, str]]:
    if _OF_DICT.search(text):
        text = _OF_DICT.sub(r"\n\1 = ", text)
    lines = text.splitlines()
    marks = _marks_in(lines)
    for k, (i, name, first) in enumerate(marks):
        if not name:
            continue  # the heading of a head or layer, whose tables have names of their own
        end = marks[k + 1][0] if k + 1 < len(marks) else len(lines)
        part = _table_part([first, *lines[i + 1 : end]])
        if part:
            yield name, part


def _marks_in(lines: list[str]) -> list[tuple[int, str, str]]:
    """Return the lines that name a table, with name and first row.

    The name is blank for the heading of a head or layer, whose tables follow.
    """
    marks: list[tuple[int, str, str]] = []
    head: int | None = None
    for i, line in enumerate(lines):
        if (of := head_of_line(line)) is not None and not _is_within(marks, lines, i):
            head = of
            marks.append((i, "", ""))
        elif _LAYER.fullmatch(line):
            head = None
            marks.append((i, "", ""))
        elif mark := _mark_of(line):
            name, first = mark
            if name not in OF_A_HEAD or _OF_ALL.search(line):
                head = head if "." in name else None
            elif head is not None:
                name = head_name(head, name)
            marks.append((i, name, first))
    return marks


def _is_within(marks: list[tuple[int, str, str]], lines: list[str], i: int) -> bool:
    """Whether a head's heading follows its table's name: "Scores", "Head 0"."""
    if not marks or not marks[-1][1] or marks[-1][2] or "." in marks[-1][1]:
        return False
    between = [line for line in lines[marks[-1][0] + 1 : i] if line.strip()]
    return not between or any(head_of_line(line) is not None for line in between)


def _mark_of(line: str) -> tuple[str, str] | None:
    """Return the stage that a line names, and its table part."""
    if not _LETTER.search(line) or _OUT.match(line):
        return None
    if found := _OF_R.match(line):
        name = stage_named(found[1] or "")
        return (name, line) if name else None
    if not line.strip() or len(line) > _MOST_OF_A_LINE:
        head = line[:_MOST_OF_A_NAME]
        found = _NAME_FIRST.fullmatch(head)
        name = stage_named(found[1]) if found and _BEGINS_TABLE.match(found[2]) else None
        return (name, line) if name else None
    if found := _PROMPT.fullmatch(line):
        name = stage_named(found[1])
        return (name, "") if name else None
    if found := _NAME_FIRST.fullmatch(line):
        name = stage_named(found[1])
        if name and _BEGINS_TABLE.match(found[2]):
            return name, line.strip()
        if name and (then := _THEN_TABLE.search(found[2])):
            return name, found[2][then.end() :]
        if name and (len(line) <= _MOST_OF_A_NAME or "=" in line):
            return name, ""
    if found := _NAME_THEN_BRACKET.fullmatch(line):
        name = stage_named(found[1])
        return (name, found[2]) if name else None
    if (
        (found := _CORNER.fullmatch(line))
        and not any(re.search("[.,][0-9]", each) for each in found[4].split(found[3]))
        and head_said(line)[0] is None
    ):
        name = stage_named(found[2]) if found[2][:1].isupper() or "_" in found[2] else None
        return (name, line) if name else None
    is_heading = len(line) <= _MOST_OF_A_NAME and not any(sign in line for sign in "|[&\t") and not _is_row(line)
    name = stage_named(line) if is_heading else None
    return (name, "") if name else None


def _is_row(line: str) -> bool:
    """Whether numbers follow a line's first word, such as a token.

    Some of them may be masked, but not all: “The input, X” is a heading.
    """
    cells = [undressed(cell.strip())[0] for cell in _CELLS.split(line)[1:]]
    numbers = [bool(is_number(cell) or INFINITE.fullmatch(cell)) for cell in cells]
    return any(numbers) and all(is_one or MASKED.fullmatch(each) for each, is_one in zip(cells, numbers, strict=True))


def _table_part(lines: list[str]) -> str:
    """Return the lines of a table, without the sentences around it."""
    taken: list[str] = []
    for paragraph in _paragraphs(lines):
        rows = [line for line in paragraph if not _is_prose(line)]
        is_table = len(rows) * 2 > len(paragraph) and any(_NUMBERS.search(row) or _NO_WORDS.search(row) for row in rows)
        if is_table:
            taken += ["", *rows] if taken else rows
        elif taken and len(paragraph) > len(rows):
            break
    return "\n".join(taken).strip("\n")


def _paragraphs(lines: list[str]) -> Iterator[list[str]]:
    """Yield paragraphs, ignoring blank lines within brackets or LaTeX."""
    paragraph: list[str] = []
    depth = 0
    for line in lines:
        if line.strip().startswith(("```", "~~~")):
            continue
        depth += line.count("[") - line.count("]") + line.count("\\begin{") - line.count("\\end{")
        if line.strip():
            paragraph.append(line)
        elif paragraph and depth <= 0:
            yield paragraph
            paragraph, depth = [], 0
    if paragraph:
        yield paragraph


def _is_prose(line: str) -> bool:
    if any(sign in line for sign in _SIGNS_OF_TABLES):
        return False
    others, hidden = _NO_WORDS.subn(" ", line)
    words = len(_WORDS.findall(others))
    return words >= 4 and words > len(_NUMBERS.findall(others)) + hidden
