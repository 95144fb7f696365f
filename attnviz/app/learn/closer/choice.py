"""What can be looked at closer at a moment: one part at a time, for each takes its time to be worked out."""

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from attnviz.app.learn.closer.explained import show_explained
from attnviz.app.learn.closer.glass import show_glass
from attnviz.app.learn.closer.home import show_generated, show_home
from attnviz.app.learn.closer.seeds import show_seeds
from attnviz.app.learn.moment.heads_off import Off
from attnviz.core.attention import AttentionTrace
from attnviz.training import Training
from attnviz.words import say


def show_closer(
    training: Training, step: int, text: str, trace: AttentionTrace, layer: int, seen: AttentionTrace, off: Off
) -> None:
    """Draw the choice of a part, and that part. `seen` is what the board shows: the trace without the heads that are
    switched off."""
    parts: Mapping[str, Callable[[], None]] = {
        "glass": partial(show_glass, training, step, text, trace, layer, off),
        "why": partial(show_explained, training, seen),
        "seeds": partial(show_seeds, training.settings),
        "goes_on": partial(show_generated, training, step, text, off),
        "home": partial(show_home, training, step, text, seen, layer, off),
    }
    st.subheader(say("learn.closer.label"), anchor=False)
    chosen = st.segmented_control(
        say("learn.closer.label"), tuple(parts), key="learn.closer", persist_state="session",
        format_func=lambda name: say(f"learn.closer.{name}"), label_visibility="collapsed",
    )  # fmt: skip
    if chosen is not None and chosen in parts:
        with st.container(key="learn_closer"):
            parts[chosen]()
