"""The texts of the address that no one types: every row of the table of parameters that is no control.

Each is the value of a text input bound to the URL and drawn out of sight, last in every run, so that
reload, page change, Back and a copied link restore it. Only the URL and our own code can change it: what
the browser sends along with another click may be older than what we hold, where a run ended early.
"""

from typing import Any
from urllib.parse import parse_qs

import streamlit as st

from attnviz.app.streamlit_internals import get_script_run_ctx, kept
from attnviz.link.parameter_table import MOST_TOGETHER, PINNED, QUERY
from attnviz.link.parameter_table import texts as rows
from attnviz.link.set_up import CHANGES, MOST_GIVEN

_SOON = frozenset({CHANGES, QUERY})
_HELD, _DRAWN = "bound.texts", "bound.drawn"  # under one key: each look into a session's state takes its time


def receive(name: str) -> tuple[str, bool]:
    """Return the current text, and whether it came from the URL: on the first run, or by Back and Forward."""
    arrived = False
    context = get_script_run_ctx()
    held = texts_held()
    if name not in held:
        text, arrived = st.query_params.get(name, ""), True
    elif context is not None and context.is_history_navigation:
        # st.query_params still holds what it held before the reader went back.
        text, arrived = parse_qs(context.query_string).get(name, [""])[0], True
    else:
        text = held[name]
    send(name, text)
    return text, arrived


def send(name: str, text: str) -> None:
    """Make this the current text; before :func:`draw`."""
    text = text or ""  # a control of which something forged was sent has no value
    st.session_state[name] = text
    held = texts_held()
    if held.get(name) != text:
        st.session_state[_HELD] = {**held, name: text}


def put(name: str, value: Any) -> None:
    """Make this the current value."""
    send(name, rows()[name].write(value))


def current(name: str) -> str:
    """Return the current text, as it was received or sent last."""
    return texts_held().get(name, "")


def texts() -> dict[str, str]:
    """Return all current texts, by the names of their parameters."""
    return dict.fromkeys(rows(), "") | texts_held()


def room(name: str) -> int:
    """Return how many characters a link has for the changes, or for the set-up kept as A, beside all other texts."""
    sizes = {other: len(held) for other, held in texts().items() if other != name}
    beside = sizes.get(CHANGES, 0) + sizes.get(PINNED, 0)
    return max(0, min(MOST_GIVEN - beside, MOST_TOGETHER - sum(sizes.values())))


def fits(name: str, text: str) -> bool:
    """Whether a link can carry these changes, or this set-up kept as A, beside all the other texts."""
    return len(text) <= room(name)


def draw() -> None:
    """Draw the widgets that bind the texts to the URL; page.css keeps them out of sight.

    A text is drawn from the time on when it was there first, for blank ones would only cost the browser time; what the
    first edit and the first picked word write is drawn before, so that these need no run of all of the page.
    """
    texts_now, came = texts(), st.query_params.to_dict()
    there = {name for name in rows() if texts_now[name] or name in came or name in _SOON}
    drawn = there.union(st.session_state.get(_DRAWN, ()))
    with st.container(key="out_of_sight"):
        for name, row in rows().items():
            if name in drawn:
                st.text_input(name, key=name, bind="query-params", max_chars=row.most)
            else:  # Streamlit writes into the URL only what it has known for a run
                st.session_state.setdefault(name, "")
    st.session_state[_DRAWN] = drawn


def is_any_new() -> bool:
    """Whether the address has a text that no run has drawn: Streamlit doesn't know it yet, and wouldn't take it out."""
    drawn = kept(_DRAWN, ())
    return any(text and name not in drawn for name, text in texts_held().items())


def texts_held() -> dict[str, str]:
    """Return the texts that were received or sent, by the names of their parameters: to be read, not to be changed."""
    held: dict[str, str] = kept(_HELD, {})
    return held
