"""Memory that is free goes back to the system."""

import platform
import threading
from pathlib import Path

import numpy as np
import pytest

from attnviz.app.keeper.memory import give_back

PAGES = Path("/proc/self/statm")


def in_use() -> int:
    """The mebibytes that this process has of the system."""
    return int(PAGES.read_text().split()[1]) * 4096 // 2**20


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc" or not PAGES.exists(), reason="another C library")
def test_what_threads_have_freed_goes_back() -> None:
    kept: list[np.ndarray] = []

    def read() -> None:
        blocks = [np.ones(2**13) for _ in range(1000)]  # 64 KiB each
        kept.append(blocks[-1])  # at the end of the thread's heap, which so stays as large as it is

    before = in_use()
    for _ in range(4):
        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
    held = in_use()
    assert held - before > 40
    assert give_back()
    assert in_use() - before < 20
    assert len(kept) == 4
