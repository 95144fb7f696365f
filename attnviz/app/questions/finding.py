"""The field that finds questions, steps and pages by words."""

import streamlit as st

from attnviz.app.parts.examples import open_panel
from attnviz.app.questions.panel import open_it
from attnviz.app.session import url_texts
from attnviz.app.session.address import PLAYGROUND, go_to, turn
from attnviz.app.session.session import this_session
from attnviz.feature import filled
from attnviz.link.parameter_table import STEP
from attnviz.link.question_text import question_of
from attnviz.teach.finding import LESSON, PAGE, QUESTION, SWITCH, Place, found
from attnviz.words import say

_FIELD = "questions.find"
_MOST_CHARACTERS = 160


def show_finding() -> None:
    """Draw the field, and the places that fit what was typed."""
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
                _called(place), key=f"questions.find.{place.kind}.{place.name}", on_click=_open, args=(place,),
                type="tertiary",
            )  # fmt: skip


def _called(place: Place) -> str:
    if place.kind in (QUESTION, PAGE):
        return place.title
    where = say("what_if.title" if place.kind == SWITCH else f"app.{place.kind}.title")
    return say("finding.place", title=place.title, where=where)


def _open(place: Place) -> None:
    """Go to a place; in a callback."""
    if place.kind == QUESTION:
        open_it(question_of(place.name.replace("_", "-")))
    elif place.kind == LESSON:
        url_texts.put(STEP, place.name)
        go_to("lesson")
    elif place.kind == SWITCH:
        switch, _, way = place.name.partition(".")
        turn({"what_if": f"{switch}:{way}"})
        open_panel()
        go_to(PLAYGROUND)
    elif place.kind == PAGE:
        go_to(PLAYGROUND if place.name == "playground" else place.name)
    else:
        filled("opens")[place.kind](place.name)
