"""Ways to the lesson."""

from attnviz.app.session.address import go_to
from attnviz.app.session.url_texts import put, take
from attnviz.features.lesson.parameters import STEP
from attnviz.features.lesson.steps import STEPS
from attnviz.link.ways import Way
from attnviz.words import plural, say


def way(step: int = 0, *, back: bool = False) -> Way | None:
    """Return the way to the lesson, a numbered step, or back.

    With `back`, it leads to the step that the reader came from; None if that's the first.
    """
    if back:
        at = [each.name for each in STEPS].index(take(STEP))
        return Way(say("lesson.way_back", number=1 + at), "lesson") if at else None
    if step:
        return Way(say("lesson.way_to", number=step), "lesson", {STEP: STEPS[step - 1].name})
    return Way(say("lesson.way", steps=plural(len(STEPS), "step")), "lesson")


def open_place(name: str) -> None:
    """Go to a step by its name, in a callback."""
    put(STEP, name)
    go_to("lesson")
