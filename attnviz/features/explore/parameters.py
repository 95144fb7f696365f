"""The parameters of Explore, its What if and Compare in links."""

from attnviz.features.explore.mask_experiments import WAYS
from attnviz.link.codecs import Choice
from attnviz.link.page_texts import SCENARIO_TEXT
from attnviz.link.parameter import Parameter
from attnviz.link.set_up import MOST_GIVEN

VIEW, BOARD, HEATMAPS = "view", "board", "heatmaps"
OPEN, WHAT_IF, KEEP = "open", "what_if", "keep"  # what the page does once on arrival: open What if, or keep A
PINNED = "pinned"  # the set-up kept as A
BITS = "bits"  # how the panel What if computes with numbers of 16 bits
B_BITS = "b_bits"  # how Compare computes B with numbers of 16 bits


def rows() -> tuple[Parameter, ...]:
    """Return the rows of Explore and of Compare."""
    return (
        Parameter(VIEW, BOARD, Choice((BOARD, HEATMAPS)), 20),
        Parameter(OPEN, "", Choice(("", WHAT_IF, KEEP)), 20, 2),
        Parameter(PINNED, None, SCENARIO_TEXT, MOST_GIVEN, message="links.kept"),
        Parameter(BITS, "", Choice(("", *WAYS)), 40, 2),
        Parameter(B_BITS, "", Choice(("", *WAYS)), 40, 2),
    )
