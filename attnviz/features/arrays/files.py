"""Files with attention weights; nothing is unpickled."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from attnviz.core.limits import in_short

MOST_BYTES = 2**29  # of a file, and of what it holds unpacked
_TOKENS = ("tokens", "read_tokens")


@dataclass(frozen=True)
class WeightsFile:
    """Attention weights from a file, and perhaps tokens."""

    weights: Any
    tokens: tuple[str, ...] | None = None
    read_tokens: tuple[str, ...] | None = None


def read_weights(name: str, content: bytes) -> WeightsFile:
    """Return the attention weights in a file, read by its ending.

    Tokens are looked for in an .npz file's arrays ``tokens`` and ``read_tokens``, in a safetensors file's metadata of
    these names (a JSON list, or text that is split at spaces), and beside a JSON file's ``weights``.

    Raises ``ValueError`` for another ending, a file that can't be read so, or one that is too large.

    >>> read_weights("mine.json", b'{"weights": [[1, 0], [0.5, 0.5]], "tokens": ["the", "cat"]}')
    WeightsFile(weights=[[1, 0], [0.5, 0.5]], tokens=('the', 'cat'), read_tokens=None)
    """
    read = _READERS.get(PurePath(name).suffix.lower())
    if read is None:
        raise ValueError(f"{in_short(name)} isn't a file of attention weights, expected {', '.join(_READERS)}")
    if len(content) > MOST_BYTES:
        raise ValueError(f"{in_short(name)} has {len(content):,} bytes, expected at most {MOST_BYTES:,}")
    try:
        return read(content)
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile, RecursionError) as error:
        raise ValueError(f"{in_short(name)} can't be read: {error}") from error


def _of_npy(content: bytes) -> WeightsFile:
    return WeightsFile(np.load(io.BytesIO(content), allow_pickle=False))


def _of_npz(content: bytes) -> WeightsFile:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        if (size := sum(each.file_size for each in packed.infolist())) > MOST_BYTES:
            raise ValueError(f"unpacked, it has {size:,} bytes, expected at most {MOST_BYTES:,}")
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        found = dict(arrays.items())
    return _with_tokens({name: found.pop(name).ravel().tolist() for name in _TOKENS if name in found}, found)


def _of_safetensors(content: bytes) -> WeightsFile:
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        tensors = load(content)
    except SafetensorError as error:
        raise ValueError(str(error)) from error
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return _with_tokens(header.get("__metadata__", {}), tensors)


def _of_json(content: bytes) -> WeightsFile:
    given = json.loads(content)
    if not isinstance(given, dict):
        return WeightsFile(given)
    # A trace that this app has exported holds its weights among its "matrices".
    named = next((name for name in ("weights", "attentions", "matrices") if name in given), None)
    if named is None:
        raise ValueError(f"it has the names {in_short(sorted(given))}, expected weights, and perhaps tokens")
    return _with_tokens(given, given[named])


def _with_tokens(given: Mapping[str, Any], weights: Any) -> WeightsFile:
    return WeightsFile(weights, *(tokens_in(given.get(name), name) for name in _TOKENS))


def tokens_in(given: Any, name: str) -> tuple[str, ...] | None:
    """Return tokens from a list, JSON, or a text with spaces."""
    if given is None:
        return None
    if isinstance(given, str):
        given = json.loads(given) if given.lstrip().startswith("[") else given.split()
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise ValueError(f"{name} is {in_short(given)}, expected a list of texts")
    return tuple(given)


_READERS: Mapping[str, Callable[[bytes], WeightsFile]] = {
    ".npy": _of_npy,
    ".npz": _of_npz,
    ".safetensors": _of_safetensors,
    ".json": _of_json,
}
