"""How much memory there is: of a container, as much as that is given."""

import os
from pathlib import Path

LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
_NO_LIMIT = 2**50  # bytes: what systems say instead of saying that there is none


def bytes_of_container(limits: tuple[Path, ...] = LIMITS) -> int | None:
    """Return how many bytes a container may have; None outside of one that limits them."""
    for file in limits:
        try:
            most = int(file.read_text())
        except (OSError, ValueError):  # the newer kind of limit says "max" where there is none
            continue
        if most < _NO_LIMIT:
            return most
    return None


def bytes_of_memory(limits: tuple[Path, ...] = LIMITS) -> int | None:
    """Return how many bytes of memory the machine has, or its container; None where the system does not tell."""
    try:
        all_of_it = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return bytes_of_container(limits)
    return min(all_of_it, bytes_of_container(limits) or all_of_it)
