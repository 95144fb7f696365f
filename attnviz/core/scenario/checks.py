"""What a scenario refuses of its matrices and edits: those that are not there, or do not fit."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
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
        _check_is_there(scenario, name)
        given = numbers_given(name, by)
        if given is not None:
            by_word = isinstance(by, str) and name == scenario.token_matrix  # fits as many tokens as there are
            shape = (len(scenario.tokens) if by_word else len(given), len(given[0]))
            if shape != scenario.shape_of(name):
                raise wrong_shape(name, shape, scenario.shape_of(name))
            if name == "w_v" and shape[1] % scenario.kv_heads:
                raise RefusedError("heads_w_v", columns=shape[1], heads=scenario.kv_heads)


def checked_edits(scenario: Derived, edits: Iterable[Any]) -> tuple[Edit, ...]:
    """Return edits that fit a scenario, the last of each cell.

    Raises ``ValueError`` for the first that does not, or for too many.
    """
    cells: dict[tuple[str, int, int], Edit] = {}
    if not isinstance(edits, Iterable):
        raise RefusedError("no_edit", value=edits)
    for given in edits:
        edit = checked_edit(scenario, given)
        cells[edit[:3]] = edit
    if len(cells) > limits.MAX_EDITS:
        n, most = len(cells), limits.MAX_EDITS
        raise RefusedError("edits", n=n, most=most)
    return tuple(cells.values())


def checked_edit(scenario: Derived, given: Any) -> Edit:
    """Return an edit that fits a scenario.

    Raises ``ValueError`` naming its cell for one that does not.
    """
    edit = plain_edit(given)
    _check_is_there(scenario, edit.matrix)
    n_rows, n_columns = scenario.shape_of(edit.matrix)
    if not (0 <= edit.row < n_rows and 0 <= edit.column < n_columns):
        raise RefusedError(
            "outside", matrix=edit.matrix, row=edit.row, column=edit.column, rows=n_rows, columns=n_columns
        )
    return edit


def plain_deeper(given: Any) -> tuple[tuple[str, Any], ...]:
    """Return the replaced matrices of later layers as pairs, in the order of their names.

    Raises ``ValueError`` for what is no mapping from such names.
    """
    try:
        pairs = dict(given)
    except (TypeError, ValueError):
        raise RefusedError("no_matrix", value=given) from None
    for name in pairs:
        if not isinstance(name, str) or not is_editable(name) or not placed(name)[0]:
            raise RefusedError("no_matrix", value=name)
    return tuple(sorted((name, plain(name, by)) for name, by in pairs.items() if by is not None))


# Which sentence tells that a matrix isn't there, by its name.
_OFF: Mapping[str, str] = MappingProxyType(
    {Y: "reads_off", MASK: "mask_off", BY_DISTANCE: "distances_off"} | dict.fromkeys(BIASES, "bias_off")
    | dict.fromkeys(OUTPUT, "output_off") | dict.fromkeys(NORMS, "norm_off") | dict.fromkeys(LAYERS, "d_ff_off")
)  # fmt: skip


def _check_is_there(scenario: Derived, name: str) -> None:
    """Raise ``ValueError`` where a matrix is switched off, or made from others."""
    if name in scenario.editable:
        return
    layer, own = placed(name)
    if layer >= scenario.n_layers:
        raise RefusedError("layers_off", matrix=own, layer=layer, n=scenario.n_layers)
    if layer and scenario.same_layers:
        raise RefusedError("layers_same", matrix=own, layer=layer)
    if own == "x" or (own == Y and scenario.n_kept):
        e, p = ("e", "p") if own == "x" else OF_KEPT
        if not scenario.adds_positions:
            raise RefusedError("is_product", matrix=name, table=e)
        raise RefusedError("is_sum", matrix=name, table=e, other=p)
    if own in OF_KEPT and not scenario.n_kept:
        raise RefusedError("reads_off", matrix=name)
    raise RefusedError(_OFF.get(own, "positions_off"), matrix=name)
