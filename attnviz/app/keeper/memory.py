"""How much memory this process has, and may have; what is free is given back to the system."""

import ctypes
import os
from functools import cache
from pathlib import Path
from typing import Any

from attnviz.core.trace import LIMITS, bytes_of_container

_OF_CONTAINER = 0.85  # beyond this share, pages that are open already have the rest


@cache
def _trim() -> Any:
    """Return glibc's own function for it; None where the C library is another one."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None


def give_back() -> bool:
    """Give free memory back, and return whether there was any. Each thread has a heap of its own, from which what is
    freed goes back by itself only at the end: twenty readers of long texts, one after the other, would each leave
    theirs."""
    trim = _trim()
    return trim is not None and bool(trim(0))


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
