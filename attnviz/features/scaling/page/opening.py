"""How a link fills the page's controls."""

from collections.abc import Callable, Mapping
from typing import Any

from attnviz.features.scaling.page.controls import fill
from attnviz.features.scaling.parameters import SWEEP


def fills_controls() -> Mapping[str, Callable[[Any], None]]:
    """Return the function that fills the controls, by its parameter's name."""
    return {SWEEP: fill}
