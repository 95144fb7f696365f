"""Which cells a cell is made from, by the rule of its stage alone."""

from collections.abc import Mapping

from attnviz.core.limits import check_whole
from attnviz.core.rules import Cells
from attnviz.core.stages import EVERY_STAGE, Table
from attnviz.core.trace import Trace

Shapes = Mapping[str, tuple[int, int]]  # (rows, columns) of each matrix, by its name


def shapes_of(trace: Trace) -> dict[str, tuple[int, int]]:
    """Return ``(rows, columns)`` of every matrix that a trace has, by its name; a bias is one row.

    Raises ``ValueError`` for a batched trace.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> shapes_of(trace(Scenario()))["w_q"]
    (3, 2)
    """
    shapes = {}
    for name, matrix in trace.matrices.items():
        if matrix.dim() > 2:
            raise ValueError(f"{name} has shape {tuple(matrix.shape)}, expected one matrix and no batch")
        shapes[name] = (1, *matrix.shape)[-2:]
    return shapes


def sources_of(name: str, row: int, column: int, shapes: Shapes, table: Table = EVERY_STAGE) -> tuple[Cells, ...]:
    """Return the cells that a cell is made from, by the rule of its stage; a given cell is made from none.

    `shapes` holds ``(rows, columns)`` of each matrix by its name, as from :func:`shapes_of`; a bias or a mask without a
    shape is not added, and what would be made from another matrix without a shape is given. A masked cell keeps
    the source that the mask hides, and a softmax its masked cells.

    Raises ``ValueError`` for a matrix without a shape, and for a row or column outside of it.

    >>> sources_of("scores", 1, 5, {"scores": (6, 6), "q": (6, 2), "k": (6, 2)})[1].symbols
    'K[5, :]'
    """
    if not isinstance(name, str) or name not in table or name not in shapes:
        raise ValueError(f"{name!r} is no matrix of this trace, expected one of {', '.join(shapes)}")
    row = check_whole(f"row of {name}", row, 0, shapes[name][0] - 1)
    column = check_whole(f"column of {name}", column, 0, shapes[name][1] - 1)
    stage = table[name]
    there = tuple(
        source
        for source in stage.sources
        if source in shapes or not (table[source].is_vector or source == stage.masked_by)
    )
    if stage.rule is None or any(source not in shapes for source in there):
        return ()
    blocks = stage.rule.reads(row, column, *(shapes[source] for source in there))
    return tuple(Cells(table[source], *block) for source, block in zip(there, blocks, strict=True))
