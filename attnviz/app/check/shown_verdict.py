"""The verdict on what was marked, as a page shows it."""

from collections.abc import Sequence

import streamlit as st

from attnviz.documents.marking_page import legend
from attnviz.marking import Marking, verdict
from attnviz.marking.settings import symbol_of
from attnviz.words import say


def show_verdict(marking: Marking, tokens: tuple[str, ...], unread: Sequence[str] = ()) -> None:
    """Draw a verdict: the summary, the first error with its arithmetic, and how each table stands; nothing is all right
    while there are tables that can't be read."""
    words = verdict(marking, tokens)
    if words.nothing_yet:
        st.info(f"{words.summary} {words.nothing_yet}", icon=":material/edit:")
        return
    with st.container(border=True, key="verdict"):
        stands = "wrong" if words.first_error else "part" if unread else "doubt" if words.doubt else "right"
        st.text(say(f"check.verdict.summary_{stands}", summary=words.summary))
        if unread:
            names = ", ".join(map(symbol_of, unread))
            st.text(say("check.verdict.unread", names=names))
        if words.doubt:
            settled = say(
                "check.verdict.doubt_settled", more=say("check.form.more"), inputs=say("check.form.inputs.label")
            )
            st.text(say("check.verdict.doubt", sentence=" ".join((*words.doubt, settled))))
        for slip in words.slips:
            st.text(say("check.verdict.slip", slip=slip))
        if words.first_error:
            left, right = st.columns(2)
            left.text(words.first_error)
            left.code("\n".join(words.arithmetic), language=None, wrap_lines=True)
            right.text("\n".join(words.tables))
        else:
            st.text("\n".join(words.tables))
        for sentence in words.reading:
            st.text(say("check.verdict.reading", sentence=sentence))
        for sentence in words.rounding:
            st.text(say("check.verdict.rounding", sentence=sentence))
        taken = ", ".join(map(symbol_of, marking.taken))
        st.caption(say("check.verdict.taken", names=taken))
        st.html(legend())
