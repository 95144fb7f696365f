"""What happens to edits and replaced matrices when the set-up under them changes.

A change to a matrix (an edited cell, or the whole matrix replaced by "identity", "zeros", a random draw
or explicit numbers) lies on the matrix that the set-up drew. It survives while that matrix is drawn in
the same way, and is dropped, to be offered back, when the matrix becomes another one.
"""

from typing import Any

from attnviz.core.changes.lying import Changes, changes_of, renamed, with_changes
from attnviz.core.layers import placed
from attnviz.core.limits import MAX_EDITS
from attnviz.core.matrix_input import Edit
from attnviz.core.scenario import Scenario
from attnviz.core.seeding import INITIALIZATIONS
from attnviz.core.stages import BY_DISTANCE, E_KEPT, EDITABLE, LAYERS, MASK, NORMS, OUTPUT, P_KEPT, Y


def carry_over(changes: Changes, old: Scenario, new: Scenario) -> tuple[Changes, Changes]:
    """Split changes made on the set-up `old` into those that survive on `new` and those that are dropped.

    >>> made = Changes(edits=(Edit("w_q", 0, 1, 0.9),))
    >>> carry_over(made, Scenario(), Scenario(text="another text")) == (made, Changes())
    True
    >>> carry_over(made, Scenario(), Scenario(seed=124)) == (Changes(), made)
    True
    """
    changes = renamed(changes, new)
    changed = {*(edit.matrix for edit in changes.edits), *(name for name, _ in changes.replaced)}
    same = {name: _drawn_by(old, name) == _drawn_by(new, name) for name in (*EDITABLE, *changed)}
    replaced_by = dict(changes.replaced)
    if old.d_v != new.d_v and any(isinstance(replaced_by.get(name), tuple) for name in ("w_v", "b_v")):
        # Explicit numbers were as wide as they liked, or as d_v said, and so were the layers behind them.
        same |= dict.fromkeys(("w_v", "b_v", *OUTPUT, *LAYERS), False)
    # Numbers given for the vectors of tokens cell by cell belong to these tokens, those of P to as many places; a rule
    # like "identity" fits any text, and so do the vectors that an example states by words.
    fits = dict.fromkeys(("x", "e"), old.tokens == new.tokens)
    fits |= dict.fromkeys((Y, E_KEPT), old.second_tokens == new.second_tokens)
    fits[P_KEPT] = old.n_kept == new.n_kept
    fits["p"] = fits[P_KEPT] and len(old.tokens) == len(new.tokens)
    fits[BY_DISTANCE] = len(old.read_tokens) == len(new.read_tokens)
    fits[MASK] = old.shape_of(MASK) == new.shape_of(MASK)
    kept_replaced = tuple(
        (name, by) for name, by in changes.replaced if same[name] and (isinstance(by, str) or fits.get(name, True))
    )
    replaced_lost = {name for name, _ in changes.replaced} - {name for name, _ in kept_replaced}
    kept = {
        edit: moved
        for edit in changes.edits
        if same[edit.matrix]
        and edit.matrix not in replaced_lost
        and _same_row(moved := _moved(edit, old, new), old, new)
    }
    dropped_edits = tuple(edit for edit in changes.edits if edit not in kept)
    dropped_replaced = tuple(pair for pair in changes.replaced if pair[0] in replaced_lost)
    return Changes(tuple(kept.values()), kept_replaced), Changes(dropped_edits, dropped_replaced)


