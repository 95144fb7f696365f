"""Published examples of self-attention, with the numbers that their sources print."""

from attnviz.published.loading import (
    OPENING,
    VARIANCES,
    PublishedFeedForward,
    VarianceRow,
    WorkedExample,
    published_variances,
    starting_points,
    worked_example,
    worked_examples,
)

__all__ = [
    "OPENING",
    "VARIANCES",
    "PublishedFeedForward",
    "VarianceRow",
    "WorkedExample",
    "published_variances",
    "starting_points",
    "worked_example",
    "worked_examples",
]
