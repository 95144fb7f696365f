"""The component for picking a token.

It is our own, because Streamlit's labels are Markdown, and the reader's text must stay plain.
"""

from pathlib import Path

from attnviz.app.session.component import component
from attnviz.app.session.page_record import current_mark
from attnviz.app.session.url_texts import picked_query
from attnviz.board.drawn import tips_of
from attnviz.core.scenario import Scenario
from attnviz.core.tokens import token_labels
from attnviz.link.parameter_table import QUERY
from attnviz.words import say

_KEY = "playground.picker"

_picker = component(
    "token_picker",
    '<div class="tokens" role="radiogroup"><span class="query" aria-hidden="true"></span></div>',
    Path(__file__).with_suffix(".js"),
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
    _picker(key=_KEY, data=data | {"parameter": QUERY, "from": current_mark()})
    return picked
