"""The memory that this process uses, may use, and can return."""

import ctypes
import os
from functools import cache
from pathlib import Path
from typing import Any

from attnviz.core.machine import LIMITS, bytes_of_container

# Share of a container's memory that may be used when a page opens; the rest is for pages already open.
_OF_CONTAINER = 0.85


@cache
def _trim() -> Any:
    """Return glibc's `malloc_trim`; None with another C library."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None


def give_back() -> bool:
    """Return free memory to the system; return whether there was any.

    Each thread has a heap of its own, which otherwise returns memory only from its end.
    """
    trim = _trim()
    return trim is not None and bool(trim(0))


def used_mib() -> float | None:
    """Return the MiB in use; None if the system doesn't say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def default_most_mib(limits: tuple[Path, ...] = LIMITS) -> int | None:
    """Return the memory, in MiB, above which no further page opens.

    None outside a container that limits memory.
    """
    most = bytes_of_container(limits)
    return None if most is None else max(1, int(most * _OF_CONTAINER / 2**20))
