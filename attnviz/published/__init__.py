"""Published examples of self-attention, with the numbers that their sources print."""

from attnviz.published.linking import EXAMPLE, with_example
from attnviz.published.loading import (
    PublishedFeedForward,
    VarianceRow,
    WorkedExample,
    published_variances,
    worked_example,
    worked_examples,
)

__all__ = [
    "EXAMPLE",
    "PublishedFeedForward",
    "VarianceRow",
    "WorkedExample",
    "published_variances",
    "with_example",
    "worked_example",
    "worked_examples",
]
