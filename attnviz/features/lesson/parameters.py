"""The lesson's parameter in links, `step`."""

from attnviz.features.lesson.steps import STEPS
from attnviz.link.codecs import Choice
from attnviz.link.parameter import Parameter

STEP = "step"


def rows() -> tuple[Parameter, ...]:
    """Return the lesson's rows of the table of parameters."""
    steps = tuple(step.name for step in STEPS)
    return (Parameter(STEP, steps[0], Choice(steps), 40),)
