"""Memory that is free, given back to the system."""

import ctypes
from functools import cache
from typing import Any


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
