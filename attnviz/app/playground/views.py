"""The views of the playground, and the choice between them, which the URL keeps."""

import streamlit as st

from attnviz.app.parts.head_picker import show_layer_picker
from attnviz.app.session import url_texts
from attnviz.app.session.link_values import take
from attnviz.app.session.session import this_session
from attnviz.board.data import MOST_COLUMNS, fits_board
from attnviz.core.scenario import Scenario
from attnviz.link.parameter_table import BOARD, HEATMAPS, VIEW
from attnviz.words import say

_KEY = "playground.view"


def chosen_view(scenario: Scenario) -> str:
    """Draw the choice between board and heatmaps and return what was chosen: the board, where it fits. Beside heatmaps
    stand the layers, which a board has itself.

    Matrices that are too large for the board are shown as heatmaps; what was chosen stays, for smaller ones.
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        view = _choice(scenario)
        if view == HEATMAPS:
            show_layer_picker(scenario)
    return view


def _choice(scenario: Scenario) -> str:
    if not fits_board(scenario):
        st.caption(say("playground.views.fits", most=MOST_COLUMNS), width="content")
        return HEATMAPS
    view: str = take(VIEW)
    this_session().put(_KEY, view)
    st.segmented_control(
        say("playground.views.choice"), (BOARD, HEATMAPS), required=True, key=_KEY, on_change=_choose,
        format_func=lambda view: say(f"playground.views.{view}"), label_visibility="collapsed",
    )  # fmt: skip
    return view


def _choose() -> None:
    url_texts.put(VIEW, this_session().get(_KEY))
