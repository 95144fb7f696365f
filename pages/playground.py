"""The playground: change anything, see every matrix of self-attention."""

import streamlit as st

import attnviz.app  # noqa: F401  whole and first: several readers may open their first pages at once
from attnviz.app import current_scenario, digits
from attnviz.app.components.board import show_board_of_now
from attnviz.app.components.followed import marked_while_older, show_followed
from attnviz.app.components.token_picker import show_token_picker
from attnviz.app.parts.editor import show_editor, show_folded_editor
from attnviz.app.playground.heatmaps import show_heatmaps
from attnviz.app.playground.views import chosen_view
from attnviz.core.scenario import Scenario, traced
from attnviz.explanation.summary import attends_most, numbers_in_words, out_of_the_ordinary
from attnviz.link.parameter_table import HEATMAPS
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
        with marked_while_older(scenario, "playground"):
            st.caption(" ".join((numbers_in_words(scenario), *computed.notices, *out_of_the_ordinary(computed))))
    with pictures:
        if view == HEATMAPS:
            show_heatmaps(computed, scenario, query)
        else:
            show_board_of_now(sentence=True)


scenario = current_scenario()
if scenario is None:
    st.info(say("playground.blank"), icon=":material/edit:")
else:
    show_playground(scenario)
