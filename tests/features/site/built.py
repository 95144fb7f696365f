"""The site as tests look at it: built once for a process, and its pages taken apart."""

import gzip
from functools import cache
from html.parser import HTMLParser

from attnviz.features.site.whole import site_files

APP, ADDRESS = "https://app.example.org", "https://site.example.org/attnviz/"
SOURCE = "https://code.example.org/attnviz/blob/main"


@cache
def built() -> dict[str, bytes]:
    return site_files(app=APP, address=ADDRESS, source=SOURCE)


class Parts(HTMLParser):
    """What a page loads, where it leads, what it is called by."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.tags: list[str] = []
        self.metas: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.ids |= {has["id"]} if "id" in has else set()
        self.loads += [has[name] for name in ("src", "srcset", "data-script") if name in has]
        if tag == "link":
            self.loads.append(has["href"])
        if tag == "a":
            self.links.append(has["href"])
        if tag == "meta":
            name = has.get("name") or has.get("property") or has.get("http-equiv") or ""
            self.metas[name] = has.get("content", "")


@cache
def pages() -> dict[str, Parts]:
    return {name: Parts(text.decode()) for name, text in built().items() if name.endswith(".html")}


def sent(names: set[str]) -> int:
    """How many bytes a host that compresses sends for these files."""
    return sum(len(gzip.compress(built()[name], 9)) for name in names)


def first_view(page: str) -> set[str]:
    """What a browser fetches to draw a page: all but what comes later, and pictures of those without scripts."""
    loads = {each for each in pages()[page].loads if each in built() and not each.endswith((".svg", "-data.js"))}
    loads = {each for each in loads if "-data-" not in each or each.startswith("story-data")}
    return {page, *loads}
