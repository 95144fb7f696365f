"""How shares are written in whole percent; ``board/values/reads.js`` writes the same."""

import math

from attnviz.words import say
from attnviz.words.numbers import written


def percent(share: float) -> str:
    """Write a share; only all and none are told as such.

    >>> percent(0.125), percent(3e-5), percent(0.9994), percent(1.0), percent(0.0), percent(float("nan"))
    ('12 %', '< 1 %', '> 99 %', '100 %', '0 %', 'NaN')
    """
    if not math.isfinite(share):
        return written(share, 0)
    if 0 < 100 * share < 1:
        return say("board.share.less")
    whole = written(100 * share, 0)
    return say("board.share.more") if share < 1 and whole == "100" else say("board.share.percent", share=whole)
