"""What a scenario refuses of its matrices and edits: those that are not there, or do not fit."""

from collections.abc import Iterable
from typing import Any

from attnviz.core import limits
from attnviz.core.errors import RefusedError
from attnviz.core.layers import placed
from attnviz.core.matrix_input import Edit, is_editable, numbers_given, plain, wrong_shape
from attnviz.core.matrix_input import checked_edit as plain_edit
from attnviz.core.scenario.derived import Derived
from attnviz.core.stages import BIASES, BY_DISTANCE, LAYERS, MASK, NORMS, OF_KEPT, OUTPUT, Y


def check_matrices(scenario: Derived) -> None:
    """Raise ``ValueError`` for a replaced matrix that is not there, or has another shape."""
    for name, by in scenario.replaced.items():
        _check_is_there(scenario, name, f"{name} is given")
        given = numbers_given(name, by)
        if given is not None:
            by_word = isinstance(by, str) and name == scenario.token_matrix  # fits as many tokens as there are
            shape = (len(scenario.tokens) if by_word else len(given), len(given[0]))
            if shape != scenario.shape_of(name):
                raise wrong_shape(name, shape, scenario.shape_of(name))
            if name == "w_v" and shape[1] % scenario.kv_heads:
                message = f"w_v has {shape[1]} columns, expected a multiple of its {scenario.kv_heads} heads"
                raise RefusedError(message, "heads_w_v", columns=shape[1], heads=scenario.kv_heads)


def checked_edits(scenario: Derived, edits: Iterable[Any]) -> tuple[Edit, ...]:
    """Return edits that fit a scenario, the last of each cell.

    Raises ``ValueError`` for the first that does not, or for too many.
    """
    cells: dict[tuple[str, int, int], Edit] = {}
    if not isinstance(edits, Iterable):
        message = f"edits is {limits.in_short(edits)}, expected a sequence of (matrix, row, column, value)"
        raise RefusedError(message, "no_edit")
    for given in edits:
        edit = checked_edit(scenario, given)
        cells[edit[:3]] = edit
    if len(cells) > limits.MAX_EDITS:
        n, most = len(cells), limits.MAX_EDITS
        raise RefusedError(f"{n} edits, expected at most {most}", "edits", n=n, most=most)
    return tuple(cells.values())


def checked_edit(scenario: Derived, given: Any) -> Edit:
    """Return an edit that fits a scenario.

    Raises ``ValueError`` naming its cell for one that does not.
    """
    edit = plain_edit(given)
    _check_is_there(scenario, edit.matrix, f"edit of {edit.cell}")
    n_rows, n_columns = scenario.shape_of(edit.matrix)
    if not (0 <= edit.row < n_rows and 0 <= edit.column < n_columns):
        message = f"edit of {edit.cell} lies outside its shape ({n_rows}, {n_columns})"
        raise RefusedError(
            message, "outside", matrix=edit.matrix, row=edit.row, column=edit.column, rows=n_rows, columns=n_columns
        )
    return edit


def plain_deeper(given: Any) -> tuple[tuple[str, Any], ...]:
    """Return the replaced matrices of later layers as pairs, in the order of their names.

    Raises ``ValueError`` for what is no mapping from such names.
    """
    try:
        pairs = dict(given)
    except (TypeError, ValueError):
        message = f"deeper is {limits.in_short(given)}, expected a mapping from names like 'layers.1.w_q'"
        raise RefusedError(message, "no_matrix") from None
    for name in pairs:
        if not isinstance(name, str) or not is_editable(name) or not placed(name)[0]:
            message = f"{limits.in_short(name)} is no matrix of a later layer, expected a name like 'layers.1.w_q'"
            raise RefusedError(message, "no_matrix")
    return tuple(sorted((name, plain(name, by)) for name, by in pairs.items() if by is not None))


def _check_is_there(scenario: Derived, name: str, what: str) -> None:
    """Raise ``ValueError`` where a matrix is switched off, or made from others."""
    if name in scenario.editable:
        return
    layer, own = placed(name)
    if layer >= scenario.n_layers:
        message = f"{what}, but n_layers is {scenario.n_layers}"
        raise RefusedError(message, "layers_off", matrix=own, layer=layer, n=scenario.n_layers)
    if layer and scenario.same_layers:
        raise RefusedError(f"{what}, but same_layers is True", "layers_same", matrix=own, layer=layer)
    raise _absent(scenario, own, name, what)


def _absent(scenario: Derived, own: str, matrix: str, what: str) -> RefusedError:
    """Return why a matrix, which has the name `own` in its layer, is not there."""
    if own == Y and scenario.n_kept:
        return _made_of_others(scenario, Y, matrix, what)
    if own == Y or (own in OF_KEPT and not scenario.n_kept):
        return RefusedError(f"{what}, but reads is {scenario.reads!r}", "reads_off", matrix=matrix)
    if own in BIASES:
        return RefusedError(f"{what}, but bias is False", "bias_off", matrix=matrix)
    if own == MASK:
        return RefusedError(f"{what}, but there is no mask", "mask_off", matrix=matrix)
    if own == BY_DISTANCE:
        return RefusedError(f"{what}, but positions is {scenario.positions!r}", "distances_off", matrix=matrix)
    if own in OUTPUT:
        return RefusedError(f"{what}, but output is False", "output_off", matrix=matrix)
    if own in NORMS:
        return RefusedError(f"{what}, but this computation has no such layer norm", "norm_off", matrix=matrix)
    if own in LAYERS:
        return RefusedError(f"{what}, but d_ff is None", "d_ff_off", matrix=matrix)
    if own == "x":
        return _made_of_others(scenario, "x", matrix, what)
    return RefusedError(f"{what}, but positions is {scenario.positions!r}", "positions_off", matrix=matrix)


def _made_of_others(scenario: Derived, made: str, matrix: str, what: str) -> RefusedError:
    """Return why X, or the Y of a kept sentence, is not given: it is made of others."""
    e, p = ("e", "p") if made == "x" else OF_KEPT
    if not scenario.adds_positions:
        return RefusedError(f"{what}, but {made} is {e} times a factor", "is_product", matrix=matrix, table=e)
    message = f"{what}, but with positions {made} is the sum of {e} and {p}"
    return RefusedError(message, "is_sum", matrix=matrix, table=e, other=p)
