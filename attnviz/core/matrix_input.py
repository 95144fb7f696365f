"""Checking edits, fills and whole matrices, and giving them one form."""

from collections.abc import Iterable
from operator import index
from typing import Any, NamedTuple, cast

import numpy as np
from torch import Tensor

from attnviz.core import limits
from attnviz.core.given import GIVEN, HIDING
from attnviz.core.layers import STACK, named, placed
from attnviz.core.limits import RefusedError
from attnviz.core.seeding.vectors import Rows, stated_matrix

FILLS = ("identity", "zeros")
RANDOM_FILL = "random:"  # followed by a seed: this matrix alone is drawn from that seed
EXAMPLE_FILL = "example:"  # followed by the id of a worked example: its own numbers for this matrix

_LARGEST = float(np.finfo(np.float32).max)
TOO_LARGE = (2 - 2**-24) * 2.0**127  # the smallest number that float32 rounds to infinity

Matrix = tuple[tuple[float, ...], ...]


class Edit(NamedTuple):
    """An edited cell of a matrix; a bias has only row 0."""

    matrix: str
    row: int
    column: int
    value: float

    @property
    def cell(self) -> str:
        """The cell in short, as messages name it."""
        return f"{self.matrix}[{limits.in_short(self.row)}, {limits.in_short(self.column)}]"


class Edits:
    """A field type for type checkers: takes plain tuples, returns :class:`Edit`."""

    def __get__(self, scenario: object, owner: object = None) -> tuple[Edit, ...]:
        raise NotImplementedError  # at runtime the field is a plain tuple

    def __set__(self, scenario: object, edits: Iterable[tuple[str, int, int, float]]) -> None:
        raise NotImplementedError


NO_EDITS = cast(Edits, ())


def plain(name: str, given: Any) -> Matrix | str | None:
    """Return explicit numbers as a tuple of rows, other values unchanged."""
    if given is None:
        return given
    if isinstance(given, str):
        if given in FILLS or random_seed(given) is not None or numbers_given(name, given) is not None:
            return given
        raise RefusedError("fill", matrix=name, value=given, allowed=(*FILLS, f"{RANDOM_FILL}N", f"{EXAMPLE_FILL}ID"))
    if isinstance(given, Tensor):
        given = given.detach().cpu()
        given = given if given.is_complex() else given.double()  # numpy has no bfloat16
    try:
        given = np.asarray(given)
        if np.iscomplexobj(given):  # numpy would drop the imaginary part
            raise RefusedError("complex", matrix=name, row=0, column=0, value=given.flat[0] if given.size else given)
        array = given.astype(np.float64)
    except RefusedError:
        raise
    except (TypeError, ValueError, OverflowError):
        raise RefusedError("ragged", matrix=name, value=given) from None
    row = GIVEN[placed(name)[1]]
    if row.is_vector and array.ndim == 1:
        array = array[None, :]
    if array.ndim != 2 or 0 in array.shape:
        raise RefusedError("ragged", matrix=name, value=given)
    rows, columns = array.shape
    if rows > row.most_rows or columns > row.most_columns:
        raise RefusedError(
            "table_large", matrix=name, rows=rows, columns=columns,
            most_rows=row.most_rows, most_columns=row.most_columns,
        )  # fmt: skip
    return tuple(map(tuple, finite_in_float32(name, array).tolist()))


def wrong_shape(name: str, shape: tuple[int, ...], needed: tuple[int, int]) -> RefusedError:
    """Return the error for a matrix that hasn't the needed shape.

    >>> str(wrong_shape("w_q", (1, 2), (3, 2)))
    'w_q needs 3 rows and 2 columns, and this has 1 row and 2 columns.'
    """
    need_rows, need_columns = needed
    if len(shape) != 2:
        return RefusedError("axes", matrix=name, n=len(shape), need_rows=need_rows, need_columns=need_columns)
    rows, columns = shape
    return RefusedError(
        "shape", matrix=name, rows=rows, columns=columns, need_rows=need_rows, need_columns=need_columns
    )


def finite_in_float32(name: str, numbers: np.ndarray) -> np.ndarray:
    """Return float64 numbers ``(rows, columns)`` that are finite in float32.

    A number that rounds to float32's largest becomes that one, as its print-out 3.4028235e+38 does. A mask may hold
    -inf, too.

    Raises ``ValueError`` naming the first that is not finite in float32.
    """
    hides = (numbers == -np.inf) & (name in HIDING)
    bad = np.argwhere(~(np.abs(numbers) < TOO_LARGE) & ~hides)
    if len(bad):
        row, column = bad[0].tolist()
        value = float(numbers[row, column])
        raise RefusedError("not_finite", matrix=name, row=row, column=column, value=value)
    return np.where(hides, numbers, np.clip(numbers, -_LARGEST, _LARGEST))


def numbers_given(name: str, given: Matrix | str | None) -> Rows | None:
    """Return numbers given one by one or by a worked example."""
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
        raise RefusedError("no_edit", value=given) from None
    if not isinstance(edit.matrix, str) or not is_editable(edit.matrix):
        raise RefusedError("no_matrix", value=edit.matrix)
    if edit.matrix in HIDING and edit.value == -np.inf:
        return edit
    if not abs(edit.value) < TOO_LARGE:
        raise RefusedError("not_finite", matrix=edit.matrix, row=edit.row, column=edit.column, value=edit.value)
    return edit._replace(matrix=named(*placed(edit.matrix)), value=max(-_LARGEST, min(edit.value, _LARGEST)))


def is_editable(name: str) -> bool:
    """Whether some scenario gives this matrix: one of :data:`GIVEN`, in any layer.

    >>> is_editable("w_q"), is_editable("layers.1.w_q"), is_editable("layers.1.x"), is_editable("layers.9.w_q")
    (True, True, False, False)
    """
    path, _, rest = name.partition(".")
    number, _, own = rest.partition(".")
    if path != STACK:
        return name in GIVEN
    in_one = number in map(str, range(limits.MAX_LAYERS))
    return in_one and own in GIVEN and (number == "0" or not GIVEN[own].once)
