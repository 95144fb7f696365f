"""The page Compare: the set-up kept as A beside the current one."""

import streamlit as st

from attnviz.app.parts.examples import show_blank
from attnviz.app.parts.picked_cell import show_head_picker, show_layer_picker
from attnviz.app.session.address import PLAYGROUND, go_to
from attnviz.app.session.session import this_session
from attnviz.core.scenario import Scenario, traced
from attnviz.explanation.comparing import Comparison
from attnviz.features.explore.compared import heads_in_words
from attnviz.features.explore.page.compare import as_computed, show_comparison, show_example, show_keep, show_numbers
from attnviz.features.explore.page.editor import show_folded_editor
from attnviz.features.explore.page.kept import kept
from attnviz.features.explore.page.token_picker import show_token_picker
from attnviz.features.explore.page.views import show_style
from attnviz.words import say


def show_compare(scenario: Scenario) -> None:
    """Draw the kept set-up beside this scenario."""
    show_style()
    with st.container(horizontal=True, vertical_alignment="center", key="playground_top"):
        st.markdown(f"## {say('app.compare.title')}", width="content")
        st.button(say("playground.views.board"), key="compare.board", on_click=go_to, args=(PLAYGROUND,))
        query = show_token_picker(scenario)
    top = st.container()
    pictures = st.container()
    scenario = show_folded_editor(scenario)
    a = kept()
    with top:
        show_keep(scenario, a)
    with pictures:
        if a is None:
            show_example()
        else:
            layer = show_layer_picker(scenario)
            head = show_head_picker(scenario)
            if said := heads_in_words(a, scenario, head, layer):
                st.caption(said)
            show_comparison(Comparison.of_heads(traced(a), as_computed(scenario), head, layer), query)
            show_numbers(a, scenario)


scenario = this_session().scenario
if scenario is None:
    show_blank("compare.blank")
else:
    show_compare(scenario)
