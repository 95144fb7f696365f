"""Which cells a declaration reads, and which read a marked cell."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from attnviz.core.rules.expression import Parts

Shape = tuple[int, int]  # (rows, columns); a vector is one row
Block = tuple[range, range]  # (rows, columns): all cells in these rows and columns
Pieces = Sequence[Mapping[str, Any]]  # a declaration in JSON form, see `Piece.as_json`
NOTHING: Block = (range(0), range(0))


class Read(NamedTuple):
    """The cells of one source that `n` terms read.

    `row` and `column` are indices in JSON form; :func:`index_at` computes from them which cell term k reads.
    """

    source: int
    row: Parts
    column: Parts
    n: int


def index_at(parts: Parts, i: Any, j: Any, k: Any = 0) -> Any:
    """Return a source's row or column at (i, j, k); arrays broadcast.

    i and j are the result's row and column, and k is the number of the term in a sum.
    """
    constant, of_i, of_j, of_k, rest, modulus, entries = (*parts, 0, 1, ()) if len(parts) == 4 else parts
    at = constant
    for factor, place in ((of_i, i), (of_j, j), (of_k, k)):
        at = at + factor * place if factor else at
    at = at + rest * (j % modulus) if rest else at
    return at + np.asarray(entries)[i] if len(entries) else at


def piece_at(pieces: Pieces, row: int, column: int) -> Mapping[str, Any]:
    """Return the first piece that applies at a cell's row and column."""
    return next(piece for piece in pieces if holds(piece, row, column))


def holds(piece: Mapping[str, Any], row: Any, column: Any) -> Any:
    """Whether the rows and columns of cells meet a piece's conditions.

    Its conditions on numbers aren't checked.
    """
    places = [each for each in piece["where"] if not isinstance(each[0], str)]
    is_it: Any = True
    for index, low, high in places:
        at = index_at(index, row, column)
        is_it = is_it & (low <= at) & (at < high)
    return is_it


def reads_in(node: Parts, n: int = 1) -> Iterator[Read]:
    """Yield every read of an expression, in order.

    `n` is the number of terms of the sum around the expression, or 1.
    """
    op, *rest = node
    if op == "at":
        yield Read(rest[0], rest[1], rest[2], n)
    elif op in ("sum", "max"):
        yield from reads_in(rest[1], rest[0])
        yield from reads_in(rest[-1], n) if rest[-1] else ()
    else:
        for each in rest:
            if isinstance(each, list) and each and isinstance(each[0], str):
                yield from reads_in(each, n)


def block_of(piece: Mapping[str, Any], source: int, row: int, column: int, shape: Shape) -> Block:
    """Return the block of a source that a piece's cell reads."""
    spans = {
        _span(read, row, column, shape[1]) for read in reads_in(piece["value"]) if read.source == source and read.n
    }
    if not spans:
        return NOTHING
    tops, bottoms, lefts, rights = zip(*spans, strict=True)
    top, bottom, left, right = min(tops), max(bottoms), min(lefts), max(rights)
    is_pair = len(spans) == 2 and all(one == other for one, other in zip(lefts, rights, strict=True))
    return range(top, bottom + 1), range(left, right + 1, max(right - left, 1) if is_pair else 1)


def _span(read: Read, row: int, column: int, width: int) -> tuple[int, int, int, int]:
    """Return the first and last row, and the first and last column."""
    first, last = (
        divmod(int(index_at(read.row, row, column, k)) * width + int(index_at(read.column, row, column, k)), width)
        for k in (0, read.n - 1)
    )
    goes_on = first[0] != last[0] and not read.row[3]  # what is read continues in the next rows: all columns
    return first[0], last[0], 0 if goes_on else first[1], width - 1 if goes_on else last[1]


def touched(pieces: Pieces, shape: Shape, marks: Sequence[np.ndarray]) -> np.ndarray:
    """Return which cells of a matrix read a marked cell.

    The result is a table of bool of this `shape`; `marks` has such a table for each source.
    """
    found = np.zeros(shape, dtype=bool)
    for piece, is_there, (i, j) in _each_piece(pieces, shape):
        for read in set(map(_hashable, reads_in(piece["value"]))):
            found |= np.broadcast_to(_taken(marks[read.source], read, i, j).any(axis=2), shape) & is_there
    return found


def _each_piece(pieces: Pieces, shape: Shape) -> Iterator[tuple[Mapping[str, Any], np.ndarray, tuple[Any, Any]]]:
    """Yield each piece with the cells it applies to, and their indices."""
    i, j = np.arange(shape[0])[:, None, None], np.arange(shape[1])[None, :, None]
    left = np.ones(shape, dtype=bool)
    for piece in pieces:
        is_there = left & holds(piece, i[..., 0], j[..., 0])
        yield piece, is_there, (i, j)
        left &= ~is_there  # a condition on numbers excludes no cell, as in `piece_at`


def _hashable(read: Read) -> Any:
    row, column = (tuple(tuple(each) if isinstance(each, list) else each for each in line) for line in read[1:3])
    return read._replace(row=row, column=column)  # type: ignore[arg-type]


def _taken(table: np.ndarray, read: Read, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Return the values read from a table, along i, j and k.

    An axis has length 1 if the cells that are read don't depend on it.
    """
    k = np.arange(read.n)[None, None, :]
    flat = np.asarray(index_at(read.row, i, j, k) * table.shape[1] + index_at(read.column, i, j, k))
    taken: np.ndarray = table.reshape(-1).take(flat, mode="clip")
    return taken.reshape((1,) * (3 - taken.ndim) + taken.shape)
