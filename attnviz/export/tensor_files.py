"""Files of tensors, in the format safetensors: it holds numbers and texts alone, and nothing in it is ever run."""

import math
from collections.abc import Mapping
from types import ModuleType

import torch

from attnviz.core.errors import RefusedError

_DTYPES = {"F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32, "F64": torch.float64}


def _safetensors() -> ModuleType:
    """Return the package; only those who have such files need it."""
    try:
        import safetensors.torch
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "files of tensors need the package safetensors, which attnviz[app] brings: pip install 'attnviz[app]'",
            name=error.name,
        ) from None
    return safetensors


def write_tensors(tensors: Mapping[str, torch.Tensor], metadata: Mapping[str, str]) -> bytes:
    """Return a file of tensors.

    Raises ``ModuleNotFoundError`` where the package safetensors is not installed.
    """
    return bytes(_safetensors().torch.save(dict(tensors), dict(metadata)))


def read_tensor(data: bytes, name: str) -> torch.Tensor:
    """Return the tensor of this name from a file, or the only one, float64 in its own shape.

    Raises ``ValueError`` for what is no such file, for none of this name among several, and for numbers that are no
    floats; ``ModuleNotFoundError`` where the package safetensors is not installed.
    """
    safetensors = _safetensors()
    try:
        tensors = dict(safetensors.deserialize(data))
    except (safetensors.SafetensorError, ValueError):
        raise RefusedError("no_tensors") from None
    if name not in tensors and len(tensors) != 1:
        raise RefusedError("tensors", tensors=len(tensors), called=tuple(sorted(tensors)[:4]), matrix=name)
    found = tensors.get(name) or next(iter(tensors.values()))
    if found["dtype"] not in _DTYPES:
        raise RefusedError("tensor_type", value=str(found["dtype"]))
    values = torch.frombuffer(bytearray(found["data"]) or bytearray(8), dtype=_DTYPES[found["dtype"]])
    return values[: math.prod(found["shape"])].reshape(found["shape"]).double()
