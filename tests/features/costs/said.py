"""Data about the page on costs for tests of the whole app."""

from collections.abc import Callable, Mapping
from typing import Any

import attnviz
from attnviz.features.costs.page.curve import TURNS
from tests.pages.reader import Reader

# Public calls, for tests/unit/project/public_calls.py and test_wrong_types.py.
NAMED = {"tiles"}
OTHERWISE: Mapping[str, Mapping[str, Callable[[], Any]]] = {
    "tiles": {"scores": lambda: [[1.0, 2.0]], "values": lambda: [[1.0], [2.0]]},
}
WRONG: Mapping[str, Callable[[], Any]] = {
    "values has shape (1, 1), expected (..., 2, d_v) to fit scores (1, 2)": lambda: attnviz.tiles([[1.0, 2.0]], [[1]]),
}
# Component -> (type of its data, file that declares it), for tests/pages/session/test_sent_types.py.
TYPES = {"attnviz_tiles": ("Data", "attnviz/features/costs/page/tiles.js")}


def readers() -> list[Reader]:
    """Return readers who see each component of the page."""
    return [Reader("pages/costs.py")]


def held() -> list[object]:
    """Return objects that sessions share, for tests/unit/server/test_server.py."""
    return [TURNS]
