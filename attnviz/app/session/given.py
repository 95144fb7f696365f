"""Controls that were set by something else than their own hand, until a run has drawn them.

What the browser sends along with the next click is older: where that click ends a run early, it would take back what
was set.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st

from attnviz.app.streamlit_internals import get_script_run_ctx, states_of
from attnviz.link.set_up import parameters

_GIVEN = "given.controls"


@contextmanager
def giving() -> Iterator[None]:
    """Note which controls are set within, in a callback."""
    before = _controls()
    yield
    after = _controls()
    given = {name: (before[name], after[name]) for name in after if after[name] != before[name]}
    if given:
        st.session_state[_GIVEN] = st.session_state.get(_GIVEN, {}) | given


def give() -> None:
    """Set these controls again, where the browser has sent what they were before; before any is drawn."""
    context = get_script_run_ctx()
    if context is not None and context.is_history_navigation:  # to where they were something else
        taken()
    for name, (before, after) in st.session_state.get(_GIVEN, {}).items():
        if st.session_state.get(name) == before:
            st.session_state[name] = after


def taken() -> None:
    """Forget them, at the end of a run of the whole page."""
    st.session_state.pop(_GIVEN, None)


def _controls() -> dict[str, Any]:
    return states_of({name: row.default for name, row in parameters().items()})
