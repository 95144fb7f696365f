"""The panel beside a question's example: prediction, outcome, why, things to try."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from enum import Enum, auto

import streamlit as st

from attnviz.app.parts.examples import begin_with
from attnviz.app.parts.predicting import ask, keep, lead_on, prediction, show_outcome, take_focus
from attnviz.app.parts.ways import follow
from attnviz.app.session import state, url_texts
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import is_presenting, take
from attnviz.features.questions.offered import QUERY, Change, View
from attnviz.features.questions.parameters import NUMBERS, QUESTION, Example, example_from_text, example_text
from attnviz.features.questions.predicted import ANSWERS
from attnviz.features.questions.questions import QUESTIONS, Control, Exponent, Option, Preset, Question, QuestionView
from attnviz.features.sweeps.settings import MAX_P
from attnviz.link.page_texts import SKIPPED, TRIED
from attnviz.link.ways import Way, way_to
from attnviz.words import say


class Stage(Enum):
    """How far a reader has got with a question."""

    ASKED = auto()
    ANSWERED = auto()
    TRIED = auto()

    @classmethod
    def of(cls, question: Question, example: Example, made: str) -> "Stage":
        """Return the stage, given the prediction and the current example."""
        now = example.scenario, example.options
        if made in (SKIPPED, *ANSWERS) and now == question.acted:
            return cls.ANSWERED
        return cls.ASKED if not made and now == (question.start, question.defaults) else cls.TRIED


def open_it(question: Question | None) -> None:
    """Go to a question, or with None to the list."""
    url_texts.put(QUESTION, "" if question is None else question.slug)
    begin_again(question)


def begin_again(question: Question | None) -> None:
    """Reset a question's example, and ask again."""
    url_texts.send(NUMBERS, "")
    lead_on()
    if question is not None:
        keep(question.slug, "")


def example_of(question: Question) -> Example:
    """Return the URL's example of a question; by default its start."""
    return example_from_text(question, take(NUMBERS, question=question.slug))[0]


def _send(question: Question, example: Example) -> None:
    last = len(example.scenario.tokens) - 1
    url_texts.send(NUMBERS, example_text(question, replace(example, query=min(example.query, last))))


def _change(question: Question, change: Callable[[Example], Example]) -> None:
    """Change a question's example; an impossible change gets a message."""
    try:
        changed = change(example_of(question))
    except ValueError:  # a training step leads beyond float32's range, or there are too many edits
        state.add_message(say("question_page.refused"))
        return
    _send(question, changed)
    keep(question.slug, TRIED)


def _make(question: Question, change: Change) -> None:
    _change(question, lambda example: replace(example, scenario=change(example.scenario)))


def _view(question: Question, view: View) -> None:
    """Open a button's view: its example, choices and followed token."""
    _change(question, lambda now: Example(*question.viewed(view, now.scenario, now.options, now.query)))


def _act(question: Question) -> None:
    """Do the act that was to be predicted."""
    scenario, options = question.acted
    _send(question, replace(example_of(question), scenario=scenario, options=options))


def _explore(example: Example, way: Way) -> None:
    begin_with(example.scenario, example.query)
    follow(way)


