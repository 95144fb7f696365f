"""The tables of a handout: read together, and whether they fit together."""

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import replace

from attnviz.core.limits import MAX_D, RefusedError, check_whole
from attnviz.core.stages import EVERY_STAGE, MASK, Table, head_name, layer_table
from attnviz.core.stages.tables import sizes_of
from attnviz.features.check.marking.settings import base_of, gone_on_with, path_of
from attnviz.features.tables.printed_table import Printed
from attnviz.features.tables.reading import read_table
from attnviz.features.tables.stage_names import OF_A_HEAD, stacked, unstacked

_LINES = ("row", "column")
_KINDS = {"query": "queries", "key": "keys"}  # Stage.rows or .columns -> what a message calls such tokens


def check_shapes(shapes: Mapping[str, tuple[int, ...]], table: Table | None = None, d_v: int | None = None) -> None:
    """Raise ``ValueError`` for the first table that doesn't fit those before it.

    With several heads, `table` has to have the stages, and `d_v` counts the context columns of all heads.
    """
    table = table or _table_of(shapes)
    residual = table.get("residual_1")
    if residual is not None and residual.sources:
        # A sum needs two tables of equal width. First, all tables have to fit together without the sum.
        alone = {**table, "residual_1": replace(residual, rule=None, sources=())}
        check_shapes(shapes, alone)
        _check_widths(shapes, alone, residual.sources, d_v)
    sizes = _sizes(shapes, table)
    first: dict[str, tuple[str, int]] = {}  # size -> the first table that shows it, and its axis that does
    for name, shape in shapes.items():
        stage = table.get(name, EVERY_STAGE[base_of(name)])
        for axis, counts in enumerate(sizes[name]):
            counted = (shape[axis], _LINES[axis])
            if counts == "1":
                if shape[axis] != 1:
                    raise RefusedError("fit_bias", table=base_of(name), counted=counted)
                continue
            other, of = first.setdefault(counts, (name, axis))
            due = (shapes[other][of], _LINES[of])
            if shape[axis] != due[0]:
                why = _KINDS.get((stage.rows, stage.columns)[axis], counts) if counts == "tokens" else counts
                raise RefusedError(
                    "fit_one", table=base_of(name), counted=counted, other=base_of(other), other_counted=due, why=why
                )


def _check_widths(
    shapes: Mapping[str, tuple[int, ...]], table: Table, sources: tuple[str, ...], d_v: int | None
) -> None:
    """Raise ``ValueError`` if X and what's added to it differ in width."""
    sizes = _sizes(shapes, table)
    shown = {counts: shapes[name][axis] for name in shapes for axis, counts in enumerate(sizes[name])}
    x, made = (shown.get(sizes[name][1]) for name in sources)
    made = d_v if made is None and sources[1] == "context" else made
    if x is not None and made is not None and x != made:
        raise RefusedError("not_added", other=sources[1], counted=(x, "column"), other_counted=(made, "column"))


def columns_shown(name: str, shapes: Mapping[str, tuple[int, int | None]]) -> int | None:
    """Return how many columns other tables require; None if they don't say.

    >>> columns_shown("x", {"w_q": (2, None)}), columns_shown("w_k", {"q": (3, 4)}), columns_shown("w_v", {"q": (3, 4)})
    (2, 4, None)
    """
    return _shown(name, 1, shapes, shapes)


def rows_shown(name: str, shapes: Mapping[str, tuple[int, int]]) -> int | None:
    """Return how many rows other tables require; None if they don't say.

    >>> rows_shown("w_q", {"x": (3, 2)}), rows_shown("k", {"scores": (3, 4)}), rows_shown("x", {"w_q": (2, 4)})
    (2, 4, None)
    """
    return _shown(name, 0, {each: shape for each, shape in shapes.items() if each != name}, [*shapes, name])


def _shown(name: str, axis: int, by: Mapping[str, tuple[int, int | None]], there: Iterable[str]) -> int | None:
    sizes = _sizes(there)
    counted = (
        (sizes[other][i], number)
        for other, shape in by.items()
        for i, number in enumerate(shape)
        if (other, i) != (name, axis)
    )
    return next((number for counts, number in counted if counts == sizes[name][axis] and number is not None), None)


def _table_of(shown: Container[str]) -> Table:
    """Return a single head's stages for these tables."""
    return gone_on_with(layer_table(positions=True, output=True, mask=MASK in shown), shown)


def _sizes(shown: Iterable[str], table: Table | None = None) -> Mapping[str, tuple[str, str]]:
    """Return what rows and columns count, such as tokens, queries or d_k."""
    shown = frozenset(shown)
    return sizes_of(
        table or _table_of(shown), one_sequence=any(EVERY_STAGE[base_of(name)].colours == "inputs" for name in shown)
    )


def known_d_k(shapes: Mapping[str, tuple[int, ...]], stated: int | None) -> int | None:
    """Return d_k as shown or stated; raise ``ValueError`` where both differ."""
    if stated is not None:
        check_whole("d_k", stated, 1, MAX_D)
    for name, (_, columns) in _sizes(shapes).items():
        if columns == "d_k" and name in shapes and not EVERY_STAGE[name].is_vector:
            shown = shapes[name][1]
            if stated not in (None, shown):
                raise RefusedError("fit_d_k", value=stated, table=name, counted=(shown, "column"))
            return shown
    return stated


MAY_BE_MASKED = ("mask", "scores", "scaled_scores", "attention_weights")
Read = Callable[[str, bool, int | None, int | None], Printed | str]


def tables_in(texts: Mapping[str, str], read: Read | None = None) -> dict[str, Printed | str]:
    """Return the table in each text, or why there is none.

    `read` is called with a text, whether the table may be masked, and its number of columns and of rows, if known. A
    comma may be a decimal comma or separate two numbers, and a first row may be a header. The other tables decide that
    if they show how many rows and columns the table has. A text with tables of several heads is split by head.
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
    """Return tables' texts with those of several heads joined by matrix."""
    fields = {name: text for name, text in tables.items() if not path_of(name)}
    of_heads: dict[str, dict[int, str]] = {}
    for name, text in tables.items():
        if path_of(name) and base_of(name) not in fields:
            of_heads.setdefault(base_of(name), {})[int(name.split(".")[1])] = text
    return fields | {name: stacked(parts) for name, parts in of_heads.items()}


def _by_heads(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the texts with those of several heads split by head."""
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
    """Return the table in a text, or a sentence saying why not."""
    try:
        return read_table(text, infinite=masked, columns=columns, expected_rows=rows, blanks=True)
    except ValueError as error:
        return str(error)
