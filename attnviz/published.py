"""The published examples as they were printed, and the one that a reader of the notebook recognises.

The sentence and its vectors are from S. Raschka, Build a Large Language Model (From Scratch), 2024,
chapter 3.3 to 3.4. All examples stand in one file, which nothing else repeats.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

_FILE = Path(__file__).parent / "worked_examples" / "worked_examples.json"

Rows = tuple[tuple[float, ...], ...]


@cache
def published_data() -> Mapping[str, Any]:
    """Return the file of published examples as it is; treat it as read-only."""
    return MappingProxyType(json.loads(_FILE.read_text(encoding="utf-8")))


@cache
def published_examples() -> Mapping[str, Mapping[str, Any]]:
    """Return the examples of the file by their id.

    >>> list(published_examples())[:3]
    ['journey', 'journey-linear', 'journey-simple']
    """
    return MappingProxyType({example["id"]: example for example in published_data()["examples"]})


def stated_matrix(example: str, name: str) -> Rows | None:
    """Return a matrix that an example states number by number, or None.

    >>> stated_matrix("love-ai", "w_k"), stated_matrix("journey-simple", "w_k")
    (((1.0, 1.0), (0.0, 1.0)), None)
    """
    stated = published_examples().get(example, {}).get(name)
    return tuple(tuple(map(float, row)) for row in stated) if isinstance(stated, list) else None


_JOURNEY = published_examples()["journey"]
PUBLISHED_TEXT: str = " ".join(_JOURNEY["tokens"])
PUBLISHED_D_IN = len(_JOURNEY["x"][0])
PUBLISHED_VECTORS: dict[str, tuple[float, ...]] = dict(zip(_JOURNEY["tokens"], map(tuple, _JOURNEY["x"]), strict=True))
