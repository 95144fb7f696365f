"""The steps of the history, for the search."""

from collections.abc import Iterator

from attnviz.features.history.steps import STEPS, WITHOUT_PICTURE
from attnviz.words import say


def places() -> Iterator[tuple[str, str, str]]:
    """Yield each step's name, title and text."""
    for each in STEPS:
        yield each.name, each.said("title"), f"{each.said('line')} {each.said('more')}"
    for name in WITHOUT_PICTURE:
        title, line = (say(f"history.no_stage.{name}.{key}") for key in ("title", "line"))
        yield name, title, line
