"""The number of random examples that laws try: `make search` sets ATTNVIZ_EXAMPLES to more, and draws new ones."""

import os

USUAL = 10
EXAMPLES = int(os.environ.get("ATTNVIZ_EXAMPLES", USUAL))  # for a law without a number of its own


def examples(n: int) -> int:
    """Return how many examples to try for a law with a number of its own, where 50 means `EXAMPLES`.

    >>> examples(4 * 50) == 4 * examples(50) == 4 * EXAMPLES
    True
    """
    return max(1, n * EXAMPLES // 50)
