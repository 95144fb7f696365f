"""How much memory this process has, and how much it may have: of a container, as much as that is given."""

import os
from pathlib import Path

from attnviz.core.trace import LIMITS, bytes_of_container

_OF_CONTAINER = 0.85  # beyond this share, pages that are open already have the rest


def used_mib() -> float | None:
    """Return the memory that this process has now; None where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def default_most_mib(limits: tuple[Path, ...] = LIMITS) -> int | None:
    """Return how much memory there may be before no further page is opened; None outside of a container that limits
    it."""
    most = bytes_of_container(limits)
    return None if most is None else max(1, int(most * _OF_CONTAINER / 2**20))
