"""What tests of the whole app are told of Explore."""

from attnviz.features.explore.page.heatmaps import heatmaps_file
from tests.pages.reader import Reader

# What the page's component is sent, and where that is declared: tests/pages/session/test_sent_types.py.
TYPES = {"attnviz_heatmaps": ("Data", "attnviz/features/explore/page/heatmaps/types.js")}


def readers() -> list[Reader]:
    """Readers who see each component of the page."""
    return [Reader(view="heatmaps"), Reader("pages/compare.py")]


def taken_home() -> dict[str, str]:
    """What a browser is sent: tests/unit/project/test_words.py."""
    return {"heatmaps": heatmaps_file().text.decode()}
