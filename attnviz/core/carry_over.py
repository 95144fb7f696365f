"""Changes carried from one scenario to the next."""

import secrets
from dataclasses import replace
from typing import Any

import torch

from attnviz.core.changes import Changes, Replacement, changes_of, renamed, with_changes
from attnviz.core.given import GIVEN
from attnviz.core.layers import placed
from attnviz.core.limits import MAX_EDITS
from attnviz.core.matrix_input import RANDOM_FILL, Edit, wrong_shape
from attnviz.core.scenario import Scenario
from attnviz.core.stages import LAYERS, OUTPUT


def carry_over(changes: Changes, old: Scenario, new: Scenario) -> tuple[Changes, Changes]:
    """Split the changes of `old` into those that `new` keeps, and others.

    >>> made = Changes(edits=(Edit("w_q", 0, 1, 0.9),))
    >>> carry_over(made, Scenario(), Scenario(text="another text")) == (made, Changes())
    True
    >>> carry_over(made, Scenario(), Scenario(seed=124)) == (Changes(), made)
    True
    """
    changes = renamed(changes, new)
    changed = {*(edit.matrix for edit in changes.edits), *(name for name, _ in changes.replaced)}
    same = {name: _drawn_by(old, name) == _drawn_by(new, name) for name in (*GIVEN, *changed)}
    if old.d_v != new.d_v and isinstance(dict(changes.replaced).get("w_v"), tuple):
        # Without d_v, explicit numbers of W_v decide how wide the context is, and so the shapes of all matrices that
        # follow; a change of d_v may change these.
        same |= dict.fromkeys(("w_v", "b_v", *OUTPUT, *LAYERS), False)
    # Token vectors that were given cell by cell belong to these tokens, and given numbers of P to so many places. A
    # fill like "identity" fits any text, and so do the vectors of an example, which it states for each word.
    kept_replaced = tuple(
        (name, by)
        for name, by in changes.replaced
        if same[name] and (isinstance(by, str) or GIVEN[placed(name)[1]].fits(old, new))
    )
    replaced_lost = {name for name, _ in changes.replaced} - {name for name, _ in kept_replaced}
    kept = {
        edit: moved
        for edit in changes.edits
        if same[edit.matrix]
        and edit.matrix not in replaced_lost
        and (moved := GIVEN[placed(edit.matrix)[1]].moved(edit, old, new)) is not None
    }
    dropped_edits = tuple(edit for edit in changes.edits if edit not in kept)
    dropped_replaced = tuple(pair for pair in changes.replaced if pair[0] in replaced_lost)
    return Changes(tuple(kept.values()), kept_replaced), Changes(dropped_edits, dropped_replaced)


def _drawn_by(scenario: Scenario, name: str) -> tuple[Any, ...] | None:
    """Return the settings that a matrix's random numbers depend on, besides tokens."""
    layer, own = placed(name)
    there = scenario.called(name) in scenario.editable
    return GIVEN[own].drawn_by(scenario, layer) if there else None


def bring_back(scenario: Scenario, dropped: Changes) -> tuple[Scenario, Changes]:
    """Apply dropped changes where they fit, and return the others, too.

    >>> dropped = Changes(edits=(Edit("w_q", 0, 1, 0.9), Edit("w_q", 2, 1, 0.5)))
    >>> bring_back(Scenario(d_in=2), dropped)[1].edits
    (Edit(matrix='w_q', row=2, column=1, value=0.5),)
    """
    changes, dropped = changes_of(scenario), renamed(dropped, scenario)
    left = Changes()
    for pair in dropped.replaced:
        try:
            scenario = with_changes(scenario, changes + Changes(replaced=(pair,)))
        except ValueError:
            left += Changes(replaced=(pair,))
        else:
            changes = changes_of(scenario)
    edited = {edit[:3] for edit in changes.edits}
    fitting, unfitting = [], []
    for edit in dropped.edits:
        room = edit[:3] in edited or len(edited) < MAX_EDITS
        if room and fits(edit, scenario):
            edited.add(edit[:3])
            fitting.append(edit)
        else:
            unfitting.append(edit)
    return with_changes(scenario, changes + Changes(tuple(fitting))), left + Changes(tuple(unfitting))


def fits(edit: Edit, scenario: Scenario) -> bool:
    """Whether a scenario has an edit's cell and takes its number."""
    try:
        scenario.checked_edit(edit)
    except ValueError:
        return False
    return True


def replace_matrix(scenario: Scenario, name: str, by: Replacement | None) -> Scenario:
    """Return the scenario with one matrix replaced, or drawn again (None).

    Edits of that matrix are dropped. If W_v gets another width, the other changes stay as far as they fit.
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
    """Return a replacement that draws a matrix from a fresh seed."""
    return f"{RANDOM_FILL}{secrets.randbelow(1_000_000)}"


def edit_matrix(scenario: Scenario, name: str, values: torch.Tensor) -> Scenario:
    """Return the scenario with `values` ``(rows, columns)`` in matrix `name`.

    Each value that differs from the drawn one becomes an edit.

    Raises ``ValueError`` for a wrong shape, a number that is not finite, or more than `MAX_EDITS` edits.
    """
    drawn = scenario.unedited(name)
    if values.shape != drawn.shape:
        raise wrong_shape(name, tuple(values.shape), (drawn.shape[0], drawn.shape[1]))
    others = tuple(edit for edit in scenario.edits if edit.matrix != name)
    differs = (values.to(torch.float32) != drawn).nonzero().tolist()
    edits = tuple(Edit(name, row, column, values[row, column].item()) for row, column in differs)
    return replace(scenario, edits=others + edits)
