"""What can be shared, taken home and brought back: links, code, data, uploads."""

import streamlit as st

from attnviz.app.session.link_values import take
from attnviz.app.session.session import this_session
from attnviz.app.shell.share.bringing_back import show_open
from attnviz.app.shell.share.files import (
    CODE,
    DATA,
    KINDS,
    PICTURES,
    ask_for_sentence,
    show_code,
    show_data,
    show_own,
    show_pictures,
    show_question_page,
)
from attnviz.app.shell.share.links import show_links
from attnviz.core.scenario import Scenario
from attnviz.link.parameter_table import QUESTION
from attnviz.link.question_text import question_of
from attnviz.words import say

LINK, OPEN = "link", "open"


def show_share(scenario: Scenario | None, *, own_examples: bool = False) -> None:
    """Draw the button that opens all this; what is in it is made once it is open. A page with examples of its own gives
    what it shows itself, or it's said that what is shared isn't that."""
    shared = this_session().shared
    offered, own = shared.figures, shared.computation
    with st.popover(say("share.button"), key="share", on_change="rerun") as popover:
        if not popover.open:
            return
        chosen = st.segmented_control(
            say("share.what"), (LINK, *KINDS, OPEN), default=LINK, required=True,
            format_func=_part_in_words, label_visibility="collapsed", key="share.part",
        )  # fmt: skip
        if chosen == LINK:
            show_links(shared.attachment)
            return
        if own is not None and chosen in KINDS:
            show_own(own, chosen, offered)
            return
        if own_examples and chosen in (CODE, DATA):
            st.info(say("share.of_set_up"), icon=":material/info:")
        if chosen == PICTURES:
            show_pictures(scenario, offered)
            if own_examples and (question := question_of(take(QUESTION))):
                show_question_page(question)
        elif scenario is None:
            ask_for_sentence()
        elif chosen == CODE:
            show_code(scenario)
        elif chosen == DATA:
            show_data(scenario)
        else:
            show_open(scenario)


def _part_in_words(part: str) -> str:
    return say(f"share.part.{part}")
