"""Ways to questions."""

from collections.abc import Iterator

from attnviz.link.parameter_table import NUMBERS, QUESTION
from attnviz.teach.questions import QUESTIONS
from attnviz.teach.ways import Way


def beside(feature: str, step: int) -> Iterator[Way]:
    """Yield the ways to what learners ask at a step of the lesson."""
    if feature == "lesson":
        for question in QUESTIONS:
            if question.step == step:
                yield Way(question.title, "questions", {QUESTION: question.slug, NUMBERS: ""})
