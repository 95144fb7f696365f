"""The colours and letters of all figures: colour-blind safe, the same thing in the same colour everywhere."""

from typing import Any, NamedTuple

import numpy as np

from attnviz.core.seeding import INITIALIZATIONS

# Okabe and Ito 2008, Color Universal Design.
QUERY_COLOUR = "#0072B2"
KEY_COLOUR = "#D55E00"
VALUE_COLOUR = "#009E73"
STAGE_COLOURS = {"q": QUERY_COLOUR, "k": KEY_COLOUR, "v": VALUE_COLOUR}

Scale = tuple[tuple[float, str], ...]

# Attention weights: sequential from 0 to 1 (matplotlib's cividis, sampled).
SEQUENTIAL: Scale = (
    (0.0, "#00204d"), (0.125, "#15356c"), (0.25, "#404d6b"), (0.375, "#61656f"), (0.5, "#7c7b78"),
    (0.625, "#9b9377"), (0.75, "#bcad6c"), (0.875, "#dfc958"), (1.0, "#ffe945"),
)  # fmt: skip

# Signed matrices: diverging, symmetric about 0.
DIVERGING: Scale = (
    (0.0, "#08519c"), (0.25, "#6baed6"), (0.5, "#f7f7f7"), (0.75, "#fdae6b"), (1.0, "#c2500a"),
)  # fmt: skip

# On neither scale: what is beyond float32, and what is no number.
INFINITE, NOT_A_NUMBER = "#7b2d5f", "#e58cc0"


def needs_dark_ink(z: np.ndarray, scale: Scale, limits: tuple[float, float]) -> np.ndarray:
    """Whether black can be read better than white on the colour of each value (WCAG 2.2, relative luminance)."""
    at = (np.asarray(z, dtype=np.float64) - limits[0]) / (limits[1] - limits[0])
    stops = [stop for stop, _ in scale]
    luminance = np.zeros(at.shape)
    for weight, start in ((0.2126, 1), (0.7152, 3), (0.0722, 5)):
        channel = np.interp(at, stops, [int(colour[start : start + 2], 16) / 255 for _, colour in scale])
        luminance += weight * np.where(channel <= 0.04045, channel / 12.92, ((channel + 0.055) / 1.055) ** 2.4)
    # Contrast with black is (l + 0.05) / 0.05, with white 1.05 / (l + 0.05).
    return (luminance + 0.05) ** 2 > 0.05 * 1.05


class Theme(NamedTuple):
    """What a figure takes from the page around it."""

    text: str
    muted: str
    undefined: str  # behind masked, infinite and NaN cells
    outline: str  # around the picked row
    grid: str
    picked: str  # around the picked cell and the cells it is made from
    right: str  # what is as it should be


LIGHT = Theme(
    text="#1f2328", muted="#57606a", undefined="#d0d4da", outline="#111111", grid="#e3e6ea", picked="#d6006c",
    right="#0a6b2d",
)  # fmt: skip
DARK = Theme(
    text="#fafafa", muted="#aab2bd", undefined="#2b2e33", outline="#ffffff", grid="#3a3f46", picked="#ff4fa3",
    right="#5fd38a",
)  # fmt: skip


def theme(dark: bool) -> Theme:
    """Return the colours that fit a dark or a light page."""
    return DARK if dark else LIGHT


# The app's own letters. Without a family Plotly takes Verdana where there is no Open Sans, which is a fifth wider:
# titles would be cut off.
LETTERS = "Source Sans"
FONT_FAMILY = ", ".join((f'"{LETTERS}"', "Arial", "Helvetica", "sans-serif"))
FONT_SIZE = 11


def font(shown: Theme) -> dict[str, Any]:
    """Return the letters of a figure, as Plotly reads them."""
    return {"family": FONT_FAMILY, "size": FONT_SIZE, "color": shown.text}


class ScaleStyle(NamedTuple):
    """How one way of scaling is drawn: told apart by colour, marker and dash alike."""

    colour: str
    symbol: str
    dash: str
    label: str


# On a light page, on a dark page, marker, dash, label.
_SCALES = {
    "none": ("#a85f00", "#f0b040", "circle", "solid", "raw"),
    "sqrt": ("#7b3fa0", "#c9a0f0", "square", "solid", "/ √d"),
    "linear": ("#4d4d4d", "#c0c0c0", "diamond", "dash", "/ d"),
}
_OWN = ("#c2185b", "#ff8ab5", "triangle-up", "dot")
# The initializations, where these are what is compared, in turn.
_IN_TURN = (*(_SCALES[scale][:4] for scale in ("none", "linear", "sqrt")), _OWN)
_INITS = {init.written: _IN_TURN[n % len(_IN_TURN)] for n, init in enumerate(INITIALIZATIONS.values())}


def scale_style(scale: str, dark: bool) -> ScaleStyle:
    """Return the style of a scale by its label in a sweep: "none", "sqrt", "linear" or an exponent; or of an
    initialization, by PyTorch's name of it.

    >>> scale_style("0.3", dark=False).label
    '/ d^0.3'
    """
    if scale in _INITS:
        light, on_dark, symbol, dash, label = (*_INITS[scale], scale)
    else:
        light, on_dark, symbol, dash, label = _SCALES.get(scale, (*_OWN, f"/ d^{scale}"))
    return ScaleStyle(on_dark if dark else light, symbol, dash, label)
