"""What the pages of Check share: their mode and the verdict."""

from collections.abc import Sequence

import streamlit as st

from attnviz.app.parts import examples
from attnviz.app.session import url_texts
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import take
from attnviz.features.check.marking import Marking, verdict
from attnviz.features.check.marking.settings import symbol_of
from attnviz.features.check.marking_page import STYLE, legend
from attnviz.features.check.parameters import CHECK, EXAMPLES, EXERCISE, Checked, published_names
from attnviz.features.check.parameters import CHECK as CHECKING
from attnviz.words import say

_KEY = "check.mode"
_LETTERS = """<style>
.st-key-check_form textarea, .st-key-check-paste textarea { font-family: monospace; white-space: pre; }
/* On a phone, the settings take half of the screen, so the verdict comes first. */
@media (max-width: 640px) {
  .st-key-check_marked > :first-child { order: 1; }
}
:root[data-presents] .marked td small { font-size: 0.86rem; } /* the small number below a marked one */
</style>"""


def chosen_mode() -> str:
    """Draw the choice of what to do and return what was chosen."""
    st.html(_LETTERS + STYLE)
    named = examples.take_named()
    if named in published_names() and not url_texts.current(CHECK):
        url_texts.put(CHECK, Checked(EXAMPLES, named))
    session = this_session()
    if checked().mode == EXERCISE:  # the page Exercises opens the session's exercise
        session.exercise = url_texts.current(CHECK)
        url_texts.correct(CHECK, "")
    mode = checked().mode
    held = session.held(_KEY, mode, lambda to: url_texts.put(CHECK, Checked(to)))
    st.segmented_control(
        say("check.mode.label"), (CHECKING, EXAMPLES), required=True, label_visibility="collapsed",
        format_func=lambda each: say(f"check.mode.{each}"), **held,
    )  # fmt: skip
    return mode


def open_exercise() -> None:
    """Show the exercise of the link, or the last one open."""
    st.html(_LETTERS + STYLE)
    session = this_session()
    if checked().mode != EXERCISE and session.exercise:
        url_texts.correct(CHECK, session.exercise)


def checked() -> Checked:
    """Return the URL's mode and example; default: checking one's own numbers."""
    found: Checked = take(CHECK)
    return found


def show_first_try(marking: Marking, tokens: tuple[str, ...]) -> None:
    """Say how many numbers are wrong, without telling the right ones."""
    words = verdict(marking, tokens)
    with st.container(border=True, key="verdict"):
        st.text(say("check.verdict.summary_wrong", summary=words.summary))
        st.text("\n".join(words.tables))
        st.text(say("exercises.try_again"))


def show_verdict(marking: Marking, tokens: tuple[str, ...], unread: Sequence[str] = ()) -> None:
    """Draw the summary, the first error, and a sentence for each table."""
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
