"""Marks on a heatmap: the scale of shares, and hatched cells."""

import math
from typing import Any

import numpy as np

from attnviz.colours.palette import SMALL_SIZE, Hatch
from attnviz.figures.picture import Picture
from attnviz.words import say
from attnviz.words.numbers import written

# In pixels. The even share's label stands between the cells and the bar, and the limits stand below the bar.
_ABOVE, _THICK, _BELOW, _TICK = 20, 10, 18, 3
HEIGHT = _ABOVE + _THICK + _BELOW


def has_colour_bar(picture: Picture) -> bool:
    """Whether a picture has a colour bar, as shares do."""
    return picture.stage.makes_shares and picture.limits[0] == 0


def colour_bar(picture: Picture) -> dict[str, Any]:
    """Return the settings of the colour bar of a heatmap trace."""
    high = picture.limits[1]
    return {
        "orientation": "h", "x": 0, "xanchor": "left", "xpad": 0, "len": 1, "thickness": _THICK,
        "y": 0, "yanchor": "top", "ypad": _ABOVE, "outlinecolor": picture.theme.grid, "outlinewidth": 1,
        "tickvals": [0, high], "ticktext": ["0", written(high, 2)], "ticks": "", "ticklabeloverflow": "allow",
        "tickfont": {"size": SMALL_SIZE, "color": picture.theme.muted},
    }  # fmt: skip


def even_share(picture: Picture) -> dict[str, Any] | None:
    """Return the even share in words and its place on the scale.

    The result is None if the even share lies beyond the scale.
    """
    n = _n_sharing(picture)
    if not n or 1 / n > picture.limits[1] * (1 + 1e-6):
        return None
    return {"at": min(1.0, 1 / n / picture.limits[1]), "text": say("figures.even_share", n=n)}


def even_mark(picture: Picture) -> dict[str, list[dict[str, Any]]]:
    """Return shapes and annotations that mark the even share on the scale."""
    even = even_share(picture)
    if even is None:
        return {}
    at = even["at"]
    line = {
        "type": "line", "xref": "paper", "yref": "paper", "x0": at, "x1": at, "ysizemode": "pixel", "yanchor": 0,
        "y0": _TICK - _ABOVE, "y1": -_ABOVE - _THICK - _TICK, "line": {"color": picture.theme.text, "width": 1.5},
    }  # fmt: skip
    text = {
        "xref": "paper", "yref": "paper", "x": at, "y": 0, "yanchor": "top", "yshift": -1, "showarrow": False,
        "xanchor": "left" if at < 1 / 3 else "center" if at < 2 / 3 else "right",
        "text": even["text"], "font": {"size": SMALL_SIZE, "color": picture.theme.muted},
    }  # fmt: skip
    return {"shapes": [line], "annotations": [text]}


def _n_sharing(picture: Picture) -> int | None:
    """Return how many cells share each line; None if that varies."""
    if picture.shared_among is None:
        return None
    cells = picture.shared_among if picture.query is None else picture.shared_among[picture.query]
    counts = np.unique(cells[cells > 0])
    return int(counts[0]) if len(counts) == 1 else None


_APART = 6.0  # pixels between two lines of hatching


def hatching(where: np.ndarray, size: tuple[float, float], hatch: Hatch) -> list[dict[str, Any]]:
    """Return shapes that hatch cells ``(rows, columns)``, `size` pixels large.

    The background is one shape, and all lines of one direction are another, whose parts continue from cell to cell.
    """
    ground = {"type": "path", "path": _ground(where), "fillcolor": hatch.ground, "line": {"width": 0}}
    lines = [_falling(where, size)]
    if hatch.crossed:
        flipped = _falling(where[:, ::-1], size)
        lines.append([(where.shape[1] - 1 - x, y) for x, y in flipped])
    drawn = [{"type": "path", "path": _path(each), "line": {"width": 1, "color": hatch.line}} for each in lines if each]
    return [shape | {"layer": "below"} for shape in (ground, *drawn)]


def _ground(where: np.ndarray) -> str:
    """Return the cells as rectangles, joined along rows."""
    edges = np.diff(where.astype(np.int8), axis=1, prepend=0, append=0)
    starts, ends = np.argwhere(edges == 1).tolist(), np.argwhere(edges == -1).tolist()
    return "".join(
        f"M{start - 0.5},{row - 0.5}H{end - 0.5}V{row + 0.5}H{start - 0.5}Z"
        for (row, start), (_, end) in zip(starts, ends, strict=True)
    )


def _falling(where: np.ndarray, size: tuple[float, float]) -> list[tuple[float, float]]:
    """Return the ends of lines from upper right to lower left.

    In units of cells, x + y is constant along a line. Each line is cut where it enters and leaves the cells.
    """
    n_rows, n_columns = where.shape
    # The distance between lines is in pixels, measured at right angles to them.
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
