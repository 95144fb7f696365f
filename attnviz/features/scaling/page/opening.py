"""How a link fills the page's controls."""

from collections.abc import Callable, Mapping
from typing import Any

from attnviz.app.scaling.controls import fill
from attnviz.link.rows.scaling import SWEEP


def fills_controls() -> Mapping[str, Callable[[Any], None]]:
    """Return what fills the controls, by the parameter that says with what."""
    return {SWEEP: fill}
