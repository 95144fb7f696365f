"""The views of the playground, which the URL keeps, and the ways to other pages that its board leads to."""

from dataclasses import dataclass

import streamlit as st

from attnviz.app.parts.examples import open_panel
from attnviz.app.parts.head_picker import show_layer_picker
from attnviz.app.playground.replaced import keep_as_a
from attnviz.app.session import url_texts
from attnviz.app.session.address import go_to
from attnviz.app.session.link_values import take
from attnviz.app.session.session import this_session
from attnviz.board.data import MOST_COLUMNS, fits_board
from attnviz.core.scenario import Scenario
from attnviz.link.parameter_table import BOARD, HEATMAPS, KEEP, OPEN, PINNED, VIEW
from attnviz.link.set_up import CHANGES
from attnviz.published import OPENING, starting_points
from attnviz.teach.lesson import STEPS
from attnviz.words import plural, say

_KEY = "playground.view"


@dataclass
class _First:
    """Whether nothing was done yet."""

    visit: bool = True


def chosen_view(scenario: Scenario) -> str:
    """Return the view that is chosen: the board, where it fits.

    Matrices that are too large for the board are shown as heatmaps; what was chosen stays, for smaller ones.
    """
    view: str = take(VIEW)
    return view if fits_board(scenario) else HEATMAPS


def show_way_to_board(scenario: Scenario) -> None:
    """Draw, beside heatmaps, the way back to the board, and the layers, which a board has itself."""
    if fits_board(scenario):
        st.button(say("playground.views.board"), key=_KEY, on_click=url_texts.put, args=(VIEW, BOARD))
        st.button(say("board.views.what_if"), key=f"{_KEY}.what_if", on_click=open_panel)
        if take(PINNED) is not None:
            st.button(say("compare.with_a"), key=f"{_KEY}.compare", on_click=go_to, args=("pages/compare.py",))
    else:
        st.caption(say("playground.views.fits", most=MOST_COLUMNS), width="content")
    show_layer_picker(scenario)


def show_way_to_lesson(scenario: Scenario) -> None:
    """Draw the way to the lesson, for whoever comes first and has done nothing yet."""
    first = this_session().part(_First)
    first.visit &= set(url_texts.texts_held()) <= {CHANGES} and scenario == starting_points()[OPENING].scenario
    if first.visit:
        st.button(
            say("playground.new_here", steps=plural(len(STEPS), "step")),
            key="new_here",
            on_click=go_to,
            args=("pages/lesson.py",),
        )


def keep_if_asked(scenario: Scenario) -> None:
    """Keep the set-up as A, where that is asked for on the board."""
    if take(OPEN) == KEEP:
        url_texts.correct(OPEN, "")
        keep_as_a(scenario)
