"""A small still picture of matrices side by side, in the colours of their roles and without letters, as an SVG."""

from collections.abc import Sequence

import numpy as np

from attnviz.colours.palette import theme
from attnviz.colours.shading import shades

_WIDTH, _HEIGHT = 220, 84  # of the picture
_GAP = 14
_LARGEST = 20  # a cell


def small_picture(matrices: Sequence[tuple[np.ndarray, str]], *, dark: bool = False) -> str:
    """Return finite matrices, each with its role, as an SVG; the largest number of each has its role's whole colour.

    >>> small_picture([(np.eye(2), "a")])[:40]
    '<svg xmlns="http://www.w3.org/2000/svg" '
    """
    columns = sum(matrix.shape[1] for matrix, _ in matrices)
    rows = max(matrix.shape[0] for matrix, _ in matrices)
    cell = min(_LARGEST, (_WIDTH - _GAP * (len(matrices) - 1)) / columns, _HEIGHT / rows)
    x, parts = 0.0, []
    for matrix, role in matrices:
        parts.append(_cells(matrix, role, x, cell, dark))
        x += matrix.shape[1] * cell + _GAP
    x -= _GAP
    height = rows * cell
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{x:g}" height="{height:g}" '
        f'viewBox="-1 -1 {x + 2:g} {height + 2:g}">{"".join(parts)}</svg>'
    )


def _cells(matrix: np.ndarray, role: str, left: float, cell: float, dark: bool) -> str:
    limit = float(np.abs(matrix).max()) or 1.0
    colours = shades(matrix, (-limit, limit), role, dark)
    rects = [
        f'<rect x="{left + column * cell:.2f}" y="{row * cell:.2f}" width="{cell:.2f}" height="{cell:.2f}" '
        f'fill="#{bytes(colours[row, column].astype(np.uint8)).hex()}"/>'
        for row, column in np.ndindex(matrix.shape)
    ]
    rows, columns = matrix.shape
    frame = (
        f'<rect x="{left:.2f}" y="0" width="{columns * cell:.2f}" height="{rows * cell:.2f}" fill="none" '
        f'stroke="{theme(dark).muted}" stroke-width="0.75"/>'
    )
    return "".join(rects) + frame
