"""What can be looked at closer at a moment: one part at a time, in place of the sentence and the curves."""

import streamlit as st

from attnviz.app.learn.explained import show_explained
from attnviz.app.learn.glass import show_glass
from attnviz.app.learn.heads_off import pick_heads_off
from attnviz.app.learn.home import show_generated, show_home
from attnviz.app.learn.running import learning
from attnviz.app.learn.seeds import show_seeds
from attnviz.app.learn.shown import Shown, show_board
from attnviz.app.session.session import this_session
from attnviz.words import say

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
