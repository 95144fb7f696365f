"""Links from one feature to another."""

from attnviz.app.session import url_texts
from attnviz.app.session.address import PLAYGROUND, go_to
from attnviz.link.ways import Way


def follow(way: Way) -> None:
    """Follow a way to another feature; in a callback."""
    for name, text in way.query.items():
        url_texts.send(name, text)
    go_to(PLAYGROUND if way.page == "playground" else way.page)
