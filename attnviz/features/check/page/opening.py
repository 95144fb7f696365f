"""How a link fills the pages' controls."""

from collections.abc import Callable, Mapping
from typing import Any

from attnviz.features.check.page import blanks, typed
from attnviz.features.check.parameters import ANSWERS, TABLES


def fills_controls() -> Mapping[str, Callable[[Any], None]]:
    """Return each link parameter's function that fills its controls."""
    return {TABLES: typed.fill, ANSWERS: blanks.fill}
