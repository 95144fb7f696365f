"""What may be given for a matrix or for one of its cells, checked and made plain."""

from collections.abc import Iterable
from operator import index
from typing import Any, NamedTuple, cast

import numpy as np
from torch import Tensor

from attnviz.core import limits
from attnviz.core.errors import RefusedError
from attnviz.core.layers import OF_TOKENS, STACK, named, placed
from attnviz.core.published_matrices import Rows, stated_matrix
from attnviz.core.stages import BY_DISTANCE, EDITABLE, MASK, VECTORS

FILLS = ("identity", "zeros")
RANDOM_FILL = "random:"  # followed by a seed: this matrix alone is drawn from that seed
EXAMPLE_FILL = "example:"  # followed by the id of a worked example: its own numbers for this matrix

_LARGEST = float(np.finfo(np.float32).max)
TOO_LARGE = (2 - 2**-24) * 2.0**127  # for float32: from here on numbers round to infinity, below to the largest

Matrix = tuple[tuple[float, ...], ...]


class Edit(NamedTuple):
    """One edited cell, laid over its matrix; a bias has only row 0."""

    matrix: str
    row: int
    column: int
    value: float

    @property
    def cell(self) -> str:
        """The cell in short, as messages name it."""
        return f"{self.matrix}[{limits.in_short(self.row)}, {limits.in_short(self.column)}]"


class Edits:
    """The type of ``Scenario.edits`` for a type checker: what is given as plain tuples is read as :class:`Edit`."""

    def __get__(self, scenario: object, owner: object = None) -> tuple[Edit, ...]:
        raise NotImplementedError  # at runtime the field is a plain tuple

    def __set__(self, scenario: object, edits: Iterable[tuple[str, int, int, float]]) -> None:
        raise NotImplementedError


NO_EDITS = cast(Edits, ())


def plain(name: str, given: Any) -> Matrix | str | None:
    """Return explicit numbers as a tuple of rows, and leave a named fill or None alone."""
    if given is None or (isinstance(given, str) and _is_fill(name, given)):
        return given
    if isinstance(given, str):
        fills = f"{', '.join(FILLS)}, {RANDOM_FILL}N or {EXAMPLE_FILL}ID"
        message = f"{name} is {limits.in_short(given)}, expected numbers, {fills}"
        raise RefusedError(message, "fill", matrix=name, value=given)
    if isinstance(given, Tensor):
        given = given.detach().cpu()
    try:
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        message = f"{name} is not a table of numbers with rows of one length"
        raise RefusedError(message, "ragged", matrix=name) from None
    own = placed(name)[1]
    if own in VECTORS and array.ndim == 1:
        array = array[None, :]
    if array.ndim != 2 or 0 in array.shape:
        message = f"{name} has shape {array.shape}, expected a table of rows and columns"
        raise RefusedError(message, "ragged", matrix=name)
    most = (
        limits.MAX_TOKENS if own in OF_TOKENS else limits.MAX_D,
        limits.MAX_TOKENS if own == MASK else 2 * limits.MAX_TOKENS if own == BY_DISTANCE else limits.MAX_D,
    )
    if array.shape[0] > most[0] or array.shape[1] > most[1]:
        message = f"{name} has shape {array.shape}, expected at most {most}"
        rows, columns = array.shape
        raise RefusedError(
            message, "table_large", matrix=name, rows=rows, columns=columns, most_rows=most[0], most_columns=most[1]
        )
    return tuple(map(tuple, finite_in_float32(name, array).tolist()))


def wrong_shape(name: str, shape: tuple[int, ...], needed: tuple[int, int]) -> RefusedError:
    """Return what to raise for a matrix of another shape than the one that is needed.

    >>> str(wrong_shape("w_q", (1, 2), (3, 2)))
    'w_q has shape (1, 2), expected (3, 2)'
    """
    message = f"{name} has shape {limits.in_short(shape)}, expected {needed}"
    need_rows, need_columns = needed
    if len(shape) != 2:
        return RefusedError(message, "axes", matrix=name, n=len(shape))
    rows, columns = shape
    return RefusedError(
        message, "shape", matrix=name, rows=rows, columns=columns, need_rows=need_rows, need_columns=need_columns
    )


