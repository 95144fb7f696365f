"""One prediction before an answer, kept in the link and then compared.

A `ChoiceQuestion` of attnviz/predicting/choice_question.py holds the question, and which choice the numbers make right:

    if not prediction(asked.about):  # neither made nor skipped: nothing of the answer may be drawn, or sent to a board
        ask(asked, then=do_what_is_asked)
    else:
        show_outcome(asked)

`then` runs with the press, before the next run; all changes that it makes to the link are one step of Back. The space
bar skips the question, as teachers do to reveal the answer. With `predictions=off`, a link asks for none, and
:func:`prediction` is always `TRIED`. Browser tests search the page before a prediction for the answer, and so find a
page that draws what `asked` is about without asking.
"""

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from attnviz.app.session import url_texts
from attnviz.app.session.component import component
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import take
from attnviz.link.page_texts import SKIPPED, TRIED, with_prediction
from attnviz.link.parameter_table import OFF, PREDICTED, PREDICTIONS
from attnviz.predicting.choice_question import ChoiceQuestion
from attnviz.words import say

_script = component("predicted", "<i></i>", Path(__file__).with_name("predicted.js"))
_PUNCTUATION, _ESCAPED = re.compile(r"([!-/:-@\[-`{-~])"), r"\\\1"
_ASKED = Path(__file__).with_name("asked.css").read_text(encoding="utf-8")
# By convention, the key of a container with a page's heading ends in "_head", and with a prediction in "_asked".
_HEADING = ", ".join(f'[class$="_{part}"] h2, [class*="_{part} "] h2' for part in ("head", "asked"))
# Large choices; then the prediction beside what happened.
_STYLE = """<style>
[class*="st-key-predict-"] button { min-height: var(--act-large) !important; padding-left: 18px; text-align: left; }
[class*="st-key-predict-"] button > div { justify-content: flex-start; }
[class*="st-key-predict-"] button p { font-size: var(--act-large-letters); font-weight: 600; }
h2:focus a { visibility: hidden !important; }
.st-key-prediction_both [data-testid="stText"] { font-size: 18px !important; font-weight: 600; }
</style>"""


@dataclass
class _Done:
    """How many predictions were made and subjects opened, and the last's selector."""

    times: int = 0
    opened: int = 0
    at: str = ""


class _All(Container[str]):
    """A container that contains everything that can be predicted."""

    def __contains__(self, about: object) -> bool:
        return True


def asked_style(*places: str, panels: tuple[str, ...] = ()) -> str:
    """Return CSS for containers, by their keys, that ask for predictions.

    While presenting, they leave the room to the board; `panels` stand beside it.
    """
    chosen = {".asked": (*places, *panels), ".panel": panels or ("none",)}
    style = _ASKED
    for name, keys in chosen.items():
        style = style.replace(f":is({name})", f":is({', '.join(f'.st-key-{key}' for key in keys)})")
    return style


def prediction(about: str) -> str:
    """Return the choice made, `SKIPPED` or `TRIED`; blank if still to make."""
    return TRIED if take(PREDICTIONS) == OFF else str(take(PREDICTED).get(about, ""))


def predicted(predictions: str, container: Container[str]) -> Container[str]:
    """Return what needs no prediction any more, according to the link."""
    return _All() if predictions == OFF else container


def keep(about: str, choice: str) -> None:
    """Keep a prediction in the link; if it's blank, ask again."""
    url_texts.put(PREDICTED, with_prediction(take(PREDICTED), about, choice))


def ask(question: ChoiceQuestion, then: Callable[[], None] = lambda: None) -> None:
    """Ask for a prediction: one button per choice, and one to skip."""
    st.html(_STYLE)
    st.caption(say("predicting.first"))
    st.markdown(f"## {_PUNCTUATION.sub(_ESCAPED, question.act)}")  # tokens in it may contain signs of Markdown
    st.text(f"{question.asks} {say('predicting.click')}" if question.cells else question.asks)
    for choice, label in question.choices.items():
        st.button(label, key=f"predict.{choice}", on_click=press, args=(choice, question, then), width="stretch")
    st.button(say("predicting.skip"), key="predicting.skip", type="tertiary", on_click=press,
              args=(SKIPPED, question, then), shortcut="Space")  # fmt: skip
    _take_focus("asked", 0, question.cells, asks=True)


def press(choice: str, question: ChoiceQuestion, then: Callable[[], None] = lambda: None) -> None:
    """Take a choice, or `SKIPPED`, for a question; in a callback."""
    keep(question.about, choice)
    this_session().part(_Done).times += 1
    then()


def show_outcome(question: ChoiceQuestion) -> None:
    """Draw the prediction beside what happened, and why; it's read aloud."""
    st.html(_STYLE)
    both, *more = question.outcome(prediction(question.about))
    with st.container(key="prediction_outcome", gap="xxsmall"):
        st.text(question.act)
        with st.container(key="prediction_both"):
            st.text(both)
    if more:
        st.text(" ".join(more))
    take_focus()


def take_focus(*, asks: bool = False) -> None:
    """Move the focus to the outcome, or to what was just opened."""
    _take_focus("told", this_session().part(_Done).times, {}, asks=asks)


def _take_focus(name: str, times: int, cells: Mapping[str, str], *, asks: bool = False) -> None:
    done = this_session().part(_Done)
    data = {"asks": asks, "at": done.at, "opened": done.opened, "times": times, "cells": dict(cells)}
    _script(key=f"predicting.{name}", data=data)


def lead_on(at: str = _HEADING) -> None:
    """Move the focus to the next task; call this in a callback."""
    done = this_session().part(_Done)
    done.opened, done.at = done.opened + 1, at
