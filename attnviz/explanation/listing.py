"""Several names in a row."""

from collections.abc import Sequence

from attnviz.words import say


def listed(names: Sequence[str]) -> str:
    """Name several things in a row.

    >>> listed(["W_q", "W_k", "W_v"])
    'W_q, W_k and W_v'
    """
    return say("summary.and", first=", ".join(names[:-1]), last=names[-1]) if len(names) > 1 else names[0]
