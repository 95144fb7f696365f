"""What all figures share: colours of roles, fonts and line styles.

A hue stands for a matrix's role in attention, :attr:`attnviz.core.stages.Stage.role`; its strength for a number's size.
A cell's colour is the page's colour mixed with that of its role, or with grey for numbers below 0; see
:mod:`attnviz.colours.shading`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from attnviz.core.seeding import INITIALIZATIONS
from attnviz.words import say


class Tone(NamedTuple):
    """A colour as ``#rrggbb``, on a light and on a dark page."""

    light: str
    dark: str

    def on(self, dark: bool) -> str:
        """Return the colour on a dark or a light page."""
        return self.dark if dark else self.light


ROLES: Mapping[str, Tone] = MappingProxyType(
    {
        "x": Tone("#4A5565", "#A9B4C2"),  # vectors of tokens, at the input and after each block
        "q": Tone("#0067B0", "#62B5F5"),
        "k": Tone("#B54A00", "#FF9A56"),
        "a": Tone("#4A1257", "#F3D9FA"),  # scores and attention weights: one number for each pair of tokens
        "v": Tone("#00755A", "#45CFA0"),  # values, and contexts, which are mixtures of values
    }
)
NEGATIVE = Tone("#5A5F66", "#9AA0A8")
PAPER = Tone("#FFFFFF", "#14171C")
PICKED = Tone("#FFD84D", "#FFD84D")  # lies behind or around the picked row


class Hatch(NamedTuple):
    """The look of a cell without a number, in no role's colour."""

    ground: str
    line: str
    ink: str  # colour of the sign in the cell
    crossed: bool = False


class Theme(NamedTuple):
    """The colours that a figure takes from the page around it."""

    dark: bool
    paper: str
    text: str
    muted: str
    masked: Hatch
    undefined: Hatch  # of infinite and NaN cells
    outline: str  # line around the picked row
    band: str  # area behind the picked row and its name
    grid: str
    picked: str  # frames around the picked cell and the cells that it is computed from
    right: str  # mark of correct results


_UNDEFINED = Hatch(ground="#e58cc0", line="#c5609c", ink="#000000", crossed=True)
LIGHT = Theme(
    dark=False, paper=PAPER.light, text="#1a1d21", muted="#5b626b",
    masked=Hatch(ground="#f5f6f8", line="#c3c9d1", ink="#1a1d21"), undefined=_UNDEFINED,
    outline="#1a1d21", band="rgba(255, 216, 77, 0.45)", grid="#dfe3e8", picked="#d6006c", right="#0a6b2d",
)  # fmt: skip
DARK = Theme(
    dark=True, paper=PAPER.dark, text="#eceff3", muted="#a9b1bb",
    masked=Hatch(ground="#1c2027", line="#454d58", ink="#eceff3"), undefined=_UNDEFINED,
    outline=PICKED.dark, band="rgba(255, 216, 77, 0.28)", grid="#2c323a", picked="#ff4fa3", right="#5fd38a",
)  # fmt: skip


def theme(dark: bool) -> Theme:
    """Return the colours that fit a dark or a light page."""
    return DARK if dark else LIGHT


# The app's own font. Without a family, Plotly uses Verdana if there is no Open Sans. Verdana is a fifth wider, so that
# titles would be cut off.
LETTERS = "Source Sans"
FONT_FAMILY = ", ".join((f'"{LETTERS}"', "Arial", "Helvetica", "sans-serif"))
# Font sizes in pixels: of titles; of numbers and the names of rows and columns; of the text below a title.
TITLE_SIZE, FONT_SIZE, SMALL_SIZE = 14, 13, 12


def on_page(shown: Theme) -> dict[str, Any]:
    """Return every figure's Plotly layout: the page's font, no background."""
    clear, letters = "rgba(0,0,0,0)", {"family": FONT_FAMILY, "size": FONT_SIZE, "color": shown.text}
    return {"paper_bgcolor": clear, "plot_bgcolor": clear, "font": letters, "dragmode": False}


class ScaleStyle(NamedTuple):
    """The style of a way of scaling: its colour, marker and dash."""

    colour: str
    symbol: str
    dash: str
    label: str


# Colour on a light page and on a dark page, marker, dash, key of the label.
_SCALES = {
    "none": ("#a85f00", "#f0b040", "circle", "solid", "scaling.scale.none"),
    "sqrt": ("#7b3fa0", "#c9a0f0", "square", "solid", "scaling.scale.sqrt"),
    "linear": ("#4d4d4d", "#c0c0c0", "diamond", "dash", "scaling.scale.linear"),
}
_OWN = ("#c2185b", "#ff8ab5", "triangle-up", "dot")
# The styles of initializations, used in turn if a figure compares these.
_IN_TURN = (*(_SCALES[scale][:4] for scale in ("none", "linear", "sqrt")), _OWN)
_INITS = {init.written: _IN_TURN[n % len(_IN_TURN)] for n, init in enumerate(INITIALIZATIONS.values())}


def scale_style(scale: str, dark: bool) -> ScaleStyle:
    """Return the style of a scale or an initialization, by its label.

    A scale is "none", "sqrt", "linear" or an exponent; an initialization has PyTorch's name.

    >>> scale_style("0.3", dark=False).label
    '÷ d^0.3'
    """
    if scale in _INITS:
        light, on_dark, symbol, dash = _INITS[scale]
        label = scale
    elif scale in _SCALES:
        light, on_dark, symbol, dash, key = _SCALES[scale]
        label = say(key)
    else:
        light, on_dark, symbol, dash = _OWN
        label = say("scaling.scale.own", p=scale)
    return ScaleStyle(on_dark if dark else light, symbol, dash, label)
