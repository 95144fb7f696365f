"""What the page says while a number is dragged on the board: sentences that can't follow it are marked as older, so
that one page never says two numbers for one thing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2s
from pathlib import Path

import streamlit as st

from attnviz.app.scripts import script
from attnviz.core.scenario import Scenario
from attnviz.link.set_up import query_of
from attnviz.words import say

_HERE = Path(__file__).parent

_outdated = st.components.v2.component(
    "attnviz_outdated",
    html='<div class="outdated"></div>',
    css=(_HERE / "outdated.css").read_text(),
    js=script(_HERE / "outdated.js"),
    isolate_styles=False,
)


@contextmanager
def marked_while_older(scenario: Scenario, key: str) -> Iterator[None]:
    """Mark what is drawn within as older while a board of the page shows other numbers than those of this scenario."""
    with st.container(key=f"may_be_older_{key}", gap=None):
        _outdated(key=f"{key}.outdated", data={"of": numbers_of(scenario), "note": say("board.older")})
        with st.container():
            yield


def numbers_of(scenario: Scenario) -> str:
    """Return a short text that tells the numbers of a scenario from those of every other.

    >>> numbers_of(Scenario()) == numbers_of(Scenario()), numbers_of(Scenario()) == numbers_of(Scenario(seed=1))
    (True, False)
    """
    return blake2s(query_of(scenario).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
