"""Matrices as the page is sent them: small ones as plain numbers, large ones as the bits of their float32.

A thousand tokens make matrices of a million numbers, which as text would be 20 MB each.
"""

from base64 import b64encode
from typing import Any

import numpy as np
import torch

from attnviz.core.rules import Scale, in_rows
from attnviz.core.stages import MASK, Stage
from attnviz.core.trace import Trace
from attnviz.words.numbers import for_json

FITS = 16  # rows and columns of any matrix, up to which every cell can be shown with its number


def packed(trace: Trace) -> dict[str, dict[str, Any]]:
    """Return each matrix of a trace by its name, as the page unpacks it."""
    return {name: _packed(trace, name, matrix) for name, matrix in trace.matrices.items()}


def _packed(trace: Trace, name: str, tensor: torch.Tensor) -> dict[str, Any]:
    rows, columns = in_rows(tensor).shape
    shape = {"rows": rows, "columns": columns}
    if max(rows, columns) <= FITS:
        return shape | {"values": [for_json(value) for value in tensor.flatten().tolist()]}
    numbers = in_rows(tensor).cpu().numpy()
    quotient = _as_quotient(trace, trace.stages[name], numbers)
    if quotient is not None:
        return shape | quotient
    runs = _runs(numbers) if name == MASK else []
    if runs:
        return shape | {"runs": runs}
    return shape | {"float32": bits_of(numbers)}


def bits_of(numbers: np.ndarray) -> str:
    """Return the float32 of an array, row by row and the lowest byte first, in base64.

    >>> bits_of(np.array([1.0, -0.0]))
    'AACAPwAAAIA='
    """
    return b64encode(numbers.astype("<f4").tobytes()).decode()


def _as_quotient(trace: Trace, stage: Stage, numbers: np.ndarray) -> dict[str, Any] | None:
    """Return how the page makes scaled scores of scores, where that gives torch's own bits; else None."""
    if not isinstance(stage.rule, Scale):
        return None
    source, *masks = stage.sources
    divisor = float(np.float32(stage.rule.divisor))
    made = (in_rows(trace[source]).cpu().numpy() / np.float64(divisor)).astype(np.float32)
    for mask in masks:
        added = trace[mask].cpu().numpy()
        with np.errstate(invalid="ignore"):
            made = np.where(added == -np.inf, -np.inf, made + added).astype(np.float32)
    same = made.view(np.uint32) == numbers.view(np.uint32)
    if not (same | (np.isnan(made) & np.isnan(numbers))).all():
        return None
    return {"of": source, "dividedBy": divisor} | ({"plus": masks[0]} if masks else {})


def _runs(numbers: np.ndarray) -> list[tuple[int, float | str]]:
    """Return how often each number comes in a row, row after row; nothing where that would be longer.

    >>> _runs(np.array([[0.0, -np.inf], [-np.inf, 0.0]] * 8))[:2]
    [(1, 0.0), (2, '-Infinity')]
    """
    flat = numbers.ravel()
    starts = np.concatenate([[0], np.flatnonzero(flat[1:] != flat[:-1]) + 1])
    if len(starts) * 4 > 3 * flat.size:
        return []
    counts = np.diff(np.append(starts, flat.size)).tolist()
    return [(count, for_json(value)) for count, value in zip(counts, flat[starts].tolist(), strict=True)]
