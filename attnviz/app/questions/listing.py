"""The list of questions: cards grouped by subject, each with a small picture of its own example."""

from base64 import b64encode
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import streamlit as st

from attnviz.app.text import is_dark
from attnviz.figures import small_picture
from attnviz.teach.questions import QUESTIONS, SUBJECTS, Question
from attnviz.words import plural, say

_STYLE = (Path(__file__).parent / "cards.css").read_text()


def show_list(open_it: Callable[[Question], None]) -> None:
    """Draw all questions, by their subjects; each leads to its page."""
    st.text(say("question_page.list", questions=plural(len(QUESTIONS), "question")))
    st.html(f"<style>{_STYLE}{_pictures(is_dark())}</style>")
    with st.container(key="questions_list"):
        for subject in SUBJECTS:
            about_it = [question for question in QUESTIONS if question.subject == subject]
            with st.container(key=f"questions_subject_{min(len(about_it), 4)}_{subject}"):
                st.markdown(f"##### {say(f'question_page.subject.{subject}')}")
                for question in about_it:
                    st.button(question.title, key=f"questions.open.{question.slug}", on_click=open_it, args=(question,))


@lru_cache(maxsize=2)
def _pictures(dark: bool) -> str:
    """Return the cards' pictures as rules of a style sheet. The examples they start from are always the same."""
    return "".join(
        f'.st-key-questions-open-{each.slug} button::before {{ background-image: url("{_as_url(each, dark)}"); }}'
        for each in QUESTIONS
    )


def _as_url(question: Question, dark: bool) -> str:
    svg = small_picture([(matrix.numpy(), role) for matrix, role in question.pictured], dark=dark)
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"
