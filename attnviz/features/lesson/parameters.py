"""What a link says of the lesson: `step`."""

from attnviz.features.lesson.steps import STEPS
from attnviz.link.codecs import Choice
from attnviz.link.parameter import Parameter

STEP = "step"


def rows() -> tuple[Parameter, ...]:
    """Return the rows of the lesson."""
    steps = tuple(step.name for step in STEPS)
    return (Parameter(STEP, steps[0], Choice(steps), 40),)
