"""What opens on Explore, and what is compared: axe finds nothing. Of each page, test_looks.py asks it."""

from collections.abc import Callable

from attnviz.words import say
from tests.browser.accessibility import nothing_is_found
from tests.browser.lesson import Learner
from tests.browser.playground import at_rest


def test_nothing_is_found_in_what_opens_on_explore_and_of_what_is_compared(new_learner: Callable[..., Learner]) -> None:
    reader = new_learner(1366, 768).go("/", example="fluffy-cat")

    def button(name: str) -> None:
        reader.page.get_by_role("button", name=name, exact=True).first.click()

    button(say("board.plane.why", share="61 %"))
    reader.page.locator(".plane").wait_for()
    nothing_is_found(reader.page)
    reader.page.keyboard.press("Escape")
    button(say("setup.heading"))
    for group in reader.page.locator(".st-key-setup summary").all():
        group.click()
    nothing_is_found(reader.page)
    button(say("setup.heading"))
    button(say("share.button"))
    reader.page.get_by_test_id("stPopoverBody").wait_for()
    nothing_is_found(reader.page)
    reader.page.keyboard.press("Escape")
    button(say("board.views.what_if"))
    for tab in ("steps", "mask", "others"):
        reader.page.get_by_role("tab", name=say(f"what_if.tabs.{tab}")).click()
        nothing_is_found(reader.page)
    button(say("board.views.keep"))
    reader.page.get_by_role("button", name=say("board.views.kept"), exact=True).click()
    reader.page.locator(".js-plotly-plot").first.wait_for()
    nothing_is_found(reader.page)
    reader.open("/", "board", causal="true", edits="w_q.0.1.0.9")
    at_rest(reader.page, lambda: reader.page.locator("*").count())
    nothing_is_found(reader.page)
