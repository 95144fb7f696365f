"""The scripts of the app's components as browsers are sent them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attnviz.scripts import joined, shortened


def script(entry: Path, sent: Mapping[str, Any] | None = None) -> str:
    """Return a script joined of its modules, see :func:`attnviz.scripts.joined`, and made short."""
    return shortened(joined(entry, sent))
