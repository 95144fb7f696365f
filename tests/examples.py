"""How many random examples the laws try: `make search` sets ATTNVIZ_EXAMPLES to more, which are others each time."""

import os

USUAL = 10
EXAMPLES = int(os.environ.get("ATTNVIZ_EXAMPLES", USUAL))  # of a law that says no number


def examples(n: int) -> int:
    """Return how many examples of a law to try that has a number of its own, where others have `EXAMPLES`.

    >>> examples(4 * 50) == 4 * examples(50) == 4 * EXAMPLES
    True
    """
    return max(1, n * EXAMPLES // 50)
