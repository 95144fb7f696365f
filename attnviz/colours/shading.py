"""The shade of each cell: the page's colour mixed with that of its role, or with grey below 0, by how large it is."""

import numpy as np

from attnviz.colours.mixing import STEPS, ramp
from attnviz.colours.roles import NEGATIVE, PAPER, ROLES

Scale = tuple[tuple[float, str], ...]  # as Plotly reads it: positions from 0 to 1, colours as #rrggbb

_EVERY = (
    15  # step of a ramp is a stop of its scale: between two Plotly mixes in sRGB, which makes no visible difference
)


def shades(z: np.ndarray, limits: tuple[float, float], role: str, dark: bool) -> np.ndarray:
    """Return the colour of each finite number, ``(..., 3)`` from 0 to 255; what is beyond the limits has theirs.

    >>> shades(np.array([0.0, 2.0, 5.0, -2.0]), (-2.0, 2.0), "q", dark=False).tolist()
    [[255, 255, 255], [0, 103, 176], [0, 103, 176], [90, 95, 102]]
    """
    amounts = np.clip(np.abs(np.asarray(z, np.float64)) / limits[1], 0, 1)
    steps = np.floor(amounts * (STEPS - 1) + 0.5).astype(int)
    return np.where((np.asarray(z) < 0)[..., None], _ramp(None, dark)[steps], _ramp(role, dark)[steps])


def scale_of(limits: tuple[float, float], role: str, dark: bool) -> Scale:
    """Return the same as a scale between the limits, of which the lower is 0 or minus the upper.

    >>> scale_of((0.0, 1.0), "a", dark=False)[0], scale_of((-1.0, 1.0), "a", dark=False)[0]
    ((0.0, '#ffffff'), (0.0, '#5a5f66'))
    """
    up = _stops(_ramp(role, dark)[::_EVERY])
    if limits[0] == 0:
        return up
    down = _stops(_ramp(None, dark)[::_EVERY])
    return (
        *((round(0.5 - at / 2, 5), colour) for at, colour in reversed(down)),
        *((round(0.5 + at / 2, 5), colour) for at, colour in up[1:]),
    )


def _ramp(role: str | None, dark: bool) -> np.ndarray:
    return ramp(PAPER.on(dark), (NEGATIVE if role is None else ROLES[role]).on(dark))


def _stops(steps: np.ndarray) -> Scale:
    return tuple((round(i / (len(steps) - 1), 4), f"#{bytes(step).hex()}") for i, step in enumerate(steps))
