"""The playground: change anything, see every matrix of self-attention."""

from collections.abc import Sequence

import streamlit as st

from attnviz.app.components.board import mark_while_older, show_board
from attnviz.app.parts.examples import show_blank
from attnviz.app.parts.picked_cell import show_head_picker
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import is_presenting, picked_head, picked_layer, traced_in_view
from attnviz.app.shell.setup import wait_for_first_picture
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.board.drawn import OF_PLAYGROUND, PRESENTING
from attnviz.core.scenario import Scenario
from attnviz.explanation.numbers_from import numbers_in_words
from attnviz.explanation.summary import finding, out_of_the_ordinary
from attnviz.features.explore.page.editor import show_editor, show_folded_editor
from attnviz.features.explore.page.token_picker import show_token_picker
from attnviz.features.explore.page.views import (
    chosen_view,
    keep_if_asked,
    show_heatmaps,
    show_style,
    show_way_to_board,
    show_way_to_lesson,
)
from attnviz.features.explore.page.what_if import as_predicted, show_what_if
from attnviz.features.explore.parameters import HEATMAPS
from attnviz.predicting.choice_question import ChoiceQuestion


def show_playground(scenario: Scenario) -> None:
    """Draw the board or pictures, after a prediction if one is asked."""
    show_style()
    scenario, asked = as_predicted(scenario)
    if chosen_view(scenario) == HEATMAPS:
        # The button and the tokens share a line, which leaves more room for the pictures.
        with st.container(horizontal=True, vertical_alignment="center", key="playground_top"):
            show_way_to_board(scenario)
            query = show_token_picker(scenario)
        show_pictures(scenario, query, asked)
        return
    show_way_to_lesson(scenario)
    board, first = st.container(), this_session().shared.first
    keep_if_asked(scenario)
    if first:  # on a first run, nothing can have been typed into the editor below
        _show_board(board, scenario)
        wait_for_first_picture()
    scenario = show_folded_editor(scenario)
    show_what_if(scenario, asked)
    if not first:
        _show_board(board, scenario)


def _show_board(place: DeltaGenerator, scenario: Scenario) -> None:
    with place:
        show_board(scenario, PRESENTING if is_presenting() else OF_PLAYGROUND, "playground")


def show_pictures(scenario: Scenario, query: int, asked: ChoiceQuestion | None) -> None:
    """Draw every matrix as a picture, beside the editor."""
    show_head_picker(scenario)
    says, digits = st.container(gap="xsmall"), this_session().digits
    seen = (query, picked_head(scenario), picked_layer(scenario), digits)
    editor, pictures = st.columns([25, 75], gap="small")
    # On a first run, nothing can have been typed, and pictures are drawn faster than an editor.
    first = this_session().shared.first
    if first:
        _show_computed(says, pictures, scenario, seen)
        wait_for_first_picture()
    with editor, st.container():
        scenario = show_editor(scenario)
        mark_while_older(scenario, "editor", *seen)
    if not first:  # draws them with the numbers that were just typed
        _show_computed(says, pictures, scenario, seen)
    show_what_if(scenario, asked)


def _show_computed(says: DeltaGenerator, pictures: DeltaGenerator, scenario: Scenario, seen: Sequence[int]) -> None:
    computed, (query, *_, digits) = traced_in_view(scenario), seen
    with says:
        st.text(finding(computed, query, digits))
        st.caption(" ".join((numbers_in_words(scenario), *computed.notices, *out_of_the_ordinary(computed))))
        mark_while_older(scenario, "says", *seen)
    with pictures:
        show_heatmaps(computed, scenario, query, seen)


scenario = this_session().scenario
if scenario is None:
    show_blank("playground.blank")
else:
    show_playground(scenario)
