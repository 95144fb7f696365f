"""What is dragged on the page of questions: the block that divides the scores, and tokens in their order."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from attnviz.core.tokens import token_labels
from attnviz.words import say

_HERE = Path(__file__).parent
_DRAGGING = "".join((_HERE / name).read_text() for name in ("sending.js", "pointer.js", "dragging.js"))
TOKEN_ORDER_SCRIPT = _DRAGGING + (_HERE / "token_order.js").read_text()

_scale_block = st.components.v2.component(
    "attnviz_scale_block",
    html=f'<div class="label" aria-hidden="true">{say("question_page.drag_block")}</div>'
    '<div class="formula" role="slider" tabindex="0" aria-valuemin="0"></div>',
    css=(_HERE / "scale_block.css").read_text(),
    js=_DRAGGING + (_HERE / "scale_block.js").read_text(),
)

_token_order = st.components.v2.component(
    "attnviz_token_order",
    html=f'<div class="label" aria-hidden="true">{say("question_page.drag_words")}</div>'
    '<div class="tokens" role="group"></div>',
    css=(_HERE / "token_button.css").read_text() + (_HERE / "token_order.css").read_text(),
    js=TOKEN_ORDER_SCRIPT,
)


def show_scale_block(label: str, places: Sequence[str], place: int, key: str, move: Callable[[int], object]) -> None:
    """Draw the formula of the scores with the block "÷ √d_k" at one of its three places: on the queries, half on the
    queries and half on the keys, or on the scores; `move` is called with the place that it is dragged to."""

    def take() -> None:
        moved = _taken(key, "place")
        if isinstance(moved, int | float) and moved in range(len(places)):
            move(int(moved))

    data: dict[str, Any] = {"label": label, "places": list(places), "place": place}
    _scale_block(key=key, data=data | _answered(key), on_place_change=take)


def show_token_order(tokens: Sequence[str], key: str, move: Callable[[tuple[str, ...]], object]) -> None:
    """Draw tokens to be dragged into another order; `move` is called with the tokens in that order."""

    def take() -> None:
        moved = _taken(key, "tokens")
        if isinstance(moved, list):
            move(tuple(map(str, moved)))

    data = {
        "label": say("question_page.words"),
        "tokens": list(tokens),
        "labels": token_labels(tuple(tokens)),
    }
    _token_order(key=key, data=data | _answered(key), on_tokens_change=take)


def _taken(key: str, name: str) -> Any:
    """Return what was dragged, and keep the number it was sent with: it is answered from now on."""
    sent = st.session_state[key].get(name)
    if not isinstance(sent, dict) or not isinstance(sent.get("number"), int | float):
        return None
    st.session_state[f"{key}.answered"] = sent["number"]
    return sent.get("value")


def _answered(key: str) -> dict[str, Any]:
    return {"key": key, "answered": st.session_state.get(f"{key}.answered", 0)}
