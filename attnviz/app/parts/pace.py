"""How long something still takes, told by how fast it came along in the last seconds."""

import math
from collections import deque

SPAN = 5.0  # seconds that count: a machine that was busy before may be idle now
_SAMPLES = 50  # at most so many are kept


class Pace:
    """What part of something was done when, in the last seconds."""

    def __init__(self, span: float = SPAN) -> None:
        self._span = span
        self._seen: deque[tuple[float, float]] = deque()

    def left(self, now: float, part: float) -> float:
        """Return how many seconds are left at the pace of the last ones, when a `part` from 0 to 1 is done `now`.

        Infinite, where nothing is known of the pace.

        >>> pace = Pace()
        >>> pace.left(0.0, 0.0), pace.left(1.0, 0.25)
        (inf, 3.0)
        """
        while len(self._seen) > 1 and self._seen[1][0] <= now - self._span:
            self._seen.popleft()
        if not self._seen or now - self._seen[-1][0] >= self._span / _SAMPLES:
            self._seen.append((now, part))
        since, before = self._seen[0]
        return (now - since) * (1 - part) / (part - before) if part > before else math.inf
