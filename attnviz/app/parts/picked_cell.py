"""The picked head, layer and cell, from the URL; explains the cell."""

from functools import partial
from typing import Any, Literal

import streamlit as st

from attnviz.app.session import state, url_texts
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import picked_head, picked_layer, take
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.core.attention import AttentionTrace
from attnviz.core.heads import as_seen, in_view, of_whole
from attnviz.core.scenario import Scenario
from attnviz.explanation import Explanation, explain, shapes_of
from attnviz.link.page_texts import Place
from attnviz.link.parameter_table import CELL, HEAD, LAYER
from attnviz.words import say

MATRIX, ROW, COLUMN = "playground.cell.matrix", "playground.cell.row", "playground.cell.column"
# For each size, the most characters of an explanation's longest line, which doesn't wrap. Longer explanations are shown
# as plain text only.
LATEX_SIZES = {"large": 92, "medium": 110, "small": 135}
LONGEST_LIST = 64  # rows or columns that are chosen by name; longer lists are chosen by number


def picked_cell(trace: AttentionTrace, scenario: Scenario) -> Explanation | None:
    """Return the explanation of the picked cell, if there is one."""
    cell = picked_place(trace)
    return cell and explain(trace, *cell, digits=state.digits(), scenario=scenario)


def picked_place(trace: AttentionTrace) -> Place | None:
    """Return the picked matrix, row and column; None without a valid pick."""
    cell: Place | None = take(CELL, computed=trace)
    return cell and as_seen(trace.stages, trace.matrices, *cell)


def pick(cell: Place | None) -> None:
    """Pick a cell of the whole trace, or none."""
    url_texts.put(CELL, cell)


def _pick_seen(trace: AttentionTrace, name: str, row: int, column: int) -> None:
    """Pick a cell of a trace that is seen from one head."""
    pick(of_whole(trace.stages, name, row, column))


def take_click(trace: AttentionTrace, matrix: Any, row: Any, column: Any) -> None:
    """Pick the cell clicked on a heatmap; ignore cells that don't exist."""
    if isinstance(matrix, str) and isinstance(row, int) and isinstance(column, int):
        rows, columns = shapes_of(trace).get(matrix, (0, 0))
        if 0 <= row < rows and 0 <= column < columns:
            _pick_seen(trace, matrix, row, column)


def show_picked(trace: AttentionTrace, picked: Explanation | None, query: int) -> DeltaGenerator:
    """Draw the picked cell's select boxes and explanation; return their container."""
    place = st.container(key="picked_cell")
    with place:
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            _show_choice(trace, picked, query)
        if picked is not None:
            _explain(picked)
    return place


def _explain(picked: Explanation) -> None:
    longest = max(map(len, picked.steps))
    size = next((size for size, most in LATEX_SIZES.items() if longest <= most), None)
    if size:
        with st.container(key=f"picked_latex_{size}"):
            st.latex(picked.latex)
            st.text(" ".join((f"{picked.words}.", *picked.notes)))
    with st.container(key="picked_beside_latex" if size else "picked_alone"):
        st.text(picked.text)


def _show_choice(trace: AttentionTrace, picked: Explanation | None, query: int) -> None:
    shapes = shapes_of(trace)
    session = this_session()
    held = session.held(MATRIX, picked.matrix if picked else None, partial(_take_matrix, trace, query))
    st.selectbox(
        say("playground.cell.matrix"), in_view(shapes), None, width=200, label_visibility="collapsed", **held,
        format_func=lambda name: trace.stages[name].title, placeholder=say("playground.cell.choose"),
    )  # fmt: skip
    if picked is None:
        return
    stage = trace.stages[picked.matrix]
    axes: tuple[tuple[Literal["rows", "columns"], str, str, int], ...] = (
        ("rows", say("playground.cell.row"), ROW, picked.row),
        ("columns", say("playground.cell.column"), COLUMN, picked.column),
    )
    for (axis, label, key, at), size in zip(axes, shapes[picked.matrix], strict=True):
        kind = getattr(stage, axis)
        session.put(key, at)
        if size > LONGEST_LIST:
            st.number_input(label, 0, size - 1, step=1, key=key, on_change=_take_place, args=(trace,), width=120,
                            label_visibility="collapsed")  # fmt: skip
            continue
        names = stage.labels(axis, trace.tokens, size, 40)
        called = label.lower() if kind in ("feature", "distance") else kind
        options = [say("playground.cell.option", kind=called, name=name) for name in names]
        st.selectbox(label, range(size), key=key, on_change=_take_place, args=(trace,), width=120,
                     format_func=options.__getitem__, label_visibility="collapsed")  # fmt: skip


def _take_matrix(trace: AttentionTrace, query: int, name: str | None) -> None:
    if name is None:
        pick(None)
        return
    _pick_seen(trace, name, 0 if trace.stages[name].rows == "feature" else min(query, len(trace[name]) - 1), 0)


def _take_place(trace: AttentionTrace) -> None:
    matrix, row, column = map(this_session().get, (MATRIX, ROW, COLUMN))
    _pick_seen(trace, matrix, int(row), int(column))


_PICKER_KEYS = {HEAD: "heads.picker", LAYER: "layers.picker"}


def show_head_picker(scenario: Scenario) -> int:
    """Draw the heads if there are several; return the number in view."""
    head = picked_head(scenario)
    if scenario.n_heads > 1:
        _show_places(HEAD, say("heads.picker"), scenario.n_heads, head)
    return head


def show_layer_picker(scenario: Scenario) -> int:
    """Draw the layers if there are several; return the number in view."""
    layer = picked_layer(scenario)
    if scenario.n_layers > 1:
        _show_places(LAYER, say("heads.layers"), scenario.n_layers, layer)
        st.caption(say("heads.layers_how"), width="content")
    return layer


def _show_places(name: str, label: str, n: int, picked: int) -> None:
    held = this_session().held(_PICKER_KEYS[name], picked, lambda to: url_texts.put(name, int(to)))
    st.segmented_control(
        label, range(n), required=True, **held,
        format_func=lambda each: say("heads.layer", layer=each) if name == LAYER else str(each),
        label_visibility="collapsed" if name == LAYER else "visible",
    )  # fmt: skip
