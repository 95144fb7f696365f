"""The history of attention, step by step, with papers and boards."""

import html
from functools import lru_cache
from pathlib import Path

import pandas as pd
import streamlit as st

from attnviz.app.components.board import show_board_of_model
from attnviz.app.text import is_dark
from attnviz.core.scenario import traced
from attnviz.documents.matrices import html_thumbnail
from attnviz.features.history.costs import REPEATS, WIDTH, Cost, measured_costs
from attnviz.features.history.page.opened import open_step, put_step
from attnviz.features.history.steps import STEPS, WITHOUT_PICTURE, Step, changed_in_words, named, pictured, step_named
from attnviz.figures.picture import picture
from attnviz.link.set_up import query_of
from attnviz.words import by_language, plural, say, thousands
from attnviz.words.numbers import written

_COLUMNS = ("tokens", "softmax", "linear", "softmax_numbers", "linear_numbers")
_BESIDE = 64  # pixels of a picture above its step's board
_STYLE = (Path(__file__).parent / "history.css").read_text()


def show_history() -> None:
    """Draw all steps, then the ones that no board can show."""
    st.html(f"<style>{_STYLE}</style>")
    if (opened := open_step()) is not None:
        _show_beside(step_named(opened))
        return
    st.markdown(f"## {say('history.heading')}")
    st.text(say("history.about"))
    with st.container(key="history_steps"):
        for step in STEPS:
            _show_step(step.name)
    _show_costs()
    st.markdown(f"### {say('history.without')}")
    with st.container(key="history_without"):
        for name, source in WITHOUT_PICTURE.items():
            with st.container(key=f"history_other_{name}"):
                st.markdown(f"### {say(f'history.no_stage.{name}.title')}")
                st.text(say(f"history.no_stage.{name}.line"))
                st.link_button(say(f"history.no_stage.{name}.paper"), source, type="tertiary")


def _show_step(name: str) -> None:
    step = step_named(name)
    with st.container(key=f"history_step_{name}", border=True):
        st.markdown(f"### {step.said('title')}")
        st.html(_pictures(name, dark=is_dark()))
        st.text(step.said("line"))
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(say("history.open"), key=f"history.open.{name}", on_click=put_step, args=(name,))
            paper = step.said("paper")
            st.link_button(paper.split(", ")[0], step.paper, help=paper, type="tertiary")


def _show_beside(step: Step) -> None:
    """Draw a step's board, and pictures of a matrix before and after."""
    query, changed = _told(step.name)
    with st.container(horizontal=True, key="history_beside"):
        with st.container(gap=None, key="history_told"):
            head = st.container(horizontal=True, vertical_alignment="center")
            head.button(
                say("history.all"), key="history.all", icon=":material/arrow_back:", on_click=put_step, args=(None,)
            )
            head.markdown(f"**{step.said('title')}**", width="content")
            # Not st.page_link, because the controls would keep this session's values.
            head.link_button(say("history.playground"), f"./?{query}", key=f"history.playground.{step.name}",
                             icon=":material/open_in_new:", help=say("history.open_help"), type="tertiary")  # fmt: skip
            st.text(" ".join([step.said("line"), step.said("more"), changed]).strip())
        st.html(_pictures(step.name, dark=is_dark(), most=_BESIDE), width="content")
    trace = traced(step.scenario).for_head(0)
    show_board_of_model(trace, 1, names=tuple(trace.stages), key=f"history.board.{step.name}", picks={},
                        origin=say("history.about"), folds=True)  # fmt: skip


@by_language(64)
def _pictures(name: str, *, dark: bool, most: int = 96) -> str:
    """Return the matrix that a step changed as small before-and-after pictures."""
    matrix, traces = pictured(step_named(name))
    drawn = [picture(trace, matrix, 2, None, dark) for trace in traces]
    titles = [
        html.escape(say(f"history.{key}", matrix=named(each.stage)))
        for key, each in zip(("before", "now"), drawn, strict=True)
    ]
    figures = "".join(
        f"<figure>{html_thumbnail(each, most=most)}<figcaption>{title}</figcaption></figure>"
        for each, title in zip(drawn, titles, strict=True)
    )
    return f'<div class="history-pictures">{figures}</div>'


def _show_costs() -> None:
    """Show what both kinds of attention cost, measured once for all readers."""
    st.markdown(f"### {say('history.cost.heading')}")
    st.text(say("history.cost.about", width=plural(WIDTH, "number"), repeats=plural(REPEATS, "run")))
    rows = [
        {
            say(f"history.cost.{name}"): thousands(value) if isinstance(value, int) else written(value, 2)
            for name, value in zip(_COLUMNS, cost, strict=True)
        }
        for cost in _costs()
    ]
    st.table(pd.DataFrame(rows).set_index(say("history.cost.tokens")))


@lru_cache(maxsize=1)
def _costs() -> tuple[Cost, ...]:
    return measured_costs()


@by_language(64)
def _told(name: str) -> tuple[str, str]:
    """Return the query of a step's link, and its difference in words."""
    step = step_named(name)
    return query_of(step.scenario), " ".join(changed_in_words(step))
