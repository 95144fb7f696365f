"""The tables of a handout, read together: each tells how another is read, where that is open."""

from collections.abc import Callable, Mapping

from attnviz.core.stages import head_name
from attnviz.marking.heads import base_of, path_of
from attnviz.marking.shapes import columns_shown, rows_shown
from attnviz.tables.printed_table import Printed
from attnviz.tables.reading import read_table
from attnviz.tables.stacked import stacked, unstacked
from attnviz.tables.stage_names import OF_A_HEAD

MAY_BE_MASKED = ("mask", "scores", "scaled_scores", "attention_weights")
Read = Callable[[str, bool, int | None, int | None], Printed | str]


def tables_in(texts: Mapping[str, str], read: Read | None = None) -> dict[str, Printed | str]:
    """Return the table in each text, or why there is none.

    `read` reads one: a text, whether it may be masked, and how many columns and rows it has to have, where that is
    known. Where a comma may begin decimals or part two numbers, or a first row be a head, the other tables decide, if
    they show how many rows and columns there have to be. Tables of several heads in one text are taken apart.

    >>> tables_in({"q": "0 1\\n0.57 0.81", "k": "1 2", "scores": "2.2"})["q"]
    Printed(rows=((0.57, 0.81),), decimals=2, shown=((2, 2),))
    """
    read = read or table_or_why_not
    texts = _by_heads(texts)
    tables = {name: read(text, base_of(name) in MAY_BE_MASKED, None, None) for name, text in texts.items()}
    of_all = {name: text for name, text in texts.items() if not path_of(name)}
    for name, text in of_all.items():
        shapes = {each: _shape(tables[each], texts[each]) for each in of_all}
        plain = {each: table.shape for each in of_all if isinstance(table := tables[each], Printed)}
        columns, rows = columns_shown(name, shapes), rows_shown(name, plain)
        if (columns is not None and shapes[name][1] != columns) or (rows is not None and shapes[name][0] != rows):
            again = read(text, name in MAY_BE_MASKED, columns, rows)
            fits = isinstance(again, Printed) and again.shape[1] == (columns or again.shape[1])
            tables[name] = again if fits else tables[name]
    return tables


def by_fields(tables: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of tables with those of several heads joined to one for each matrix.

    >>> by_fields({"q": "1", "heads.0.scores": "2", "heads.1.scores": "3"})
    {'q': '1', 'scores': 'Head 0\\n2\\n\\nHead 1\\n3'}
    """
    fields = {name: text for name, text in tables.items() if not path_of(name)}
    of_heads: dict[str, dict[int, str]] = {}
    for name, text in tables.items():
        if path_of(name) and base_of(name) not in fields:
            of_heads.setdefault(base_of(name), {})[int(name.split(".")[1])] = text
    return fields | {name: stacked(parts) for name, parts in of_heads.items()}


def _by_heads(texts: Mapping[str, str]) -> dict[str, str]:
    """Return texts with those that hold the tables of several heads taken apart."""
    apart: dict[str, str] = {}
    for name, text in texts.items():
        parts = unstacked(text) if name in OF_A_HEAD else {}
        apart |= {head_name(head, name): part for head, part in parts.items()} or {name: text}
    return apart


def _shape(table: Printed | str, text: str) -> tuple[int, int | None]:
    if isinstance(table, Printed):
        return table.shape
    return sum(bool(line.strip()) for line in text.splitlines()), None


def table_or_why_not(text: str, masked: bool, columns: int | None, rows: int | None) -> Printed | str:
    """Return the table in a text, or a sentence that says why there is none."""
    try:
        return read_table(text, infinite=masked, columns=columns, expected_rows=rows, blanks=True)
    except ValueError as error:
        return str(error)
