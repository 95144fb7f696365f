"""Components for picking and dragging tokens, and the block that scales scores.

They are our own since Streamlit's labels are Markdown, and a person's text must stay plain.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from attnviz.app.session.memory import mark_of_now
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import picked_query
from attnviz.board.drawn import tips_of
from attnviz.core.scenario import Scenario
from attnviz.core.tokens import token_labels
from attnviz.link.parameter_table import QUERY
from attnviz.scripts import script
from attnviz.words import say

_HERE = Path(__file__).parent
TOKEN_ORDER_SCRIPT = script(_HERE / "token_order.js")

_scale_block = st.components.v2.component(
    "attnviz_scale_block",
    html=f'<div class="label" aria-hidden="true">{say("question_page.drag_block")}</div>'
    '<div class="formula" role="slider" tabindex="0" aria-valuemin="0"></div>',
    css=(_HERE / "scale_block.css").read_text(),
    js=script(_HERE / "scale_block.js"),
)

_token_order = st.components.v2.component(
    "attnviz_token_order",
    html=f'<div class="label" aria-hidden="true">{say("question_page.drag_words")}</div>'
    '<div class="tokens" role="group"></div>',
    css=(_HERE / "token_button.css").read_text() + (_HERE / "token_order.css").read_text(),
    js=TOKEN_ORDER_SCRIPT,
)


def show_scale_block(
    label: str, places: Sequence[str], place: int, key: str, parameter: str, texts: Sequence[str]
) -> None:
    """Draw the score formula with "÷ √d_k" at one of three places.

    The places are on the queries, half on queries and half on keys, or on the scores; `parameter` gets its text.
    """
    data = {"label": label, "places": list(places), "place": place, "parameter": parameter, "texts": list(texts)}
    _scale_block(key=key, data=data | {"from": mark_of_now()})


def show_token_order(tokens: Sequence[str], key: str, move: Callable[[tuple[str, ...]], object]) -> None:
    """Draw tokens that can be reordered; `move` is called with the result."""

    def take() -> None:
        moved = this_session().get(key, {}).get("tokens")
        if isinstance(moved, list):
            move(tuple(map(str, moved)))

    data = {"label": say("question_page.words"), "tokens": list(tokens), "labels": token_labels(tuple(tokens))}
    _token_order(key=key, data=data, on_tokens_change=take)


_KEY = "playground.picker"

_picker = st.components.v2.component(
    "attnviz_token_picker",
    html='<div class="tokens" role="radiogroup"><span class="query" aria-hidden="true"></span></div>',
    css=(_HERE / "token_button.css").read_text() + (_HERE / "token_picker.css").read_text(),
    js=script(_HERE / "token_picker.js"),
)


def show_token_picker(scenario: Scenario) -> int:
    """Draw the tokens and return the position of the picked one."""
    picked = picked_query(scenario)
    labels = token_labels(scenario.tokens)
    tokens = [{"label": label, "origin": tip} for label, tip in zip(labels, tips_of(scenario), strict=True)]
    data = {
        "tokens": tokens,
        "picked": picked,
        "query": say("playground.picker.query"),
        "label": say("playground.picker.label"),
    }
    _picker(key=_KEY, data=data | {"parameter": QUERY, "from": mark_of_now()})
    return picked
