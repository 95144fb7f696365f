"""A playlist's rows of the table of links."""

from attnviz.features.share.playlist_text import MOMENT, MOST_MOMENTS, MOST_OF_PLAYLIST, PLAYLIST, PLAYLIST_TEXT
from attnviz.link.codecs import Whole
from attnviz.link.parameter import Parameter


def rows() -> tuple[Parameter, ...]:
    """Return the rows of a playlist and of its current moment."""
    return (
        Parameter(PLAYLIST, (), PLAYLIST_TEXT, MOST_OF_PLAYLIST, 2, used="links.used.none"),
        Parameter(MOMENT, 1, Whole(1, MOST_MOMENTS), 20, 2),
    )
