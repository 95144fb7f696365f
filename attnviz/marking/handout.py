"""The tables of a handout, read together: each tells how another is read, where that is open."""

from collections.abc import Callable, Mapping

from attnviz.marking.shapes import columns_shown, rows_shown
from attnviz.tables.printed_table import Printed
from attnviz.tables.reading import read_table

MAY_BE_MASKED = ("scores", "scaled_scores", "attention_weights")
Read = Callable[[str, bool, int | None, int | None], Printed | str]


def tables_in(texts: Mapping[str, str], read: Read | None = None) -> dict[str, Printed | str]:
    """Return the table in each text, or why there is none.

    `read` reads one: a text, whether it may be masked, and how many columns and rows it has to have, where that is
    known. Where a comma may begin decimals or part two numbers, or a first row be a head, the other tables decide, if
    they show how many rows and columns there have to be.

    >>> tables_in({"q": "0 1\\n0.57 0.81", "k": "1 2", "scores": "2.2"})["q"]
    Printed(rows=((0.57, 0.81),), decimals=2, shown=((2, 2),))
    """
    read = read or table_or_why_not
    tables = {name: read(text, name in MAY_BE_MASKED, None, None) for name, text in texts.items()}
    for name, text in texts.items():
        shapes = {each: _shape(table, texts[each]) for each, table in tables.items()}
        plain = {each: table.shape for each, table in tables.items() if isinstance(table, Printed)}
        columns, rows = columns_shown(name, shapes), rows_shown(name, plain)
        if (columns is not None and shapes[name][1] != columns) or (rows is not None and shapes[name][0] != rows):
            again = read(text, name in MAY_BE_MASKED, columns, rows)
            fits = isinstance(again, Printed) and again.shape[1] == (columns or again.shape[1])
            tables[name] = again if fits else tables[name]
    return tables


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
