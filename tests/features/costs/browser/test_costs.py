"""The page on costs in a browser: the slider of tiles, which no server is needed for."""

from typing import Self

from playwright.sync_api import expect

from attnviz.words import say
from tests.browser.playground import Playground
from tests.browser.readers import New


class Reader(Playground):
    """A reader's tab with the page on costs in it."""

    def _note(self, error: str) -> None:
        # Opened at a page's own address, Streamlit first looks for its server below that address.
        if "404 (Not Found)" not in error:
            super()._note(error)

    def without_server(self) -> Self:
        self.page.route("**/*", lambda route: route.abort())
        self.page.evaluate("WebSocket.prototype.send = () => {}")
        return self


def test_the_slider_reads_tile_after_tile_without_asking_the_server(new: New) -> None:
    reader = new(Reader).open("/costs", text="the cat sat on a mat", query="1")
    tiles = reader.page.locator(".tiles")
    slider = tiles.locator("input")
    expect(tiles.locator(".keys li")).to_have_count(6)
    expect(tiles.locator("li.read")).to_have_count(2)
    reader.settle().without_server()
    slider.press("ArrowRight")
    expect(tiles.locator("li.read")).to_have_count(4)
    expect(tiles.locator("li.now")).to_have_count(2)
    expect(tiles.locator("li").nth(4)).to_have_accessible_name(say("costs.tiles.unread", key="a", score=(
        tiles.locator(".score").nth(4).text_content())))  # fmt: skip
    slider.press("End")
    expect(tiles.locator("li.read")).to_have_count(6)
    ends = tiles.locator(".told").text_content() or ""
    context = tiles.locator(".output dd").text_content() or ""
    assert say("costs.tiles.ends", plain=context) in ends
