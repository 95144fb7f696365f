"""Files of tensors, written by the package safetensors."""

from collections.abc import Mapping
from types import ModuleType

import torch


def safetensors_module() -> ModuleType:
    """Return the package safetensors, which only its files need."""
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

    Raises ``ModuleNotFoundError`` if the package safetensors isn't installed.
    """
    return bytes(safetensors_module().torch.save(dict(tensors), dict(metadata)))
