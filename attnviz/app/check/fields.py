"""The fields of the form for tables of one's own: one for each matrix of the table of stages, the rarer ones folded."""

from collections.abc import Callable, Sequence

import streamlit as st

from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.core.stages import (
    ACTIVATIONS,
    BIASES,
    MASK,
    OUTPUT,
    Table,
    attention_table,
    formula_of,
    layer_table,
)
from attnviz.link.typed_form import DEFAULTS, FIRST_NAMES, TABLE_NAMES
from attnviz.marking.settings import gone_on_with
from attnviz.words import say

ACTIVATION = "check.activation"
_IN_A_ROW = 4
_WITH_POSITIONS = attention_table(biases=(), positions=True)
_EXAMPLES = ("x", "w_q", "e", "p", "b_q", "w_1", "b_1")  # of what may be typed, shown in fields that are blank


def _fold_of(name: str) -> str:
    if name in (*OUTPUT, "output"):
        return "output"
    if name == MASK:
        return "mask"
    if name == "residual_1":
        return "residual"
    return "positions" if name in _WITH_POSITIONS else "biases" if name in BIASES else "feed_forward"


_FOLDED = tuple(name for name in TABLE_NAMES if name not in FIRST_NAMES)
FOLDS = {fold: tuple(name for name in _FOLDED if _fold_of(name) == fold) for fold in map(_fold_of, _FOLDED)}


def key_of(name: str) -> str:
    """Return the key of the field of a matrix."""
    return f"check.table.{name}"


def text_of(name: str) -> str:
    """Return what is typed into the field of a matrix."""
    return st.session_state.get(key_of(name)) or ""


def stages_of(tables: Sequence[str], activation: str) -> Table:
    """Return the stages of a computation of which these tables are typed."""
    attention = layer_table(
        biases=tuple(name for name in BIASES if name in tables), positions="e" in tables or "p" in tables,
        mask=MASK in tables, output=True,
    )  # fmt: skip
    return gone_on_with(attention, tables, activation)


def show_fields(take_typed: Callable[[str], None]) -> tuple[dict[str, DeltaGenerator], str]:
    """Draw the fields; return the place below each, and the activation of the feed-forward step.

    `take_typed` is called with the name of a field in which something was typed.
    """
    activation = st.session_state.get(ACTIVATION, DEFAULTS[ACTIVATION])
    below = _show_rows(FIRST_NAMES, activation, take_typed)
    for fold, names in FOLDS.items():
        wanted = any(map(text_of, names)) or (fold == "feed_forward" and activation != DEFAULTS[ACTIVATION])
        with st.expander(say(f"check.form.fold.{fold}"), expanded=wanted):
            if fold == "feed_forward":
                activation = st.segmented_control(
                    say("check.form.activation.label"), tuple(ACTIVATIONS), default=DEFAULTS[ACTIVATION],
                    required=True, key=ACTIVATION, persist_state="session",
                    format_func=lambda choice: say(f"check.form.activation.{choice}"),
                )  # fmt: skip
            below |= _show_rows(names, activation, take_typed)
    return below, activation


def _show_rows(names: Sequence[str], activation: str, take_typed: Callable[[str], None]) -> dict[str, DeltaGenerator]:
    typed = [name for name in TABLE_NAMES if text_of(name)]
    below = {}
    for first in range(0, len(names), _IN_A_ROW):
        for column, name in zip(st.columns(_IN_A_ROW), names[first : first + _IN_A_ROW], strict=False):
            with column:
                _show_text(name, stages_of((*typed, name), activation), take_typed)
                below[name] = st.container()
    return below


def _show_text(name: str, stages: Table, take_typed: Callable[[str], None]) -> None:
    stage = stages[name]
    title = stage.title
    if stage.rule is not None:
        title = say("check.form.made", title=title, formula=formula_of(name, stages))
    st.text_area(
        title, key=key_of(name), persist_state="session", height=104, on_change=take_typed, args=(name,),
        placeholder=say(f"check.form.example.{name}") if name in _EXAMPLES else "",
        # Without max_chars: a paste over it would vanish without a word.
        help=say("check.form.table_help", plain=stage.plain),
    )  # fmt: skip