def _drawn_by(scenario: Scenario, name: str) -> tuple[Any, ...] | None:
    """All that decides which numbers a matrix is drawn with, apart from the tokens; None where it is not there."""
    if name in ("x", "e") or (name in (Y, E_KEPT) and scenario.reads_others):
        return scenario.embedding, scenario.d_in, scenario.seed
    if name not in scenario.editable:
        return None
    layer, name = placed(name)
    if name in NORMS:
        return (scenario.d_in,)
    if name == MASK:
        # Padding hides the last tokens: with another number of tokens, it hides others.
        kind = scenario.mask_kind
        padded = None if kind.of_all or not kind.sized else len(scenario.read_tokens)
        return scenario.reads, kind.name, scenario.mask_size if kind.sized else None, padded
    if name == BY_DISTANCE:
        return scenario.positions, scenario.n_heads, scenario.position.own_seed and scenario.seed
    if name in ("p", P_KEPT):
        return scenario.positions, scenario.d_in, scenario.position.own_seed and scenario.seed
    drawn: tuple[Any, ...] = (scenario.init, scenario.seed, scenario.d_in, scenario.d_out)
    if layer:  # drawn after all that the layers before it have
        drawn += (scenario.output, scenario.d_ff, scenario.bias)
    if layer or name not in ("w_q", "b_q"):
        drawn += (scenario.width_of_keys,)
    if layer or name in (
        "w_v",
        "b_v",
        *OUTPUT,
        *LAYERS,
    ):  # drawn last of them: its width moves none
        drawn += (scenario.drawn_d_v,)
    if name in (*OUTPUT, *LAYERS):  # drawn after all of these, for a context of this width
        drawn += (scenario.drawn_d_v * scenario.n_heads // scenario.kv_heads,)
    if name in LAYERS:
        drawn += (scenario.output, scenario.d_ff)
    # nn.Linear draws each bias after its weight, so biases shift the draws of all that comes later.
    as_layer = INITIALIZATIONS[scenario.init].as_layer
    return (*drawn, scenario.bias) if as_layer and name not in ("w_q", "b_q") else drawn


def _moved(edit: Edit, old: Scenario, new: Scenario) -> Edit:
    """Return where the cell of an edit is now: the columns of numbers by distance go from the farthest before to the
    farthest behind, those of a mask begin with what was kept, and so do places. One that is no more has a row or a
    column below 0."""
    if edit.matrix == "p":
        return edit._replace(row=edit.row + old.n_kept - new.n_kept)
    if edit.matrix == BY_DISTANCE:
        return edit._replace(column=edit.column + len(new.read_tokens) - len(old.read_tokens))
    if edit.matrix == MASK and edit.column >= old.n_kept:
        return edit._replace(column=edit.column + new.n_kept - old.n_kept)
    return edit._replace(column=-1) if edit.matrix == MASK and edit.column >= new.n_kept else edit


def _same_row(edit: Edit, old: Scenario, new: Scenario) -> bool:
    if edit.matrix in ("p", P_KEPT):
        return 0 <= edit.row < new.shape_of(edit.matrix)[0]
    if edit.matrix == BY_DISTANCE:
        return 0 <= edit.column < 2 * len(new.read_tokens) - 1
    if edit.matrix == MASK:  # it goes by places
        rows, columns = new.shape_of(MASK)
        return edit.row < rows and 0 <= edit.column < columns
    if edit.matrix not in ("x", "e", Y, E_KEPT):
        return True
    before, now = old.tokens_of(edit.matrix), new.tokens_of(edit.matrix)
    return edit.row < len(now) and before[edit.row] == now[edit.row]


def bring_back(scenario: Scenario, dropped: Changes) -> tuple[Scenario, Changes]:
    """Lay dropped changes over the current matrices, as far as they fit; return also those that do not.

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
    fitting, misfits = [], []
    for edit in dropped.edits:
        room = edit[:3] in edited or len(edited) < MAX_EDITS
        if room and fits(edit, scenario):
            edited.add(edit[:3])
            fitting.append(edit)
        else:
            misfits.append(edit)
    return with_changes(scenario, changes + Changes(tuple(fitting))), left + Changes(tuple(misfits))


def fits(edit: Edit, scenario: Scenario) -> bool:
    """Whether a scenario has the cell of an edit, and takes its number."""
    try:
        scenario.checked_edit(edit)
    except ValueError:
        return False
    return True
