"""The tokens as a row to pick the query from: an own component, because the texts are a person's own and
Streamlit's labels are Markdown."""

from pathlib import Path

import streamlit as st

from attnviz.scenario import Scenario
from attnviz.tokens import token_labels
from attnviz.ui import state

_HERE = Path(__file__).parent
_KEY = "playground.picker"

_picker = st.components.v2.component(
    "attnviz_token_picker",
    html='<div class="tokens" role="radiogroup"><span aria-hidden="true">Query:</span></div>',
    css=(_HERE / "token_button.css").read_text() + (_HERE / "token_picker.css").read_text(),
    js=(_HERE / "token_picker.js").read_text(),
)


def show_token_picker(scenario: Scenario) -> int:
    """Draw the tokens and return the position of the picked one."""
    picked = state.picked_query(len(scenario.tokens))
    tokens = [
        {
            "label": label,
            "published": scenario.is_published(row),
            "origin": _origin(scenario, row),
        }
        for row, label in enumerate(token_labels(scenario.tokens))
    ]
    data = {"tokens": tokens, "picked": picked, "label": "Query token: whose attention to look at"}
    _picker(key=_KEY, data=data, on_picked_change=_take_pick)
    return picked


def _take_pick() -> None:
    state.pick_query(int(st.session_state[_KEY]["picked"]))


def _origin(scenario: Scenario, row: int) -> str:
    if scenario.is_published(row):
        return "published vector"
    if scenario.x is None:
        return "seeded vector"
    return f"X is {scenario.x}" if isinstance(scenario.x, str) else "X is given"
