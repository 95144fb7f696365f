"""What can be looked at closer at a moment: one part at a time, in place of the sentence and the curves."""

from typing import Literal

import streamlit as st

from attnviz.app.learn.glass import show_glass
from attnviz.app.learn.heads_off import pick_heads_off
from attnviz.app.learn.home import show_generated, show_home
from attnviz.app.learn.moment import picked_token
from attnviz.app.learn.running import learning
from attnviz.app.learn.seeds import show_seeds
from attnviz.app.learn.shown import Shown, show_board
from attnviz.app.session import state
from attnviz.app.session.session import this_session
from attnviz.core.attention import AttentionTrace
from attnviz.core.stages import Stage
from attnviz.explanation import explain
from attnviz.training import Training
from attnviz.words import say

_LONGEST = 110  # characters of a formula's longest line, beyond which the plain text alone says it


def show_explained(training: Training, trace: AttentionTrace) -> None:
    """Draw the choice of a cell, and how it is made; at first, the most probable next token after the picked one."""
    names = followers(training, trace)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            say("learn.why.matrix"), names, names.index("probabilities"), key=f"learn.why.matrix.{len(names)}",
            width=260, format_func=lambda each: trace.stages[each].title, persist_state="session",
        )  # fmt: skip
        stage, table = trace.stages[name], trace[name]
        n_rows, n_columns = table.shape
        picked = min(picked_token(training, trace.tokens), n_rows - 1) if stage.rows != "feature" else 0
        row = _place("row", stage, trace, n_rows, picked)
        likely = int(table[row].nan_to_num().argmax()) if stage.columns == "entry" else 0
        column = _place("column", stage, trace, n_columns, likely)
    made = explain(trace, name, row, column, digits=state.digits())
    if max(map(len, made.steps)) <= _LONGEST:
        st.latex(made.latex)
        st.text(" ".join((f"{made.words}.", *made.notes)))
    else:
        st.code(made.text, language=None, wrap_lines=True)


def followers(training: Training, trace: AttentionTrace) -> list[str]:
    """Return the matrices from what the last layer's heads make together on."""
    names = list(trace.stages)
    first = training.model.name_of(training.settings.n_layers - 1, None, "output")
    return [name for name in names[names.index(first) :] if trace[name].dim() == 2]


def _place(axis: Literal["row", "column"], stage: Stage, trace: AttentionTrace, n: int, first: int) -> int:
    """Draw the choice of a row or a column by its token, its entry or its number; return it."""
    names = stage.labels("rows" if axis == "row" else "columns", trace.tokens, n)
    return st.selectbox(
        say(f"learn.glass.{axis}"), range(n), first, key=f"learn.why.{axis}.{stage.name}.{n}.{first}", width=160,
        format_func=lambda at: names[at],
    )  # fmt: skip


_PARTS = ("numbers", "glass", "why", "seeds", "goes_on", "off", "home")
_KEY = "learn.closer"


def show_parts(*, active: bool) -> str | None:
    """Draw the choice of a part, or the way back from it; return which one is open, none of a training under way."""
    own = learning()
    if own.part is None:
        st.menu_button(say("learn.closer.label"), _PARTS, key=_KEY, on_click=_open, disabled=active,
                       format_func=lambda name: say(f"learn.closer.{name}"))  # fmt: skip
        return None
    st.button(say("learn.closer.back"), key="learn.back", icon=":material/arrow_back:", on_click=_close)
    return None if active else own.part


def _open() -> None:
    learning().part = this_session().get(_KEY)


def _close() -> None:
    learning().part = None


def show_part(name: str, shown: Shown) -> None:
    """Draw a part: each takes its time to be worked out."""
    training, step, text, off, layer = shown.training, shown.step, shown.text, shown.off, shown.head[0]
    with st.container(key="learn_closer"):
        if name == "numbers":
            show_board(shown)
        elif name == "glass":
            show_glass(training, step, text, shown.trace, layer, off)
        elif name == "why":
            show_explained(training, shown.made)
        elif name == "seeds":
            show_seeds(training.settings)
        elif name == "goes_on":
            show_generated(training, step, text, off)
        elif name == "off":
            pick_heads_off(training.settings, off)
        else:
            show_home(training, step, text, shown.made, layer, off)
