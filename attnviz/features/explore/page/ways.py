"""Ways to Explore, and to its panel What if."""

from attnviz.app.session.address import PLAYGROUND, go_to, set_controls
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import current
from attnviz.features.explore.parameters import OPEN, VIEW, WHAT_IF
from attnviz.link.ways import Way
from attnviz.words import say

PANEL = "playground.what_if"  # session key: whether it's open


def way(place: str = "") -> Way:
    """Return the way to Explore, or to its panel What if."""
    if place == WHAT_IF:
        return Way(say("what_if.way"), "playground", {OPEN: WHAT_IF})
    return Way(say("app.playground.title"), "playground", {VIEW: view} if (view := current(VIEW)) else {})


def open_panel() -> None:
    """Open the panel in the next run; for a callback."""
    this_session().put(PANEL, True)


def open_place(name: str) -> None:
    """Go to a switch of What if, in a callback."""
    switch, _, choice = name.partition(".")
    set_controls({"what_if": f"{switch}:{choice}"})
    open_panel()
    go_to(PLAYGROUND)
