"""The scale under a heatmap of attention weights: from 0 to its limit, with a tick at an even share."""

from typing import Any

import numpy as np

from attnviz.colours.palette import SMALL_SIZE
from attnviz.figures.picture import Picture
from attnviz.words import say
from attnviz.words.numbers import written

# Pixels: what is said of the even share stands between the cells and the bar, the limits below it.
_ABOVE, _THICK, _BELOW, _TICK = 20, 10, 18, 3
HEIGHT = _ABOVE + _THICK + _BELOW


def has_colour_bar(picture: Picture) -> bool:
    """Whether a picture has a scale of its own: where numbers are shares, there is something to measure them by."""
    return picture.stage.kind in ("softmax", "share") and picture.limits[0] == 0


def colour_bar(picture: Picture) -> dict[str, Any]:
    """Return what a heatmap trace with these colours shows of its scale."""
    high = picture.limits[1]
    return {
        "orientation": "h", "x": 0, "xanchor": "left", "xpad": 0, "len": 1, "thickness": _THICK,
        "y": 0, "yanchor": "top", "ypad": _ABOVE, "outlinecolor": picture.theme.grid, "outlinewidth": 1,
        "tickvals": [0, high], "ticktext": ["0", written(high, 2)], "ticks": "", "ticklabeloverflow": "allow",
        "tickfont": {"size": SMALL_SIZE, "color": picture.theme.muted},
    }  # fmt: skip


def even_share(picture: Picture) -> dict[str, Any] | None:
    """Return what each cell gets where all of its line get the same, and where on the scale that is, from 0 to 1: in
    the picked row, or in all where these share among as many; None where it lies beyond the scale."""
    n = _n_sharing(picture)
    if not n or 1 / n > picture.limits[1] * (1 + 1e-6):
        return None
    return {"at": min(1.0, 1 / n / picture.limits[1]), "text": say("figures.even_share", n=n)}


def even_mark(picture: Picture) -> dict[str, list[dict[str, Any]]]:
    """Return shapes and annotations that mark it on the scale."""
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
    """Return among how many cells a line is shared out; None where they differ in that."""
    if picture.shared_among is None:
        return None
    cells = picture.shared_among if picture.query is None else picture.shared_among[picture.query]
    counts = np.unique(cells[cells > 0])
    return int(counts[0]) if len(counts) == 1 else None
