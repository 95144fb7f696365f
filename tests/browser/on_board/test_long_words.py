"""A word of 120 letters, as in a pasted address, makes no page wider than the screen."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from attnviz import Scenario
from attnviz.link.codecs import pack
from attnviz.link.set_up import query_of
from tests.browser.lesson import Learner
from tests.browser.playground import eventually

WORDS = f"{'W' * 120} cat {'W' * 119}x"
A = pack(query_of(Scenario(f"dog {'M' * 120} dog", embedding="published")))
VIEWS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/", {"cell": "scores.0.2"}),
    ("/", {"view": "heatmaps", "cell": "scores.0.2"}),
    ("/lesson", {"step": 1}),
    ("/lesson", {"step": 9}),
    ("/compare", {"pinned": A}),
)


SCREENS = ((1500, 800), (390, 844))


@pytest.mark.parametrize(("path", "address"), VIEWS)
def test_no_page_is_wider_than_the_screen(
    new_learner: Callable[..., Learner], path: str, address: dict[str, Any]
) -> None:
    learner = new_learner(*SCREENS[0]).open(path, **({"view": "board"} | address), text=WORDS, query=0)
    learner.page.get_by_test_id("stMain").get_by_role("heading").first.wait_for()
    for width, height in SCREENS:
        learner.page.set_viewport_size({"width": width, "height": height})
        eventually(lambda: learner.sideways <= 0, True)
        labels = learner.page.locator("[data-testid=stCheckbox] [data-testid=stMarkdownContainer]")
        cut = "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)"
        eventually(partial(labels.evaluate_all, cut), [])