@dataclass(frozen=True)
class Panel:
    """A question's panel; `beside` marks sentences older than the board's numbers."""

    question: Question
    example: Example
    seen: QuestionView
    beside: Callable[[str], AbstractContextManager[None]]
    show_tables: Callable[[], None]

    def show(self) -> None:
        """Draw the panel; no answer is shown before a button is pressed."""
        stage = Stage.of(self.question, self.example, prediction(self.question.slug))
        if stage is Stage.ASKED:
            ask(self.question.asked, lambda: _act(self.question))
            return
        if stage is Stage.ANSWERED:
            show_outcome(self.question.asked)
        st.text(self.question.answer[0])
        if stage is Stage.ANSWERED or is_presenting():  # while presenting, the board stays visible beside the text
            if stage is Stage.ANSWERED:
                self._show_next()
            self._show_ways_on()
            with st.expander(say("question_page.more"), key="question_more"):
                self._show_tries()
            if stage is not Stage.ANSWERED:
                take_focus()
        else:
            self._show_tries()
            self._show_ways_on()
            take_focus()

    def _show_next(self) -> None:
        """Draw a button for where a wrong choice fails, or for more."""
        question, wrong = self.question, self.question.predicts.wrong
        view = wrong.get(prediction(question.slug), question.then)  # type: ignore[call-overload]
        if view is not None:
            st.button(self._named(view), key="questions.then", type="primary", on_click=_view, args=(question, view),
                      width="stretch")  # fmt: skip

    def _named(self, view: View) -> str:
        if isinstance(view, Preset):
            return view.label
        name, choice = list(view.items())[-1]
        if name == QUERY:
            return say("question_page.follow", token=self.question.start.tokens[int(choice)])
        (option,) = (each for each in self.question.options if each.name == name)
        called = choice if isinstance(option, Exponent) else option.choices[choice]
        return say("question_page.choose", label=option.label, choice=called)

    def _show_ways_on(self) -> None:
        question, example, at = self.question, self.example, QUESTIONS.index(self.question)
        with st.container(horizontal=True, gap=None, key="question_ways"):
            if at + 1 < len(QUESTIONS):
                st.button(say("question_page.next"), on_click=open_it, args=(QUESTIONS[at + 1],),
                          shortcut="PageDown", key="questions.next")  # fmt: skip
            what_if = way_to("explore", place="what_if") if question.what_if else None
            if what_if:
                st.button(what_if.title, key="questions.what_if", type="tertiary", on_click=_explore,
                          args=(example, what_if))  # fmt: skip
            elif way := way_to("explore"):
                st.button(say("question_page.explore"), on_click=_explore, args=(example, way), type="tertiary",
                          key="questions.explore")  # fmt: skip

    def _show_ways_aside(self) -> None:
        question, at = self.question, QUESTIONS.index(self.question)
        with st.container(horizontal=True, gap=None, key="question_aside"):
            st.button(say("question_page.again"), key="questions.again", type="tertiary", on_click=begin_again,
                      args=(question,))  # fmt: skip
            if way := way_to("lesson", step=question.step):
                st.button(way.title, key="questions.lesson", type="tertiary", on_click=follow, args=(way,))
            if at:
                st.button(say("question_page.back"), on_click=open_it, args=(QUESTIONS[at - 1],),
                          shortcut="PageUp", key="questions.back")  # fmt: skip
            if question.sweep and (way := way_to("scaling", sweep=question.sweep)):
                st.button(way.title, key="questions.scaling", type="tertiary", on_click=follow, args=(way,))

    def _show_tries(self) -> None:
        """Draw the example's sentences, what to try, and the full answer."""
        question = self.question
        with self.beside("seen"), st.container(gap="xsmall", key="questions_seen"):
            st.caption(say("question_page.seen"))
            for sentence in self.seen.sentences:
                st.text(sentence)
            self.show_tables()
        st.caption(say("question_page.try"))
        st.text(question.try_this)
        with st.container(horizontal=True, gap="xsmall"):
            for place, preset in enumerate(question.presets):
                st.button(preset.label, key=f"questions.{question.slug}.press.{place}", on_click=_view,
                          args=(question, preset))  # fmt: skip
        if any(preset.of == "start" for preset in question.presets):
            st.caption(say("question_page.from_start"))
        for control in question.controls:
            self._show_control(control)
        for option in question.options:
            self._show_choice(option)
        for paragraph in question.answer[1:]:
            st.text(paragraph)
        self._show_ways_aside()

    def _show_control(self, control: Control) -> None:
        key = f"questions.{self.question.slug}.{control.name}"
        kind = int if control.whole else float
        value = kind(min(max(control.read(self.example.scenario), control.low), control.high))
        held = this_session().held(key, value, lambda to: _make(self.question, lambda now: control.change(now, to)))
        st.slider(control.label, kind(control.low), kind(control.high), step=kind(control.step), **held)

    def _show_choice(self, option: Option | Exponent) -> None:
        chosen, key = self.example.options[option.name], f"questions.{self.question.slug}.{option.name}"
        if isinstance(option, Exponent):
            held = this_session().held(key, float(chosen), lambda p: _view(self.question, {option.name: f"{p:.4g}"}))
            st.slider(option.label, 0.0, MAX_P, step=0.05, **held)
        else:
            held = this_session().held(key, chosen, lambda to: _view(self.question, {option.name: to}))
            st.segmented_control(option.label, option.names, format_func=option.choices.__getitem__,
                                 required=True, **held)  # fmt: skip
