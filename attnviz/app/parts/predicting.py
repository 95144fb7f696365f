"""One prediction before an answer: how a page asks for it, keeps it in the link, and tells it beside what happened.

A page calls what it asks about by a short name, which stands in links for ever (`predicted=values.more`):

    asked = Asked("values", act, now, {"more": "More than 67 %", "same": "67 %, the same"})
    if not prediction("values"):  # neither made nor skipped: nothing of the answer may be drawn, or sent to a board
        ask(asked, then=do_what_is_asked)
    else:
        show_outcome(asked, short={"more": "More", "same": "The same"}, happened="same", told="67 % before and after")

`then` runs with the press, before the next run, with what was predicted; all that it changes of the link is one step
of Back. A link with `predictions=off` asks for none: :func:`prediction` is then always `TRIED`. In a presentation
(`presents`) Space reveals. What is right is the page's to compute: nothing here knows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from attnviz.app.scripts import script
from attnviz.app.session import url_texts
from attnviz.app.session.link_values import take
from attnviz.app.session.session import this_session
from attnviz.link.parameter_table import OFF, PREDICTED, PREDICTIONS
from attnviz.link.question_text import SKIPPED, TRIED, with_prediction
from attnviz.words import say

__all__ = ["SKIPPED", "TRIED", "Asked", "ask", "keep", "prediction", "show_outcome"]

_told = st.components.v2.component(
    "attnviz_predicted", html="<i></i>", js=script(Path(__file__).with_name("predicted.js"))
)
_STYLE = f"<style>{Path(__file__).with_name('predicting.css').read_text()}</style>"


@dataclass(frozen=True)
class Asked:
    """What is asked: what will be done, how it is now, and the choices as their buttons say them, by name."""

    about: str
    act: str
    now: str
    choices: Mapping[str, str]
    question: str = ""  # where it isn't what is then


@dataclass
class _Told:
    """How often a prediction led to what happened, which then has the focus."""

    times: int = 0


def prediction(about: str) -> str:
    """Return the choice that was made, `SKIPPED`, or `TRIED` after more; blank while it's still to be made."""
    if take(PREDICTIONS) == OFF:
        return TRIED
    predicted: dict[str, str] = take(PREDICTED)
    return predicted.get(about, "")


def keep(about: str, choice: str) -> None:
    """Keep what was predicted in the link; blank is to be asked again."""
    url_texts.put(PREDICTED, with_prediction(take(PREDICTED), about, choice))


def ask(asked: Asked, then: Callable[[str], None] = lambda _: None, *, presents: bool = False) -> None:
    """Draw what is to be predicted: a button for each choice, and one for none."""
    st.html(_STYLE)
    st.caption(say("predicting.first"))
    st.markdown(f"## {asked.act}")
    st.text(asked.question or say("predicting.then", now=asked.now))
    args = asked.about, then
    for choice, label in asked.choices.items():
        st.button(label, key=f"predict.{choice}", on_click=_press, args=(choice, *args), width="stretch")
    st.button(
        say("predicting.skip"), key="predicting.skip", type="tertiary", on_click=_press, args=(SKIPPED, *args),
        shortcut="Space" if presents else None,
    )  # fmt: skip


def _press(choice: str, about: str, then: Callable[[str], None]) -> None:
    keep(about, choice)
    this_session().part(_Told).times += 1
    then(choice)


def show_outcome(asked: Asked, short: Mapping[str, str], happened: str, told: str) -> None:
    """Draw what was predicted beside what happened, with this sentence on the numbers; it is read aloud."""
    st.html(_STYLE)
    made = prediction(asked.about)
    with st.container(key="prediction_outcome", gap="xsmall"):
        with st.container(horizontal=True, key="prediction_both"):
            for key, choice in (("predicted", made), ("happened", happened)):
                if choice in short:
                    with st.container(gap=None):
                        st.caption(say(f"predicting.{key}"))
                        st.markdown(f"## {short[choice]}")
        st.markdown(f"**{told}**")
    _told(key="predicting.told", data={"times": this_session().part(_Told).times})
