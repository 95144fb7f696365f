"""Data about the page Scaling for tests of the whole app."""

from collections.abc import Callable, Mapping
from typing import Any

import attnviz
from attnviz.features.scaling import curves
from attnviz.features.scaling.page import sweeps

# Modules with public calls, and their arguments, for tests/unit/project/public_calls.py.
MODULES = ("attnviz.features.scaling.curves",)
BY_NAME: Mapping[str, Callable[[], Any]] = {"curve": lambda: curves.CURVES[0]}
OTHERWISE: Mapping[str, Mapping[str, Callable[[], Any]]] = {
    "curve_spec": {"table": lambda: attnviz.sweep_scaling((2,), 2, 0)},
}


def held() -> list[object]:
    """Return objects that sessions share, for tests/unit/server/test_server.py."""
    return [sweeps.shared()]
