"""How much memory this process has, and how much it may have: of a container, as much as that is given."""

import os
from pathlib import Path

_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
_OF_CONTAINER = 0.85  # beyond this share, pages that are open already have the rest
_NO_LIMIT = 2**50  # bytes: what systems say instead of saying that there is none


def used_mib() -> float | None:
    """Return the memory that this process has now; None where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def default_most_mib(limits: tuple[Path, ...] = _LIMITS) -> int | None:
    """Return how much memory there may be before no further page is opened; None outside of a container that limits
    it."""
    for file in limits:
        try:
            most = int(file.read_text())
        except (OSError, ValueError):  # the newer kind of limit says "max" where there is none
            continue
        if most < _NO_LIMIT:
            return max(1, int(most * _OF_CONTAINER / 2**20))
    return None
