"""Data about Explore for tests of the whole app."""

from attnviz.features.explore.page.heatmaps import heatmaps_file
from tests.pages.reader import Reader

# Component -> (type of its data, file that declares it), for tests/pages/session/test_sent_types.py.
TYPES = {
    "attnviz_heatmaps": ("Data", "attnviz/features/explore/page/heatmaps/types.js"),
    "attnviz_token_picker": ("Data", "attnviz/features/explore/page/token_picker.js"),
}


def readers() -> list[Reader]:
    """Return readers who see each component of the page."""
    return [Reader(view="heatmaps"), Reader("pages/compare.py")]


def taken_home() -> dict[str, str]:
    """Return files that a browser is sent, for tests/unit/project/test_words.py."""
    return {"heatmaps": heatmaps_file().text.decode()}
