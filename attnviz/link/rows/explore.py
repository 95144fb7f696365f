"""Explore and its What if in a link."""

from attnviz.link.codecs import Choice
from attnviz.link.parameter import Parameter
from attnviz.predicting.masked import WAYS

VIEW, BOARD, HEATMAPS = "view", "board", "heatmaps"
OPEN, WHAT_IF, KEEP = "open", "what_if", "keep"  # what is to be opened on the page, once
BITS = "bits"  # how the panel What if computes with numbers of 16 bits
B_BITS = "b_bits"  # how B is computed on Compare, where its numbers have 16 bits


def rows() -> tuple[Parameter, ...]:
    """Return the rows of Explore and of Compare."""
    return (
        Parameter(VIEW, BOARD, Choice((BOARD, HEATMAPS)), 20),
        Parameter(OPEN, "", Choice(("", WHAT_IF, KEEP)), 20, 2),
        Parameter(BITS, "", Choice(("", *WAYS)), 40, 2),
        Parameter(B_BITS, "", Choice(("", *WAYS)), 40, 2),
    )
