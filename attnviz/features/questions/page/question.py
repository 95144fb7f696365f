"""The list of questions, and the page of one with its example.

The examples belong to the questions: nothing here changes the set-up of Explore. A text in the URL holds the open
question's changed example, with its choices and the token that is followed.
"""

from base64 import b64encode
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import streamlit as st

from attnviz.app.components.board import marked_while_older, show_stored_board
from attnviz.app.parts.charts import offer, show_offered
from attnviz.app.parts.predicting import asked_style, prediction
from attnviz.app.parts.ways import follow
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import is_presenting, take
from attnviz.app.text import is_dark
from attnviz.board.data import FEW_DIGITS
from attnviz.board.drawn import BoardOptions
from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import Scenario
from attnviz.documents import table_svg
from attnviz.features.questions import documents
from attnviz.features.questions.page.finding import show_finding
from attnviz.features.questions.page.panel import Panel, Stage, example_of, open_it
from attnviz.features.questions.parameters import NUMBERS, QUESTION, Example, question_of, whole_text
from attnviz.features.questions.questions import FIRST, QUESTIONS, SUBJECTS, Question, QuestionView
from attnviz.features.sweeps.page.row_bars import Panel as Row
from attnviz.features.sweeps.page.row_bars import show_row_bars
from attnviz.figures import heatmap_spec, points_spec, small_picture
from attnviz.figures.small_tables import table_in_words
from attnviz.link.ways import way_to
from attnviz.words import plural, say
from attnviz.words.numbers import DEFAULT_DIGITS

_FOR_BOARD = 1.35  # magnification of tables that stand in for a board
_BESIDE = {"sum": (66, 34), "axis": (58, 42)}  # relative widths of the board and of the picture beside it
_IN_HALL = {"sum": (56, 44), "axis": (27, 73)}  # the same while presenting, when everything is enlarged
_STYLE = (Path(__file__).parent / "questions.css").read_text()


def open_question() -> Question | None:
    """Return the open question, from URL or buttons; None is the list."""
    return question_of(take(QUESTION))


def show_question(question: Question) -> None:
    """Draw a question's example and prediction; after the prediction, the answer."""
    example = example_of(question)
    seen = question.look(example.scenario, example.options, this_session().digits, example.query)
    has_board = bool(shown := documents.shown_of(question, made_of(question, example), example.options))
    wide = shown and {"x", "attention_weights", "v"} <= {*shown}  # no room beside such a board while presenting
    st.html(f"<style>{asked_style(panels=('question_panel',))}{_STYLE}</style>")
    with st.container(key="question", gap="xxsmall"):
        _show_head(question)
        left, right = st.columns([77, 23], gap="medium")
    with left, st.container(key="question_wide" if wide else "question_example"):
        _show_example(question, example, seen, has_board)
    made = question.makes(example.scenario, example.options)
    with right, st.container(key="question_panel", gap="small"):
        pictured = has_board and seen.points is None  # tables are in the panel then, beside the board
        tables = partial(_show_tables, seen, question) if pictured else lambda: None
        Panel(question, example, seen, partial(_beside, made, has_board), tables).show()


def _show_head(question: Question) -> None:
    about_it = [each for each in QUESTIONS if each.subject == question.subject]
    with st.container(horizontal=True, vertical_alignment="top", key="question_head"):
        st.markdown(f"## {question.title}")
        subject = say(f"question_page.subject.{question.subject}")
        place = say("question_page.place", subject=subject, number=1 + about_it.index(question), n=len(about_it))
        st.caption(place, width="content")
        if way := way_to("lesson", back=True):
            st.button(way.title, on_click=follow, args=(way,), type="tertiary", key="questions.way_back")
        every = say("question_page.all", questions=plural(len(QUESTIONS), "question"))
        st.button(every, on_click=open_it, args=(None,), type="tertiary", key="questions.all")


def _show_example(question: Question, example: Example, seen: QuestionView, has_board: bool) -> None:
    """Draw the board, or tables; points in a plane are beside it."""
    if seen.points is None:
        if has_board:
            _show_board(question, example)
        else:
            _show_bars(seen, question)
            if seen.by_width is None or not is_presenting():  # while presenting, the bars are enough
                with st.container(horizontal=True, gap="small", key="questions_pictures"):
                    _show_tables(seen, question, 1.0 if is_presenting() else _FOR_BOARD)
        return
    presenting = is_presenting()
    board, pictures = st.columns((_IN_HALL if presenting else _BESIDE)[question.slug])
    with board:
        _show_board(question, example)
    made = question.makes(example.scenario, example.options)
    with pictures, _beside(made, has_board, "pictures"), st.container(horizontal=presenting, key="questions_points"):
        _show_tables(seen, question, 1.0 if presenting else _FOR_BOARD)
        title, alt = say("question_page.points"), say("question_page.points_alt")
        draw = partial(points_spec, seen.points, in_hall=presenting)
        show_offered(draw, f"questions.{question.slug}.points", title, alt)


