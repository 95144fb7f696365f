"""Published examples of self-attention, with the numbers that their sources print."""

from attnviz.published.loading import (
    VARIANCES,
    PublishedFeedForward,
    VarianceRow,
    WorkedExample,
    published_variances,
    worked_example,
    worked_examples,
)

__all__ = [
    "VARIANCES",
    "PublishedFeedForward",
    "VarianceRow",
    "WorkedExample",
    "published_variances",
    "worked_example",
    "worked_examples",
]
