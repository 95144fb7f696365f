"""The playground: change anything, see every matrix of self-attention."""

import streamlit as st

import attnviz.ui  # noqa: F401  whole and first: several readers may open their first pages at once
from attnviz.scenario import Scenario, traced
from attnviz.summary import attends_most, numbers_in_words, out_of_the_ordinary
from attnviz.ui import current_scenario, digits
from attnviz.ui.board import show_board_of_now
from attnviz.ui.editor import show_editor, show_folded_editor
from attnviz.ui.followed import show_followed
from attnviz.ui.heatmaps import show_heatmaps
from attnviz.ui.token_picker import show_token_picker
from attnviz.ui.views import HEATMAPS, chosen_view
from attnviz.words import say


def show_playground(scenario: Scenario) -> None:
    """Draw what the sentence and the controls make."""
    query = show_token_picker(scenario)
    with st.container(horizontal=True, vertical_alignment="center"):
        says = st.container(gap="xsmall")
        view = chosen_view(scenario)
    if view == HEATMAPS:
        editor, pictures = st.columns([27, 73], gap="small")
        with editor:
            scenario = show_editor(scenario)
    else:
        pictures = st.container()
        scenario = show_folded_editor(scenario)

    computed = traced(scenario)

    with says:
        show_followed(attends_most(computed, query, digits()))
    says.caption(" ".join((numbers_in_words(scenario), *computed.notices, *out_of_the_ordinary(computed))))
    with pictures:
        if view == HEATMAPS:
            show_heatmaps(computed, scenario, query)
        else:
            show_board_of_now(query)


scenario = current_scenario()
if scenario is None:
    st.info(say("playground.blank"), icon=":material/edit:")
else:
    show_playground(scenario)
