"""Making a change: a matrix replaced, a cell edited, or taken back."""

import secrets
from collections.abc import Mapping
from dataclasses import replace

import torch

from attnviz.core.changes.carried import bring_back
from attnviz.core.changes.lying import Changes, Replacement, changes_of, with_changes
from attnviz.core.matrix_input import RANDOM_FILL, Edit, wrong_shape
from attnviz.core.scenario import Scenario


def replace_matrix(scenario: Scenario, name: str, by: Replacement | None) -> Scenario:
    """Return the scenario with one matrix replaced, or drawn by the set-up again (None), without its edits.

    Where W_v gets another width, changes of what is as wide stay as far as they fit.
    """
    changes = changes_of(scenario)
    others = Changes(
        tuple(edit for edit in changes.edits if edit.matrix != name),
        tuple((matrix, other) for matrix, other in changes.replaced if matrix != name),
    )
    own = Changes(replaced=() if by is None else ((name, by),))
    if name == "w_v":
        alone = with_changes(scenario, own)
        if alone.shape_of(name) != scenario.shape_of(name):
            return bring_back(alone, others)[0]
    return with_changes(scenario, others + own)


def random_replacement() -> str:
    """Return a replacement that draws a matrix anew, from a fresh seed that it carries with it."""
    return f"{RANDOM_FILL}{secrets.randbelow(1_000_000)}"


def edit_matrix(scenario: Scenario, name: str, values: torch.Tensor) -> Scenario:
    """Return the scenario whose matrix `name` has these numbers ``(rows, columns)``: where they differ from
    the drawn ones they become edits.

    Raises ``ValueError`` for another shape, a number that is not finite, or more than `MAX_EDITS` edits.

    >>> edit_matrix(Scenario(d_in=1, d_out=1), "w_q", torch.tensor([[0.5]])).edits
    (Edit(matrix='w_q', row=0, column=0, value=0.5),)
    """
    drawn = scenario.unedited(name)
    if values.shape != drawn.shape:
        raise wrong_shape(name, tuple(values.shape), (drawn.shape[0], drawn.shape[1]))
    others = tuple(edit for edit in scenario.edits if edit.matrix != name)
    differs = (values.to(torch.float32) != drawn).nonzero().tolist()
    edits = tuple(Edit(name, row, column, values[row, column].item()) for row, column in differs)
    return replace(scenario, edits=others + edits)


def edit_cells(scenario: Scenario, values: Mapping[tuple[str, int, int], float | None]) -> Scenario:
    """Return the scenario with these numbers in cells ``(matrix, row, column)``; None takes a cell's edit back.

    Edits keep their order, so that what is said a second time, as by a page that heard no answer, changes nothing.

    Raises ``ValueError`` for a matrix, cell or number that does not fit, or more than `MAX_EDITS` edits.

    >>> edited = Scenario(edits=[("w_q", 0, 1, 0.9), ("w_k", 0, 0, 0.2)])
    >>> edit_cells(edited, {("w_q", 0, 1): 0.9, ("w_k", 0, 0): None}).edits
    (Edit(matrix='w_q', row=0, column=1, value=0.9),)
    """
    edits = {edit[:3]: edit for edit in scenario.edits}
    for cell, value in values.items():
        if value is None:
            edits.pop(cell, None)
        else:
            edits[cell] = Edit(*cell, value)
    return with_changes(scenario, replace(changes_of(scenario), edits=tuple(edits.values())))
