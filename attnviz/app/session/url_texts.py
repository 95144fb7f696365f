"""Texts that live in the URL and that no one types: the changes of matrices, the picked token and cell, the view,
the set-up kept as A, the sweep, the step, the open question and its
numbers, what is checked and the tables typed there.

Each is the value of a text input bound to the URL and drawn out of sight, last in every run, so that
reload, page change, Back and a copied link restore it. Only the URL and our own code can change it: what
the browser sends along with another click may be older than what we hold, where a run ended early.
"""

from urllib.parse import parse_qs

import streamlit as st

from attnviz.app.streamlit_internals import get_script_run_ctx
from attnviz.link import parameter_table

# The URL's names.
CHANGES = parameter_table.CHANGES
QUERY = "query"
VIEW = "view"
CELL = "cell"
PINNED = "pinned"
SWEEP = "sweep"
STEP = "step"
HIDE = "hide"
QUESTION = "question"
EXAMPLE = "numbers"  # ?example=love-ai is a worked example
CHECK = "check"
TABLES = "tables"
# Eleven tables of 64 by 64 numbers with 8 decimals pack to 310 000 characters. Chromium and the app's server take
# these, and half a million, too; what is longer stays in the session alone.
MOST_OF_TABLES = 400_000
# Changes and what is pinned, together. They travel with every click: 200 000 characters, 32 768 random numbers in
# float32, add 0.1 to 0.3 s to it, 400 000 would add half a second.
MOST_GIVEN = 250_000
_MOST_TOGETHER = 480_000  # the server reads 524 288 characters, and the controls need some
MOST_CHARACTERS = {  # to which the browser cuts what is longer
    CHANGES: MOST_GIVEN,
    QUERY: 6,
    VIEW: 10,
    CELL: 40,
    PINNED: MOST_GIVEN,
    SWEEP: 2000,
    STEP: 3,
    QUESTION: 3,
    EXAMPLE: 20_000,
    HIDE: 300,
    CHECK: 60,
    TABLES: MOST_OF_TABLES,
}
_DRAWN = "bound.drawn"


def receive(name: str) -> tuple[str, bool]:
    """Return the text of now, and whether it came from the URL: on the first run, or by Back and Forward."""
    arrived = False
    context = get_script_run_ctx()
    if _key(name) not in st.session_state:
        text, arrived = st.query_params.get(name, ""), True
    elif context is not None and context.is_history_navigation:
        # st.query_params still holds what it held before the reader went back.
        text, arrived = parse_qs(context.query_string).get(name, [""])[0], True
    else:
        text = current(name)
    send(name, text)
    return text, arrived


def send(name: str, text: str) -> None:
    """Make this the text of now; before :func:`draw`."""
    st.session_state[_key(name)] = st.session_state[name] = text


def current(name: str) -> str:
    """Return the text of now, as it was received or sent last."""
    return str(st.session_state.get(_key(name), ""))


def texts() -> dict[str, str]:
    """Return all texts of now, by the names of their parameters."""
    return {name: current(name) for name in MOST_CHARACTERS}


def room(name: str) -> int:
    """Return how many characters a link has for the changes, or for the set-up kept as A, beside all other texts."""
    sizes = {other: len(held) for other, held in texts().items() if other != name}
    beside = sizes.get(CHANGES, 0) + sizes.get(PINNED, 0)
    return max(0, min(MOST_GIVEN - beside, _MOST_TOGETHER - sum(sizes.values())))


def fits(name: str, text: str) -> bool:
    """Whether a link can carry these changes, or this set-up kept as A, beside all the other texts."""
    return len(text) <= room(name)


def draw() -> None:
    """Draw the widgets that bind the texts to the URL; page.css keeps them out of sight.

    A text is drawn from the time on when it was there first: blank ones would only cost the browser time.
    """
    there = {name for name in MOST_CHARACTERS if current(name) or name in st.query_params}
    drawn = there.union(st.session_state.get(_DRAWN, ()))
    with st.container(key="out_of_sight"):
        for name, most in MOST_CHARACTERS.items():
            if name in drawn:
                st.text_input(name, key=name, bind="query-params", max_chars=most)
            else:  # Streamlit writes into the URL only what it has known for a run
                st.session_state.setdefault(name, "")
    st.session_state[_DRAWN] = drawn


def _key(name: str) -> str:
    return f"bound.{name}"
