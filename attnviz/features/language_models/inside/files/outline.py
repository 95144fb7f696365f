"""A model's outline: the shapes that its configuration states, without numbers."""

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

_MOST_TENSORS = 2**14  # an outline with this many takes half a minute; real models have fewer
_UNTIED = 4  # an outline may have this many times its files' numbers, because it counts shared weights twice
_SMALL = 2**20  # further numbers that it may have, for computed tables that aren't in files
_MADE_BY = frozenset({"empty", "zeros", "ones", "full", "arange", "rand", "randn", "eye"})  # they make new tensors
_WEIGHTS_MADE_BY = "empty"  # torch's layers make weights with it; the others mostly make masks and positions


class TooLargeError(ValueError):
    """More numbers or tensors than fit, or than a model's files have."""

    def __init__(self, message: str, *, beyond_files: bool = False) -> None:
        super().__init__(message)
        self.beyond_files = beyond_files


def numbers_in(folder: Path) -> int | None:
    """Return how many numbers a folder's weights have, by their headers.

    None if there are no safetensors. Raises the errors of safetensors for a damaged file.
    """
    from safetensors import safe_open

    files, count = list(folder.glob("*.safetensors")), 0
    for file in files:
        with safe_open(file, "pt") as opened:
            count += sum(math.prod(opened.get_slice(key).get_shape()) for key in opened.keys())  # noqa: SIM118
    return count if files else None


def outline_of(make: Callable[[], Any], most: int, in_files: int | None) -> Any:
    """Return the model that `make` makes, without any numbers.

    Raises :class:`TooLargeError` as soon as it has more than `most` numbers, or far more than its files have.
    """
    with torch.device("meta"), _Counted(most, in_files):
        return make()


class _Counted(TorchFunctionMode):
    """A context that counts tensors, and refuses too many."""

    def __init__(self, most: int, in_files: int | None) -> None:
        super().__init__()
        self._most, self._in_files = most, in_files
        self._numbers = self._weights = self._tensors = 0

    def __torch_function__(
        self, func: Callable[..., Any], types: Iterable[type], args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        """Make the tensor that torch would, and count its numbers."""
        made, name = func(*args, **(kwargs or {})), getattr(func, "__name__", "")
        if isinstance(made, Tensor) and name in _MADE_BY:
            self._tensors += 1
            self._numbers += made.numel()
            self._weights += made.numel() if name == _WEIGHTS_MADE_BY else 0
            self._check()
        return made

    def _check(self) -> None:
        if self._in_files is not None and self._weights > self._in_files * _UNTIED + _SMALL:
            message = f"its config.json says {self._weights:,} weights or more, and its files have {self._in_files:,}"
            raise TooLargeError(message, beyond_files=True)
        if self._numbers > self._most:
            raise TooLargeError(f"it has {self._numbers:,} numbers or more, expected at most {self._most:,}")
        if self._tensors > _MOST_TENSORS:
            raise TooLargeError(f"it has more than {_MOST_TENSORS:,} tensors, expected at most that many")
