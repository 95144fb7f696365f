"""The colours of all figures: colour-blind safe, the same thing in the same colour everywhere."""

from typing import NamedTuple

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


class Theme(NamedTuple):
    """What a figure takes from the page around it."""

    text: str
    muted: str
    undefined: str  # behind masked, infinite and NaN cells
    outline: str  # around the picked row


LIGHT = Theme(text="#1f2328", muted="#57606a", undefined="#d0d4da", outline="#111111")
DARK = Theme(text="#fafafa", muted="#aab2bd", undefined="#4a5059", outline="#ffffff")


def theme(dark: bool) -> Theme:
    """Return the colours that fit a dark or a light page."""
    return DARK if dark else LIGHT
