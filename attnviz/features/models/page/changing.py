"""Changes of a model's numbers, heads and layers, kept in the address."""

import math
from typing import Any

import streamlit as st

from attnviz.app.session import state, url_texts
from attnviz.app.session.page_record import came_back
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import take
from attnviz.core.stages import ALL_STAGES, DISTANCE_BIAS
from attnviz.core.tokens import token_labels
from attnviz.features.language_models.inside import ModelEdit, ModelTrace
from attnviz.features.language_models.inside.edits import CELLS, EVEN, MASK, MOST_EDITS, OFF, PARTS
from attnviz.features.language_models.inside.layers.latent import LEARNED_LATENT
from attnviz.features.language_models.inside.layers.layer import Layer
from attnviz.features.models.parameters import MODEL_CELL, MODEL_EDITS
from attnviz.words import plural, say
from attnviz.words.numbers import written

_MATRIX, _ROW, _COLUMN, _VALUE = "model.change.matrix", "model.change.row", "model.change.column", "model.change.value"
_HIDE = "model.change.hide"
CHANGES_OPEN = "model.change.open"  # whether the fields that change a number are open


def show_changes(view: ModelTrace, edits: tuple[ModelEdit, ...]) -> None:
    """List the changes with buttons to undo them, and say their effect."""
    if not edits:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="model_changes", gap="xsmall"):
        st.markdown(f"**{say('models.change.list', changes=plural(len(edits), 'change'))}**", width="content")
        for edit in edits:
            st.button(in_words(edit, view), key=f"model.undo.{edit}", icon=":material/undo:",
                      help=say("models.change.undo"), on_click=_without, args=(edits, edit))  # fmt: skip
        if len(edits) > 1:
            st.button(say("models.change.undo_all"), key="model.undo", type="tertiary",
                      on_click=url_texts.put, args=(MODEL_EDITS, ()))  # fmt: skip
    for notice in view.notices:
        st.warning(notice, icon=":material/visibility:")


def in_words(edit: ModelEdit, view: ModelTrace) -> str:
    """Return a change in words, for the button that undoes it."""
    kind = view.layers[edit.layer].kind if edit.layer < len(view.layers) else view.layers[0].kind
    # The page counts the layers of each kind separately.
    layer = sum(each.kind == kind for each in view.layers[: edit.layer])
    value = written(edit.value, 2)
    if edit.matrix == EVEN:
        told = say("models.change.is_even", layer=layer)
    elif edit.matrix == OFF:
        told = say("models.change.is_off", layer=layer, head=edit.head)
    else:
        told = say("models.change.is_number", symbol=ALL_STAGES[edit.matrix].symbol, layer=layer, head=edit.head,
                   row=edit.row, column=edit.column, value=value)  # fmt: skip
    return (
        told
        if len(view.kinds) == 1
        else say("models.change.of_kind", kind=say(f"models.page.kinds.{kind}"), change=told)
    )


def show_controls(layer: Layer, head: int, edits: tuple[ModelEdit, ...], trace: Any) -> None:
    """Draw the controls that change one head, or its layer."""
    with st.container(horizontal=True, vertical_alignment="center", key="model_controls", width="content"):
        for kind in ("off", "even"):
            show_switch(layer, head, edits, kind)
        with st.popover(say("models.change.number"), icon=":material/edit:", key=CHANGES_OPEN, on_change="rerun"):
            _show_number(layer, head, edits, trace)


def show_switch(layer: Layer, head: int, edits: tuple[ModelEdit, ...], kind: str) -> None:
    """Draw a switch: this head off, or its layer's heads reading evenly.

    It has the same key in every view, so that a press counts even if another view has just taken the place of this one.
    After a reconnect, the state that the page still has counts, though Streamlit then calls nothing back.
    """
    edit = ModelEdit(layer.number, head, OFF) if kind == "off" else ModelEdit(layer.number, None, EVEN)
    name, on = f"model.{edit}", edit in edits
    if not came_back() and this_session().get(name, False) != on:  # after a reconnect, it may have been pressed
        this_session().put(name, on)
    held = st.toggle(say(f"models.change.{kind}"), key=name, on_change=_toggled, args=(edits, edit, name),
                     help=say(f"models.change.{kind}_help"))  # fmt: skip
    if held != on:
        _toggled(edits, edit, name)


