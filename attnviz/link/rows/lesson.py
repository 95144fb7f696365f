"""What a link says of the lesson: `step`."""

from attnviz.link.codecs import Choice
from attnviz.link.parameter import Parameter
from attnviz.teach.lesson import STEPS

STEP = "step"


def rows() -> tuple[Parameter, ...]:
    """Return the rows of the lesson."""
    steps = tuple(step.name for step in STEPS)
    return (Parameter(STEP, steps[0], Choice(steps), 40),)
