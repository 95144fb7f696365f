"""The layers, and on pages without a board the heads, as a row of buttons."""

import streamlit as st

from attnviz.app.session import url_texts
from attnviz.app.session.link_values import picked_head, picked_layer
from attnviz.app.session.session import this_session
from attnviz.core.scenario import Scenario
from attnviz.link.parameter_table import HEAD, LAYER
from attnviz.words import say

_KEYS = {HEAD: "heads.picker", LAYER: "layers.picker"}


def show_head_picker(scenario: Scenario) -> int:
    """Draw the heads, where there are several, and return the number of the one in view."""
    head = picked_head(scenario)
    if scenario.n_heads > 1:
        _show(HEAD, say("heads.picker"), scenario.n_heads, head)
    return head


def show_layer_picker(scenario: Scenario) -> int:
    """Draw the layers, where there are several, and return the number of the one in view."""
    layer = picked_layer(scenario)
    if scenario.n_layers > 1:
        _show(LAYER, say("heads.layers"), scenario.n_layers, layer)
        st.caption(say("heads.layers_how"), width="content")
    return layer


def _show(name: str, label: str, n: int, picked: int) -> None:
    this_session().put(_KEYS[name], picked)
    st.segmented_control(
        label, range(n), key=_KEYS[name], required=True, on_change=_take, args=(name,),
        format_func=lambda each: say("heads.layer", layer=each) if name == LAYER else str(each),
        label_visibility="collapsed" if name == LAYER else "visible",
    )  # fmt: skip


def _take(name: str) -> None:
    url_texts.put(name, int(this_session().get(_KEYS[name])))
