"""The search field, which finds questions, steps and pages by words."""

import streamlit as st

from attnviz.app.session.address import PLAYGROUND, go_to
from attnviz.app.session.session import this_session
from attnviz.feature import filled
from attnviz.features.questions.finding import PAGE, Place, found
from attnviz.words import say

_FIELD = "questions.find"
_MOST_CHARACTERS = 160


def show_finding() -> None:
    """Draw the search field and its results."""
    session = this_session()
    with st.container(key="questions_find", gap="xxsmall"):
        st.text_input(
            say("finding.label"), key=_FIELD, max_chars=_MOST_CHARACTERS,
            placeholder=say("finding.placeholder"), icon=":material/search:",
        )  # fmt: skip
        if not (asked := (session.get(_FIELD) or "").strip()):
            return
        places = found(asked)
        st.caption(say("finding.found" if places else "finding.none"))
        for place in places:
            st.button(
                place.called, key=f"questions.find.{place.kind}.{place.name}", on_click=_open, args=(place,),
                type="tertiary",
            )  # fmt: skip


def _open(place: Place) -> None:
    """Go to a place, in a callback."""
    if place.kind == PAGE:
        go_to(PLAYGROUND if place.name == "playground" else place.name)
    else:
        filled("opens")[place.kind](place.name)
