"""The views of the playground, and the choice between them, which the URL keeps."""

import streamlit as st

from attnviz.app.components.board import FITS, fits_board
from attnviz.app.session import state, url_texts
from attnviz.core.scenario import Scenario
from attnviz.words import say

BOARD, HEATMAPS = "board", "heatmaps"
_KEY = "playground.view"


def chosen_view(scenario: Scenario) -> str:
    """Draw the choice between board and heatmaps and return what was chosen: the board, where it fits.

    Matrices that are too large for the board are shown as heatmaps; what was chosen stays, for smaller ones.
    """
    if not fits_board(scenario):
        st.caption(say("playground.views.fits", most=FITS), width="content")
        return HEATMAPS
    view = st.session_state[_KEY] = view_of_now()
    st.segmented_control(
        say("playground.views.choice"), (BOARD, HEATMAPS), required=True, key=_KEY, on_change=_choose,
        format_func=lambda view: say(f"playground.views.{view}"), label_visibility="collapsed",
    )  # fmt: skip
    return view


def view_of_now() -> str:
    """Return the view that the URL says; the board, where it says none."""
    chosen, arrived = url_texts.receive(url_texts.VIEW)
    if arrived and chosen not in ("", BOARD, HEATMAPS):
        state.refuse(url_texts.VIEW, chosen, say("playground.views.expected", board=BOARD, heatmaps=HEATMAPS), BOARD)
    return HEATMAPS if chosen == HEATMAPS else BOARD


def _choose() -> None:
    url_texts.send(url_texts.VIEW, HEATMAPS if st.session_state[_KEY] == HEATMAPS else "")
