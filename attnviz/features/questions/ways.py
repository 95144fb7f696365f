"""Links to questions, and the questions as places for the search."""

from collections.abc import Iterator

from attnviz.features.questions.parameters import NUMBERS, QUESTION
from attnviz.features.questions.questions import QUESTIONS
from attnviz.link.ways import Way


def beside(place: str, *, step: int = 0, **_others: object) -> Iterator[Way]:
    """Yield links to the questions about a lesson step."""
    if place == "lesson":
        for question in QUESTIONS:
            if question.step == step:
                yield Way(question.title, "questions", {QUESTION: question.slug, NUMBERS: ""})


def places() -> Iterator[tuple[str, str, str]]:
    """Yield each question's name, title and answer."""
    for question in QUESTIONS:
        yield question.name, question.title, " ".join(question.answer)
