"""Whether all is tried, as by make test-all, or a sample of what is much alike."""

import os

import pytest

WHOLE = bool(os.environ.get("ATTNVIZ_WHOLE"))
_USUAL = 50
EXAMPLES = int(os.environ.get("ATTNVIZ_EXAMPLES", _USUAL if WHOLE else _USUAL // 3))  # of a law that says no number
# What takes long, while what it is for is seen by quicker tests, too.
dear = pytest.mark.skipif(not WHOLE, reason="make test-all")


def examples(n: int) -> int:
    """Return how many examples of a law to try that has a number of its own, where others have `EXAMPLES`.

    >>> examples(4 * 50) == 4 * examples(50) == 4 * EXAMPLES
    True
    """
    return max(1, n * EXAMPLES // _USUAL)
