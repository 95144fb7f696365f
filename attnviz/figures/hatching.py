"""Hatching: the ground and the lines of cells that hold no number. It lies below the cells' signs."""

import math
from typing import Any

import numpy as np

from attnviz.colours.palette import Hatch

_APART = 6.0  # pixels between two lines


def hatching(where: np.ndarray, size: tuple[float, float], hatch: Hatch) -> list[dict[str, Any]]:
    """Return shapes that hatch cells ``(rows, columns)`` of a heatmap, each `size` (width, height) pixels large.

    The ground is one shape, and all lines of a direction are one, whose parts go on from cell to cell.
    """
    ground = {"type": "path", "path": _ground(where), "fillcolor": hatch.ground, "line": {"width": 0}}
    lines = [_falling(where, size)]
    if hatch.crossed:
        flipped = _falling(where[:, ::-1], size)
        lines.append([(where.shape[1] - 1 - x, y) for x, y in flipped])
    drawn = [{"type": "path", "path": _path(each), "line": {"width": 1, "color": hatch.line}} for each in lines if each]
    return [shape | {"layer": "below"} for shape in (ground, *drawn)]


def _ground(where: np.ndarray) -> str:
    """Return the cells as rectangles, one for those beside each other in a row."""
    edges = np.diff(where.astype(np.int8), axis=1, prepend=0, append=0)
    starts, ends = np.argwhere(edges == 1).tolist(), np.argwhere(edges == -1).tolist()
    return "".join(
        f"M{start - 0.5},{row - 0.5}H{end - 0.5}V{row + 0.5}H{start - 0.5}Z"
        for (row, start), (_, end) in zip(starts, ends, strict=True)
    )


def _falling(where: np.ndarray, size: tuple[float, float]) -> list[tuple[float, float]]:
    """Return the ends of the lines from the upper right to the lower left, two after two.

    In units of cells a line is where x + y is the same; it is cut where it enters and leaves the cells.
    """
    n_rows, n_columns = where.shape
    # Lines are some pixels apart, at right angles to them.
    apart = _APART / (size[0] * size[1] / math.hypot(*size))
    ends: list[tuple[float, float]] = []
    for total in np.arange(apart / 2, n_rows + n_columns, apart):
        low, high = max(0.0, total - n_rows), min(float(n_columns), total)
        crossed = np.concatenate(
            [[low, high], np.arange(math.ceil(low), high), total - np.arange(math.ceil(total - high), total - low)]
        )
        crossed = np.unique(crossed.round(6))
        middle = (crossed[1:] + crossed[:-1]) / 2
        inside = (
            where[np.minimum((total - middle).astype(int), n_rows - 1), middle.astype(int)] if len(middle) else middle
        )
        edges = np.diff(inside.astype(np.int8), prepend=0, append=0)
        for at in (*np.flatnonzero(edges),):
            ends.append((crossed[at] - 0.5, total - crossed[at] - 0.5))
    return ends


def _path(ends: list[tuple[float, float]]) -> str:
    pairs = zip(ends[::2], ends[1::2], strict=True)
    return "".join(f"M{x0:.3f},{y0:.3f}L{x1:.3f},{y1:.3f}" for (x0, y0), (x1, y1) in pairs)