def finite_in_float32(name: str, numbers: np.ndarray) -> np.ndarray:
    """Return numbers ``(rows, columns)`` float64 unchanged; what rounds to the largest of float32, as its print-out
    3.4028235e+38 does, becomes it.

    A mask may hold -inf, too.

    Raises ``ValueError`` naming the first that is not finite in float32.
    """
    hides = (numbers == -np.inf) & (name == MASK)
    bad = np.argwhere(~(np.abs(numbers) < TOO_LARGE) & ~hides)
    if len(bad):
        row, column = bad[0].tolist()
        value = float(numbers[row, column])
        message = f"{name}[{row}, {column}] is {value}, expected a finite float32"
        raise RefusedError(message, "not_finite", matrix=name, row=row, column=column, value=value)
    return np.where(hides, numbers, np.clip(numbers, -_LARGEST, _LARGEST))


def _is_fill(name: str, given: str) -> bool:
    return given in FILLS or random_seed(given) is not None or numbers_given(name, given) is not None


def numbers_given(name: str, given: Matrix | str | None) -> Rows | None:
    """Return the numbers that are given for a matrix one by one, or that a worked example states; else None."""
    if isinstance(given, str):
        return stated_matrix(example, placed(name)[1]) if (example := example_of(given)) else None
    return given


def example_of(given: Any) -> str:
    """Return the worked example that "example:ID" names; '' for all else.

    >>> example_of("example:love-ai"), example_of("identity")
    ('love-ai', '')
    """
    return given.removeprefix(EXAMPLE_FILL) if isinstance(given, str) and given.startswith(EXAMPLE_FILL) else ""


def random_seed(given: str | None) -> int | None:
    """Return the seed that "random:N" names; None for all else."""
    digits = (given or "").removeprefix(RANDOM_FILL)
    if digits == (given or "") or not (digits.isascii() and digits.isdigit()) or len(digits) > 20:
        return None
    seed = int(digits)
    return seed if seed <= limits.MAX_SEED else None


def checked_edit(given: Any) -> Edit:
    """Return a well-formed edit of some matrix, or raise ``ValueError``."""
    try:
        matrix, row, column, value = given
        edit = Edit(matrix, index(row), index(column), float(value))
    except (TypeError, ValueError, OverflowError):
        message = f"edit {limits.in_short(given)} is not (matrix, row, column, value)"
        raise RefusedError(message, "no_edit") from None
    if not isinstance(edit.matrix, str) or not is_editable(edit.matrix):
        message = f"edit of {limits.in_short(edit.matrix)}, expected one of {', '.join(EDITABLE)}"
        raise RefusedError(message, "no_matrix")
    if edit.matrix == MASK and edit.value == -np.inf:
        return edit
    if not abs(edit.value) < TOO_LARGE:
        message = f"{edit.cell} is {edit.value}, expected a finite float32"
        raise RefusedError(
            message, "not_finite", matrix=edit.matrix, row=edit.row, column=edit.column, value=edit.value
        )
    return edit._replace(matrix=named(*placed(edit.matrix)), value=max(-_LARGEST, min(edit.value, _LARGEST)))


def is_editable(name: str) -> bool:
    """Whether a matrix of this name is given in some scenario: one of :data:`EDITABLE`, or of a later layer.

    >>> is_editable("w_q"), is_editable("layers.1.w_q"), is_editable("layers.1.x"), is_editable("layers.9.w_q")
    (True, True, False, False)
    """
    path, _, rest = name.partition(".")
    number, _, own = rest.partition(".")
    if path != STACK:
        return name in EDITABLE
    in_one = number in map(str, range(limits.MAX_LAYERS))
    return in_one and own in EDITABLE and (number == "0" or own not in OF_TOKENS)
