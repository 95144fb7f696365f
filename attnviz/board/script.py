"""The board's script, with the sentences and constants that Python sends."""

import re
from pathlib import Path
from typing import Any

import torch

from attnviz import typed_numbers
from attnviz.board.data import FITS
from attnviz.colours.palette import ROLES
from attnviz.core.rules.explaining import numbers
from attnviz.core.stages import BY_DISTANCE, CAPPED, DISTANCE_BIAS, DIVIDED, MASK
from attnviz.explanation import sentences, summary
from attnviz.scripts import CONTROLS, SLIDER, joined

_HERE = Path(__file__).parent
_FLOAT32 = torch.finfo(torch.float32)

CONSTANTS: dict[str, Any] = {
    "FITS": FITS,
    "FLOAT32": {"name": "float32", "max": _FLOAT32.max, "eps": _FLOAT32.eps, "tiny": _FLOAT32.tiny},
    "READABLE": numbers.READABLE,
    "FAR": numbers.FAR,
    "LONG": numbers.LONG,
    "SAME": summary.SAME,
    "NAMED": summary.NAMED,
    "BY_CHANCE": summary.BY_CHANCE,
    "TOLD": sentences.MOST_NUMBERS,
    "MASK": MASK,
    "ADDED_TO_SCORES": [MASK, BY_DISTANCE, DISTANCE_BIAS, DIVIDED, CAPPED],
    "LONGEST_TYPED": typed_numbers.MAX_CHARACTERS,
}
# The order matters: of rules that are equally specific, a later one wins.
_LOOKS = ("board", "sentence", "spine", "cells", "pointing", "plane", "dock", "story", "heads")
_OF_ROLES = [f".role-{role} {{ --role: var(--role-{role}); }}\n" for role in ROLES]
_COMMENTS = re.compile(r"/\*.*?\*/\n?|^ +", re.S | re.M)  # indentation goes, too: browsers need neither
_STYLES = [*_OF_ROLES, *((_HERE / "looks" / f"{name}.css").read_text() for name in _LOOKS)]
BOARD_STYLE = _COMMENTS.sub("", "".join(_STYLES))


def board_script(plane: str) -> str:
    """Return the script of the app's board, which fetches `plane` when needed."""
    return joined(_HERE / "hosts" / "app.js", {"CONSTANTS": CONSTANTS, "PLANE": plane})


def plane_script() -> str:
    """Return the script that draws the plane, "Why these scores?"."""
    return joined(_HERE / "plane" / "plane_script.js", {"CONSTANTS": CONSTANTS})


def alone_script() -> str:
    """Return the script of a board on a page without a server."""
    return joined(_HERE / "hosts" / "page.js", {"CONSTANTS": CONSTANTS, "STYLE": CONTROLS + SLIDER + BOARD_STYLE})


def notebook_script(letters: str, style: str) -> str:
    """Return the script of a notebook's board; `letters` are WOFF2 in base64."""
    sent = {"CONSTANTS": CONSTANTS, "STYLE": CONTROLS + SLIDER + BOARD_STYLE + style, "LETTERS": letters}
    return joined(_HERE / "hosts" / "notebook.js", sent)
