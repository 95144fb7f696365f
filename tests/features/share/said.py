"""Data about Share for tests of the whole app."""

from attnviz.features.share.playlist_text import PLAYLIST_TEXT, moments_of
from tests.pages.reader import Reader

# Component -> (type of its data, file that declares it), for tests/pages/session/test_sent_types.py.
TYPES = {
    "attnviz_copy_link": ("Data", "attnviz/features/share/page/copy_link.js"),
    "attnviz_playlist": ("Data", "attnviz/features/share/page/playlist.js"),
}


def readers() -> list[Reader]:
    """Return readers who see each component of Share."""
    from tests.features.share.pages.test_share import Sharing

    return [Sharing(), Reader(playlist=PLAYLIST_TEXT.encode(moments_of("/lesson First\n/scaling Second\n")))]
