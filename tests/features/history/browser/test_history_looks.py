"""The history in a browser: each opened step stands in one screen, and its pictures are of the page's theme."""

import re
from functools import partial

from playwright.sync_api import WebSocketRoute, expect

from attnviz.colours.palette import DARK
from attnviz.features.history.steps import STEPS
from tests.browser.accessibility import nothing_is_found
from tests.browser.lesson import Learner
from tests.browser.looks import WATCH, look_at
from tests.browser.playground import Playground, eventually
from tests.browser.readers import New


def test_an_opened_step_of_the_history_stands_whole_in_one_screen_and_nothing_moves(new: New) -> None:
    reader = new(Learner, 1366, 768)
    reader.page.emulate_media(reduced_motion="reduce")
    page = reader.go("/history").page
    page.evaluate(WATCH)
    weights, dock = page.locator(".board .matrix[data-matrix=attention_weights]"), page.locator(".board .panel")
    above = """(weights, dock) =>
      weights.getBoundingClientRect().bottom <= dock.getBoundingClientRect().top"""
    for step in STEPS:
        page.locator(f".st-key-history_step_{step.name} button").click()
        for part in (
            page.locator(".st-key-history_told strong", has_text=step.said("title")),
            weights,
            page.locator(".st-key-history_beside .history-pictures"),  # those of the list go a moment later
        ):
            expect(part).to_be_in_viewport(ratio=1)
        high = step.name == "kept_sentence"  # the most rows are those of both sentences
        lowest = page.locator(".board .matrix[data-matrix=joined] .grid") if high else weights
        for height in (650, 768) if high or step is STEPS[0] else (768,):
            page.set_viewport_size({"width": 1366, "height": height})
            eventually(partial(lowest.evaluate, above, dock.element_handle()), True)
        eventually(lambda: look_at(page).trouble, {})
        if step is STEPS[0]:
            nothing_is_found(page)
            page.locator("[role=radio] >> nth=2").click()
            reader.settle()
        page.locator(".st-key-history-all button").click()
    assert page.evaluate("[...window.moved]") == []


def test_small_pictures_are_dark_where_the_page_became_so_before_it_was_drawn(new: New) -> None:
    reader, held, holds = new(Playground), list[str | bytes](), True
    tabs: list[WebSocketRoute] = []

    def hold(browser: WebSocketRoute) -> None:
        tabs.append(browser)
        server = browser.connect_to_server()
        server.on_message(lambda message: held.append(message) if holds else browser.send(message))

    reader.changed = True
    reader.page.route_web_socket("**/_stcore/stream", hold)
    reader.page.goto(f"{reader.server}/history")
    while len(held) < 20:  # of the run that is drawn in light
        reader.page.wait_for_timeout(100)
    reader.darken()
    holds = False
    for message in held:
        tabs[0].send(message)
    expect(reader.page.locator(".history-pictures img").first).to_have_attribute("style", re.compile(DARK.grid))
