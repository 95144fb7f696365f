"""The open question."""

from attnviz.app.questions.panel import open_it
from attnviz.link.rows.questions import question_of


def open_place(name: str) -> None:
    """Go to a question by its name; in a callback."""
    open_it(question_of(name.replace("_", "-")))
