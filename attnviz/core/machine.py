"""The machine's devices and memory."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from attnviz.core.limits import RefusedError
from attnviz.words import Later, later

LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
_NO_LIMIT = 2**50  # bytes; without a limit, some systems report a number this large


def bytes_of_container(limits: tuple[Path, ...] = LIMITS) -> int | None:
    """Return a container's limit in bytes, or None without one."""
    for file in limits:
        try:
            most = int(file.read_text())
        except (OSError, ValueError):  # the first file, of cgroup v2, says "max" if there is no limit
            continue
        if most < _NO_LIMIT:
            return most
    return None


def bytes_of_memory(limits: tuple[Path, ...] = LIMITS) -> int | None:
    """Return the memory of the machine or container, or None if unknown."""
    try:
        all_of_it = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return bytes_of_container(limits)
    return min(all_of_it, bytes_of_container(limits) or all_of_it)


def available_devices() -> dict[str, str]:
    """Return this machine's devices: torch's name and a readable one.

    >>> available_devices()["cpu"]
    'CPU'
    """
    devices = {"cpu": "CPU"}
    for i in range(torch.cuda.device_count()):
        devices[f"cuda:{i}"] = f"cuda:{i} ({torch.cuda.get_device_name(i)})"
    if torch.backends.mps.is_available():
        devices["mps"] = "mps (Apple GPU)"
    return devices


def check_device_name(name: object) -> str:
    """Return a device's full name, or raise ``ValueError`` naming it."""
    if not isinstance(name, str) or not re.fullmatch(r"cpu|mps|cuda(:\d{1,3})?", name):
        raise RefusedError("choice", name="device", value=name, allowed=("cpu", "mps", "cuda", "cuda:N"))
    return "cuda:0" if name == "cuda" else name


def resolve_device(name: str) -> tuple[torch.device, Later | None]:
    """Return the device, and a notice if it's not the requested one."""
    if name == "cpu":  # asking the GPU drivers takes far longer than a small computation
        return torch.device("cpu"), None
    if name in available_devices():
        return torch.device(name), None
    return torch.device("cpu"), later("messages.no_device", device=name)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread, so that sums have the same bits.

    torch keeps this setting for each thread of a process, so that parallel trainings don't disturb each other; only a
    thread that starts meanwhile starts with it.
    """
    before = torch.get_num_threads()
    if before != 1:
        torch.set_num_threads(1)  # noqa: TID251
    try:
        yield
    finally:
        if before != 1:
            torch.set_num_threads(before)  # noqa: TID251
