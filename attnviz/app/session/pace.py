"""How fast one page may send: as fast as a person can, for as long as it likes."""

import time

RATE, BURST = 20.0, 60.0  # messages a second in the long run, and at once


class Pace:
    """Counts what one page sends, or what many do, of whom more may come."""

    def __init__(self, rate: float = RATE, burst: float = BURST) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._at = burst, time.monotonic()

    def early(self) -> float:
        """Count a message that comes now; return by how many seconds it comes too early."""
        self._left = self._now() - 1
        return max(0.0, -self._left / self._rate)

    def admits(self) -> bool:
        """Whether there is room for a message that comes now, which is counted then; one that is refused is not."""
        self._left = self._now()
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def _now(self) -> float:
        now = time.monotonic()
        left, self._at = min(self._burst, self._left + self._rate * (now - self._at)), now
        return left
