"""Large matrices, stored as differences of bits from a simple computation.

The computation here takes the same steps as board/values/bit_differences.js, so that both give the same bits. Most
numbers differ from it by 0 or 1 in their last bit, so that they take a twentieth of the room when packed.
"""

from typing import Any

import numpy as np

from attnviz.core.rules import in_rows
from attnviz.core.trace import Trace

_LOWEST, _PARTS, _TERMS = -200.0, 1024, 9


def with_apart(matrices: dict[str, dict[str, Any]], trace: Trace) -> dict[str, dict[str, Any]]:
    """Return a board's matrices, with large products and softmaxes as bit differences."""
    return {name: _apart(sent, trace, name) or sent for name, sent in matrices.items()}


def _apart(sent: dict[str, Any], trace: Trace, name: str) -> dict[str, Any] | None:
    stage = trace.stages[name]
    if "float32" not in sent or stage.rule is None or len(sent["float32"]) < 2**14:
        return None
    settings = stage.rule.settings
    left, *others = (in_rows(trace[source]).cpu().numpy().astype(np.float64) for source in stage.sources)
    with np.errstate(all="ignore"):
        if stage.makes_shares and not others and not stage.rule.is_linear and stage.rule.sums_to_1(1):
            nearby = _shares(left)
        elif (
            stage.rule.is_product
            and len(others) == 1
            and settings["transposed"]
            and not (settings["cosine"] or settings["typed"])
        ):
            nearby = _product(left, others[0])
        else:
            return None
        nearby = nearby.astype("<f4")
    if np.isnan(nearby).any():
        return None
    bits = in_rows(trace[name]).cpu().numpy().astype("<f4").view(np.int32)
    return {"rows": sent["rows"], "columns": sent["columns"], "apart": (bits - nearby.view(np.int32)).ravel().tolist()}


def _product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    product = np.zeros((len(left), len(right)))
    for column in range(left.shape[1]):
        product += left[:, column, None] * right[None, :, column]
    return product


def _shares(scores: np.ndarray) -> np.ndarray:
    powers = _power(scores - scores.max(1, keepdims=True))
    return powers / powers.cumsum(1)[:, -1:]


def _power(numbers: np.ndarray) -> np.ndarray:
    """Return e to the power of numbers up to 0, approximately."""
    part = np.maximum(numbers, _LOWEST) / _PARTS
    power = np.ones_like(part)
    for term in range(_TERMS, 0, -1):
        power = 1 + power * part / term
    for _ in range(_PARTS.bit_length() - 1):
        power = power * power
    return power
