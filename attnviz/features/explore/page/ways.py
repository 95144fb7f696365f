"""Ways to Explore."""

from attnviz.app.session.url_texts import current
from attnviz.link.parameter_table import VIEW
from attnviz.teach.ways import Way
from attnviz.words import say


def way() -> Way:
    """Return the way to Explore, with the view that the reader had there."""
    return Way(say("app.playground.title"), "playground", {VIEW: view} if (view := current(VIEW)) else {})
