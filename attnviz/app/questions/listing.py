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


def show_list(open_it: Callable[[int], None]) -> None:
    """Draw all questions, by their subjects; each leads to its answer, by its number from 1."""
    st.text(say("question_page.list", questions=plural(len(QUESTIONS), "question")))
    st.html(f"<style>{_STYLE}{_pictures(is_dark())}</style>")
    with st.container(key="questions_list"):
        for subject in SUBJECTS:
            about_it = [(at, question) for at, question in enumerate(QUESTIONS, 1) if question.subject == subject]
            with st.container(key=f"questions_subject_{min(len(about_it), 4)}_{subject}"):
                st.markdown(f"##### {say(f'question_page.subject.{subject}')}")
                for number, question in about_it:
                    st.button(listed(number, question), key=f"questions.open.{number}", on_click=open_it,
                              args=(number,))  # fmt: skip


def listed(number: int, question: Question) -> str:
    """Return what a question is called in the list and over its answer."""
    return say("question_page.listed", number=number, title=question.title)


@lru_cache(maxsize=2)
def _pictures(dark: bool) -> str:
    """Return the cards' pictures as rules of a style sheet. The examples they start from are always the same."""
    return "".join(
        f'.st-key-questions-open-{number} button::before {{ background-image: url("{_as_url(question, dark)}"); }}'
        for number, question in enumerate(QUESTIONS, 1)
    )


def _as_url(question: Question, dark: bool) -> str:
    svg = small_picture([(matrix.numpy(), role) for matrix, role in question.pictured], dark=dark)
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"
