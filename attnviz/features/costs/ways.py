"""The way to the page on costs."""

from attnviz.link.ways import Way
from attnviz.words import say


def way() -> Way:
    """Return the way to the page."""
    return Way(say("costs.way"), "costs")
