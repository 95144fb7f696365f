"""How fast one page may send: as fast as a person can, for as long as it likes."""

import time

RATE, BURST = 20.0, 60.0  # messages a second in the long run, and at once


class Pace:
    """Counts what one page sends."""

    def __init__(self) -> None:
        self._left, self._at = BURST, time.monotonic()

    def early(self) -> float:
        """Count a message that comes now; return by how many seconds it comes too early."""
        now = time.monotonic()
        self._left = min(BURST, self._left + RATE * (now - self._at)) - 1
        self._at = now
        return max(0.0, -self._left / RATE)
