"""The colours of roles: hue says what a matrix is to attention, the amount of it how large a number is.

A stage's role is :attr:`attnviz.core.stages.Stage.role`. A cell is the page's colour mixed with that of its role, or
with grey where its number is below 0: :mod:`attnviz.colours.mixing`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Tone(NamedTuple):
    """A colour as ``#rrggbb``, on a light and on a dark page."""

    light: str
    dark: str

    def on(self, dark: bool) -> str:
        """Return the colour on a dark or a light page."""
        return self.dark if dark else self.light


ROLES: Mapping[str, Tone] = MappingProxyType(
    {
        "x": Tone("#4A5565", "#A9B4C2"),  # the vectors of tokens, as they come in and as they go on
        "q": Tone("#0067B0", "#62B5F5"),
        "k": Tone("#B54A00", "#FF9A56"),
        "a": Tone("#4A1257", "#F3D9FA"),  # scores and attention weights: a number for each pair of tokens
        "v": Tone("#00755A", "#45CFA0"),  # values, and the contexts, which are mixed from them
    }
)
NEGATIVE = Tone("#5A5F66", "#9AA0A8")
PAPER = Tone("#FFFFFF", "#14171C")
PICKED = Tone("#FFD84D", "#FFD84D")  # behind or around the picked row
