"""An example of a comparison: what one changed number does to the example that the app opens with."""

from dataclasses import replace

from attnviz.core.matrix_input import Edit
from attnviz.core.scenario import Scenario
from attnviz.published import OPENING, starting_points

CHANGED = Edit("w_q", 1, 0, -2.0)  # what an adjective asks for: from a noun to anything but one
QUERY = 1


def example() -> tuple[Scenario, Scenario]:
    """Return A and B.

    >>> a, b = example()
    >>> a.tokens[QUERY], a.matrix("w_q")[1, 0].item(), b.matrix("w_q")[1, 0].item()
    ('fluffy', 2.0, -2.0)
    """
    a = starting_points()[OPENING].scenario
    return a, replace(a, edits=(*a.edits, CHANGED))
