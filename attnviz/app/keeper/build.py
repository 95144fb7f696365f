"""What is running: the version, its commit, and torch's."""

import os
import subprocess
from functools import cache
from pathlib import Path

import torch

from attnviz import __version__

_COMMIT = "ATTNVIZ_COMMIT"
_CHECKOUT = Path(__file__).parents[3]
_SHOWN = 9  # characters of a commit


@cache
def commit() -> str:
    """Return the commit that this is: as the image says, or the checkout; blank where neither does.

    An image or a package may lie inside of somebody else's checkout: only one of this very folder counts.
    """
    told = os.environ.get(_COMMIT, "")
    if not told and (_CHECKOUT / ".git").exists():
        ask = ["git", "-C", str(_CHECKOUT), "rev-parse", "HEAD"]
        try:
            told = subprocess.run(ask, capture_output=True, text=True, timeout=5, check=True).stdout.strip()
        except (OSError, subprocess.SubprocessError):
            return ""
    return told[:_SHOWN]


def version() -> str:
    """Return the version, with the commit where it is known: `0.1.0 (3a6354b07)`."""
    return f"{__version__} ({commit()})" if commit() else __version__


def torch_version() -> str:
    """Return torch's version, which says what it was built for."""
    return str(torch.__version__)
