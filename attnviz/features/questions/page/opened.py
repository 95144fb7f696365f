"""Opening a question that the search found."""

from attnviz.features.questions.page.panel import open_it
from attnviz.features.questions.parameters import question_of


def open_place(name: str) -> None:
    """Go to a question by its name, in a callback."""
    open_it(question_of(name.replace("_", "-")))