def _show_number(layer: Layer, head: int, edits: tuple[ModelEdit, ...], trace: Any) -> None:
    st.caption(f"{say('models.change.how')} {why_not_all(layer, head, trace)}".rstrip())
    names = changeable(layer, head, trace)
    pinned = take(MODEL_CELL)
    begin = pinned if pinned is not None and pinned[0] in names else (names[0], 0, 0)
    # Each picked cell has fields with keys of its own: a page may still send values of the fields that it drew before
    # the pick, and these must not count.
    matrix_key, row_key, column_key = (f"{key}.{begin}" for key in (_MATRIX, _ROW, _COLUMN))
    matrix = st.selectbox(say("models.change.matrix"), names, names.index(begin[0]), key=matrix_key,
                          format_func=lambda name: ALL_STAGES[name].title)  # fmt: skip
    n_rows, n_columns = _shape(matrix, layer, trace)
    rows = layer.tokens if matrix in ("q", MASK) else layer.read if matrix in ("k", "v") else ()
    left, right = st.columns(2)  # side by side: below each other, the button would be off a laptop's screen
    with left:
        row = _place("models.change.row", n_rows, rows, row_key, begin[1])
    with right:
        column = _place("models.change.column", n_columns, layer.read if matrix == MASK else (), column_key, begin[2])
    cell = (layer.number, head, matrix, row, column)
    changed = next(
        (edit for edit in edits if (edit.layer, edit.head, edit.matrix, edit.row, edit.column) == cell), None
    )
    current = _value(matrix, row, column, trace) if changed is None else changed.value
    if matrix == MASK:
        hide = st.checkbox(say("models.change.hide"), value=current == -math.inf, key=f"{_HIDE}.{cell}")
        value = -math.inf if hide else 0.0
    else:
        value = st.number_input(say("models.change.value"), value=current, step=0.1, format="%.6g",
                                min_value=-3.4e38, max_value=3.4e38, key=f"{_VALUE}.{cell}")  # fmt: skip
    if len(edits) >= MOST_EDITS:
        st.info(say("models.change.most", most=MOST_EDITS))
        return
    st.button(say("models.change.change"), type="primary", key="model.change.do", disabled=value == current,
              on_click=_with, args=(edits, ModelEdit(*cell, float(value))))  # fmt: skip


def changeable(layer: Layer, head: int, trace: Any) -> list[str]:
    """Return the matrices of a head whose numbers can be changed."""

    def is_known(name: str) -> bool:
        part = name[-1]
        own = head if part == "q" else head * layer.attended.key.shape[0] // layer.n_heads
        return layer.projected[part](own) is not None

    return [name for name in CELLS if name == MASK or (name in trace.stages and (name in PARTS or is_known(name)))]


def why_not_all(layer: Layer, head: int, trace: Any) -> str:
    """Say which projections can't be changed, and why, or empty."""
    known = changeable(layer, head, trace)
    missing = [ALL_STAGES[name].symbol for name in ("w_q", "w_k", "w_v") if name not in known]
    kind = "latent" if set(LEARNED_LATENT) & set(trace.stages) else "not_known"
    return say(f"models.change.{kind}", matrices=", ".join(missing)) if missing else ""


def _shape(matrix: str, layer: Layer, trace: Any) -> tuple[int, int]:
    if matrix == MASK:
        return layer.attended.query.shape[-2], layer.attended.key.shape[-2]
    shape = trace[matrix].shape
    return (1, shape[0]) if len(shape) == 1 else tuple(shape)


def _value(matrix: str, row: int, column: int, trace: Any) -> float:
    if matrix == MASK:  # a bias may include the mask: its -inf are the mask's
        added = next((trace[name] for name in (MASK, DISTANCE_BIAS) if name in trace.stages), None)
        hidden = added is not None and float(added[row, column]) == -math.inf
        return -math.inf if hidden else float(trace[MASK][row, column]) if MASK in trace.stages else 0.0
    tensor = trace[matrix]
    return float(tensor[column] if tensor.dim() == 1 else tensor[row, column])


def _place(key: str, n: int, tokens: tuple[str, ...], name: str, begin: int) -> int:
    """Draw the choice of a row or column, by token or number."""
    chosen = this_session().get(name)
    place = begin if chosen is None else int(chosen)
    this_session().put(name, place if place < n else 0)
    if tokens and len(tokens) == n:
        labels = token_labels(tokens)
        return int(st.selectbox(say(key), range(n), format_func=labels.__getitem__, key=name))
    return int(st.number_input(say(key), 0, n - 1, key=name))


def _toggled(edits: tuple[ModelEdit, ...], edit: ModelEdit, name: str) -> None:
    if this_session().get(name):
        _with(edits, edit)
    else:
        _without(edits, edit)


def _with(edits: tuple[ModelEdit, ...], edit: ModelEdit) -> None:
    place = (edit.layer, edit.head, edit.matrix, edit.row, edit.column)
    kept = tuple(each for each in edits if (each.layer, each.head, each.matrix, each.row, each.column) != place)
    if len(kept) >= MOST_EDITS:
        state.add_message(say("models.change.most", most=MOST_EDITS))
        return
    url_texts.put(MODEL_EDITS, (*kept, edit))


def _without(edits: tuple[ModelEdit, ...], edit: ModelEdit) -> None:
    url_texts.put(MODEL_EDITS, tuple(each for each in edits if each != edit))
