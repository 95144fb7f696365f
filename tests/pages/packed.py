"""The numbers that the board is sent, unpacked as the page does."""

from base64 import b64decode
from typing import Any

import numpy as np

from attnviz import AttentionTrace


def numbers_in(given: dict[str, Any], name: str) -> np.ndarray:
    """Return a matrix's numbers as the page unpacks them."""
    sent = given[name]
    if "values" in sent:
        return np.array(sent["values"], dtype=np.float32)
    if "float32" in sent:
        return np.frombuffer(b64decode(sent["float32"]), "<f4")
    divided: np.ndarray = (numbers_in(given, sent["of"]) / np.float64(sent["dividedBy"])).astype(np.float32)
    return divided


def shows(board: dict[str, Any], seen: AttentionTrace) -> bool:
    """Whether a board is sent all numbers in view, the same to the last bit."""
    wanted = {name: matrix.flatten().numpy() for name, matrix in seen.matrices.items()}
    sent = {name: numbers_in(board["matrices"], name) for name in board["matrices"]}
    return sent.keys() == wanted.keys() and all(
        np.array_equal(sent[name], wanted[name], equal_nan=True) for name in sent
    )