def _show_bars(seen: QuestionView, question: Question) -> None:
    """Draw rows of attention weights that follow a slider of d_k."""
    if seen.by_width is not None:
        dims, rows = seen.by_width.dims, seen.by_width.rows
        panels = [Row.of(of_p, p) for p, of_p in rows.items()]
        show_row_bars(f"questions.{question.slug}.bars", dims, panels, at=len(dims) - 1, name="d_k")


def _beside(scenario: Scenario, has_board: bool, key: str) -> AbstractContextManager[None]:
    """Mark its content as older while the board shows other numbers."""
    return marked_while_older(scenario, key) if has_board else nullcontext()


def _show_tables(seen: QuestionView, question: Question, larger: float = 1.0) -> None:
    """Draw the example's tables, except those of zeros."""
    digits = (
        min(FEW_DIGITS, this_session().digits) if this_session().digits == DEFAULT_DIGITS else this_session().digits
    )
    for i, table in enumerate(seen.tables):
        if table.matrix.any():
            key = f"questions.{question.slug}.table.{i}"
            alt = table_in_words(table, digits)
            show_offered(partial(table_svg, table, digits, larger=larger), key, table.title, alt)


def made_of(question: Question, example: Example) -> AttentionTrace:
    """Return the example's trace, as seen from its first head."""
    return question.drawn_trace(example.scenario, example.options).for_head(0)


def looks_of(question: Question, example: Example, made: str, *, presenting: bool) -> BoardOptions:
    """Return how a question's board looks: fixed before the prediction.

    While presenting, numbers take the room of the ribbons.
    """
    asked = Stage.of(question, example, made) is Stage.ASKED
    fixed = question.fixed or asked
    looks = documents.looks_of(
        question, example.scenario, example.options, fixed=fixed, holds=asked, in_hall=presenting
    )
    return replace(looks, ribbons=None) if presenting else looks


def _show_board(question: Question, example: Example) -> None:
    scenario = question.makes(example.scenario, example.options)
    trace = question.drawn_trace(example.scenario, example.options)
    first = trace.for_head(0)
    looks = looks_of(question, example, prediction(question.slug), presenting=is_presenting())
    if looks.about and not looks.says:
        st.caption(looks.about)
    for name in looks.names or ():
        title = say("question_page.board", matrix=first.stages[name].title)
        alt = say("question_page.board_alt", matrix=first.stages[name].title, meaning=first.stages[name].meaning)
        draw = partial(heatmap_spec, first, name, digits=this_session().digits)
        offer(f"questions.{question.slug}.{name}", title, alt, draw)
    stored = NUMBERS, whole_text(question, example)
    several: dict[str, Any] = (
        {"heads": []} if trace.n_heads > 1 else {}
    )  # each head has a board of its own, without a strip to pick another head
    for head, column in enumerate(st.columns(trace.n_heads)):
        with column:
            if several:
                st.caption(say("question_page.head", head=head))
            show_stored_board(scenario, trace.for_head(head), example.query, looks,
                       key=f"questions.board.{question.slug}.{head}", stored=stored, **several)  # fmt: skip


def show_list() -> None:
    """Draw all questions, by their subjects; each leads to its page."""
    st.markdown(f"## {say('app.questions.title')}")
    st.text(say("question_page.list", questions=plural(len(QUESTIONS), "question")))
    show_finding()
    st.html(f"<style>{_STYLE}{_pictures(is_dark())}</style>")
    with st.container(key="questions_first", gap="xxsmall"):
        st.caption(say("question_page.first"))
        for number, question in enumerate((question_of(slug) for slug in FIRST), start=1):
            assert question is not None
            label = say("question_page.first_of", number=number, title=question.title)
            st.button(
                label, key=f"questions.first.{question.slug}", on_click=open_it, args=(question,), type="tertiary"
            )
    with st.container(key="questions_list"):
        for subject in SUBJECTS:
            about_it = [question for question in QUESTIONS if question.subject == subject]
            with st.container(key=f"questions_subject_{min(len(about_it), 4)}_{subject}"):
                st.markdown(f"## {say(f'question_page.subject.{subject}')}")
                for question in about_it:
                    st.button(question.title, key=f"questions.open.{question.slug}", on_click=open_it, args=(question,))


@lru_cache(maxsize=2)
def _pictures(dark: bool) -> str:
    """Return the CSS with the cards' pictures; they never change."""
    return "".join(
        f'.st-key-questions-open-{each.slug} button::after {{ background-image: url("{_as_url(each, dark)}"); }}'
        for each in QUESTIONS
    )


def _as_url(question: Question, dark: bool) -> str:
    svg = small_picture([(matrix.numpy(), role) for matrix, role in question.pictured], dark=dark)
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"
