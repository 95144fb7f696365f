"""The scaling page in a browser: a sweep that runs, is picked from, followed, kept in the address."""

import re
from typing import Self

from playwright.sync_api import Locator, expect

from attnviz.link.set_up import parameters
from attnviz.words import say
from tests.browser.playground import Playground, box_of, eventually
from tests.browser.readers import New

SMALL = "dims.2-8-64*trials.50"


class Reader(Playground):
    """A reader's browser tab with the scaling page in it."""

    def _note(self, error: str) -> None:
        # Opened at a page's own address, Streamlit first looks for its server below that address.
        if "404 (Not Found)" not in error:
            super()._note(error)

    def unfold(self) -> Self:
        """Open the settings of the sweep."""
        summary = self.page.get_by_test_id("stMain").locator("summary", has_text=say("scaling.controls.heading"))
        summary.press("Enter")  # what is above it is still coming in: a click would miss what moves
        eventually(lambda: summary.evaluate("summary => summary.parentElement.open"), True)
        return self

    def pick_point(self, curve: str, point: int, line: int = 0) -> Self:
        chart = self.page.locator(f".st-key-scaling-curve-{curve}")
        marker = chart.locator(".trace:has(.point)").nth(line).locator(".point").nth(point)
        marker.scroll_into_view_if_needed()
        marker.hover(force=True)  # the plot's own layer lies above its points
        box = box_of(marker)
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        return self

    def looks_at(self, dim: int) -> None:
        """Wait until the row, the sentence and the way to the playground are of this dimension."""
        expect(self.page.locator(".row-bars output")).to_have_text(f"d = {dim}")
        self.says(
            f"At d = {dim} theory expects a variance of {dim}, and 1 once the scores are divided by √{dim}. Measured: "
        )
        expect(self.link_to(f"Open Explore with d_out = {dim}")).to_be_visible()

    def link_to(self, label: str) -> Locator:
        return self.page.get_by_role("link", name=re.compile(rf"{label}$"))


def test_a_sweep_runs_a_point_is_picked_and_followed_to_the_playground(new: New) -> None:
    reader = new(Reader).open("/scaling", sweep=SMALL, seed=7, edits="x.0.0.0.5").unfold()
    reader.set_number("Dimensions d", "2, 4, 32")
    curve = reader.page.locator(".st-key-scaling-curve-variance")
    expect(curve.locator(".xtick text")).to_have_text(["2", "4", "32"])
    reader.page.evaluate("document.activeElement.blur()")
    reader.page.keyboard.press("p")
    eventually(lambda: curve.evaluate("place => place.scrollWidth > place.clientWidth"), False)
    reader.page.mouse.move(1, 1)
    reader.pick_point("variance", 1)
    eventually(lambda: "sweep=dims.2-4-32*trials.50*dim.4" in reader.address, True)
    reader.page.keyboard.press("Escape")
    reader.looks_at(4)
    with reader.page.context.expect_page() as opened:
        reader.link_to("Open Explore with d_out = 4").click()
    playground = opened.value
    eventually(lambda: playground.get_by_label(parameters()["d_out"].label, exact=True).input_value(), "4")
    assert playground.get_by_label(parameters()["seed"].label, exact=True).input_value() == "7"
    address = playground.evaluate("location.href")
    for part in ("d_out=4", "seed=7", "edits=x.0.0.0.5", "sweep=dims.2-4-32*trials.50*dim.4"):
        assert part in address
    assert "/scaling" not in playground.evaluate("location.pathname")
    playground.close()
    reader.page.reload()  # the page that was left open keeps its set-up
    reader.settle().unfold().looks_at(4)
    assert reader.page.get_by_label("Dimensions d", exact=True).input_value() == "2, 4, 32"
    assert reader.page.get_by_label("Trials", exact=True).input_value() == "50"


def test_the_bars_follow_the_hand_before_the_server_answers(new: New) -> None:
    """What happens to attention is predicted; then each place of the slider of d has its bars at once."""
    reader = new(Reader).open("/scaling")
    bars = reader.page.locator(".row-bars")
    expect(bars.locator("figure")).to_have_count(1)
    reader.page.get_by_role("button", name=say("scaling.predict.choice.nearly")).click()
    reader.says("As you predicted: at d = 512 the most read key gets 93 %.")
    slider = bars.locator("input")
    expect(bars.locator("figure")).to_have_count(2)
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^d = 512\. Not divided: .*93 %.* √512 "))
    reader.settle()
    reader.page.route("**/*", lambda route: route.abort())
    reader.page.evaluate("WebSocket.prototype.send = () => {}")  # nothing reaches the server from now on
    heights = ".bars i:first-child"
    seen = []
    box = box_of(slider)
    middle = box["y"] + box["height"] / 2
    reader.page.mouse.move(box["x"] + box["width"] - 14, middle)
    reader.page.mouse.down()
    for part in (0.8, 0.6, 0.4, 0.2, 0.02):
        reader.page.mouse.move(box["x"] + part * box["width"], middle, steps=3)
        weights = bars.locator(heights).evaluate_all("bars => bars.map(bar => +bar.style.getPropertyValue('--weight'))")
        seen.append((int(slider.input_value()), *weights))
    reader.page.mouse.up()
    places, raw, divided = zip(*seen, strict=True)
    assert list(places) == sorted(places, reverse=True)
    assert list(raw) == sorted(raw, reverse=True)
    assert raw[0] > 0.85 > 0.2 > raw[-1]
    assert max(divided) - min(divided) < 0.03
    slider.press("End")
    expect(bars.locator("output")).to_have_text("d = 1024")
    eventually(lambda: "dim.1024" in reader.address, True)
