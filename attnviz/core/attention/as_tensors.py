"""What may be given for a matrix that is computed with: a tensor, an array, or nested lists of numbers."""

from collections.abc import Collection
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnviz.core.limits import in_short


def as_tensors(optional: Collection[str], **given: Any) -> list[Tensor | None]:
    """Return what was given by name as tensors of one precision.

    Tensors and arrays keep the precision that they have, whole numbers and lists are float32; where these differ, all
    get the widest. None stays where it's `optional`.

    Raises ``ValueError`` for what holds no real numbers, has rows of several lengths, or lies on another device.

    >>> as_tensors(["b_q"], x=[[1, 2]], b_q=None)
    [tensor([[1., 2.]]), None]
    """
    made = {
        name: None if value is None and name in optional else _as_tensor(name, value) for name, value in given.items()
    }
    there = {name: each for name, each in made.items() if each is not None}
    first = next(iter(there.values()))
    dtype = first.dtype
    for name, each in there.items():
        if each.device != first.device:
            raise ValueError(f"{name} is on {each.device}, expected {first.device} like {next(iter(there))}")
        dtype = torch.promote_types(dtype, each.dtype)
    return [None if each is None else each.to(dtype) for each in made.values()]


def _as_tensor(name: str, value: Any) -> Tensor:
    try:
        tensor = value if isinstance(value, Tensor) else torch.from_numpy(np.array(value))
    except (TypeError, ValueError, RuntimeError, OverflowError):
        message = f"{name} is {in_short(value)}, expected a tensor, an array, or rows of numbers of one length"
        raise ValueError(message) from None
    if tensor.dtype == torch.bool or tensor.is_complex():
        raise ValueError(f"{name} holds {str(tensor.dtype).removeprefix('torch.')} values, expected real numbers")
    return tensor if hasattr(value, "dtype") and tensor.is_floating_point() else tensor.float()
