"""Ways to Explore."""

from attnviz.app.parts.examples import open_panel
from attnviz.app.session.address import PLAYGROUND, go_to, turn
from attnviz.app.session.url_texts import current
from attnviz.link.rows.explore import VIEW
from attnviz.link.ways import Way
from attnviz.words import say


def way() -> Way:
    """Return the way to Explore, in the view of before."""
    return Way(say("app.playground.title"), "playground", {VIEW: view} if (view := current(VIEW)) else {})


def open_place(name: str) -> None:
    """Go to a switch of What if; in a callback."""
    switch, _, choice = name.partition(".")
    turn({"what_if": f"{switch}:{choice}"})
    open_panel()
    go_to(PLAYGROUND)
