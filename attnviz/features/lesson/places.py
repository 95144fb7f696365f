"""The steps of the lesson, for the search."""

from collections.abc import Iterator

from attnviz.features.lesson.steps import STEPS


def places() -> Iterator[tuple[str, str, str]]:
    """Yield each step's name and title."""
    for step in STEPS:
        yield step.name, step.title, ""
