"""What the page says while its board or heatmaps show newer numbers: what waits for a run is marked as older, so that
one page never says two numbers for one thing.
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
def marked_while_older(scenario: Scenario, key: str, *seen: int) -> Iterator[None]:
    """Mark what is drawn within as older while the page shows other numbers than those of this scenario, or these
    otherwise `seen`."""
    with st.container(gap=None):
        mark_while_older(scenario, key, *seen)
        with st.container():
            yield


def mark_while_older(scenario: Scenario, key: str, *seen: int) -> None:
    """Draw the mark of what stands in the container of this key."""
    _outdated(key=f"{key}.outdated", data={"of": numbers_of(scenario, *seen), "note": say("board.older")})


def numbers_of(scenario: Scenario, *seen: int) -> str:
    """Return a short text that tells the numbers of a scenario, or those `seen` otherwise, from all others.

    >>> numbers_of(Scenario()) == numbers_of(Scenario()), numbers_of(Scenario()) == numbers_of(Scenario(seed=1))
    (True, False)
    """
    return blake2s(repr((query_of(scenario), seen)).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
