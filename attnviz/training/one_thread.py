"""One thread for the arithmetic of a training: where several share a sum, its last bits depend on how many they are."""

from contextlib import ContextDecorator
from typing import Any

import torch


class OneThread(ContextDecorator):
    """Have torch compute with one thread in the thread that calls, and then with as many as before.

    torch keeps their number for each thread of a process, so that trainings beside each other don't disturb one
    another; only a thread that begins meanwhile begins with one.

    >>> with OneThread():
    ...     torch.get_num_threads()
    1
    """

    def __enter__(self) -> None:
        self._before = torch.get_num_threads()
        if self._before != 1:
            torch.set_num_threads(1)  # noqa: TID251

    def __exit__(self, *_: Any) -> None:
        if self._before != 1:
            torch.set_num_threads(self._before)  # noqa: TID251

    def _recreate_cm(self) -> "OneThread":
        return OneThread()
