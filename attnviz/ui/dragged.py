"""What is dragged on the page of questions: the block that divides the scores, and tokens in their order."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from attnviz.tokens import token_labels

_HERE = Path(__file__).parent
_DRAGGING = (_HERE / "dragging.js").read_text()
SCALE_BLOCK_SCRIPT = _DRAGGING + (_HERE / "scale_block.js").read_text()

_scale_block = st.components.v2.component(
    "attnviz_scale_block",
    html='<div class="label" aria-hidden="true">Drag the block, or press the arrow keys</div>'
    '<div class="formula" role="slider" tabindex="0" aria-valuemin="0"></div>',
    css=(_HERE / "scale_block.css").read_text(),
    js=SCALE_BLOCK_SCRIPT,
)

_token_order = st.components.v2.component(
    "attnviz_token_order",
    html='<div class="label" aria-hidden="true">Drag a word to another place, or move it with the arrow keys</div>'
    '<div class="tokens" role="group"></div>',
    css=(_HERE / "token_button.css").read_text() + (_HERE / "token_order.css").read_text(),
    js=_DRAGGING + (_HERE / "token_order.js").read_text(),
)


def show_scale_block(label: str, places: Sequence[str], place: int, key: str, move: Callable[[int], object]) -> None:
    """Draw the formula of the scores with the block "÷ √d_k" at one of its three places: on the queries, half on
    queries and keys each, or on the scores; `move` is called with the place that it is dragged to."""

    def take() -> None:
        moved = st.session_state[key].get("place")
        if isinstance(moved, int | float) and moved in range(len(places)):
            move(int(moved))

    data: dict[str, Any] = {"label": label, "places": list(places), "place": place}
    _scale_block(key=key, data=data, on_place_change=take)


def show_token_order(tokens: Sequence[str], key: str, move: Callable[[tuple[str, ...]], object]) -> None:
    """Draw tokens to be dragged into another order; `move` is called with the tokens in that order."""

    def take() -> None:
        moved = st.session_state[key].get("tokens")
        if isinstance(moved, list):
            move(tuple(map(str, moved)))

    data = {
        "label": "Words in their order; the arrow keys move one",
        "tokens": list(tokens),
        "labels": token_labels(tuple(tokens)),
    }
    _token_order(key=key, data=data, on_tokens_change=take)
