"""Light and dark, narrow and wide, and what an accessibility checker says."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import FloatRect, Locator

from tests.browser.accessibility import serious_trouble
from tests.browser.playground import MATRICES, PUBLISHED_CONTEXT_OF_JOURNEY, Playground

SCREENS = [(390, 844), (1366, 768), (1920, 1080)]

BRIGHTNESS = """element => {
  const [red, green, blue] = getComputedStyle(element).fill.match(/[\\d.]+/g).map(Number);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}"""


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_everything_has_its_place_on_the_screen(new_reader: Callable[..., Playground], width: int, height: int) -> None:
    playground = new_reader(width, height).open()
    playground.shows("context", "journey", PUBLISHED_CONTEXT_OF_JOURNEY)
    assert playground.sideways <= 0
    room = box_of(playground.page.get_by_test_id("stMain"))
    for figure in playground.page.get_by_role("figure").all():
        box = box_of(figure)
        assert room["x"] <= box["x"]
        assert box["x"] + box["width"] <= room["x"] + room["width"]
    if width > 1000:
        for text in ("Type a sentence, change any number", "Edit the numbers of", "attends most to itself", "Examples"):
            assert bottom_of(playground.page.get_by_text(text).first) <= height
        for matrix in ("x", "q", "k", "v"):
            assert bottom_of(playground.chart(matrix)) <= height


def box_of(element: Locator) -> FloatRect:
    box = element.bounding_box()
    assert box is not None
    return box


def bottom_of(element: Locator) -> float:
    return box_of(element)["y"] + box_of(element)["height"]


def right_of(element: Locator) -> float:
    return box_of(element)["x"] + box_of(element)["width"]


def test_at_390_pixels_a_long_sentence_stays_in_its_place(new_reader: Callable[..., Playground]) -> None:
    playground = new_reader(390, 844).open(text="The animal didn't cross the street because it was too tired", d_out=12)
    assert playground.sideways <= 0
    for row in playground.read("scores"):
        places = [x for x, _ in row["places"]]
        assert min(b - a for a, b in pairwise(places)) > 35  # the numbers stand beside each other


def test_nothing_is_cut_off_where_there_is_more_to_show(new_reader: Callable[..., Playground]) -> None:
    playground = new_reader().open(bias="true", causal="true", temperature=2, text="dog bites man")
    for matrix in MATRICES:
        title, picture = (
            playground.chart(matrix).locator(".gtitle"),
            playground.chart(matrix).locator(".main-svg").first,
        )
        assert right_of(title) <= right_of(picture)
    editor = playground.page.get_by_test_id("stColumn").filter(has_text="Edit the numbers of").first
    assert right_of(playground.page.get_by_test_id("stButtonGroup").get_by_text("b_v")) <= right_of(editor)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_can_be_read_by_eyes_and_by_screen_readers(new_reader: Callable[..., Playground], scheme: str) -> None:
    playground = new_reader(color_scheme=scheme).open(causal="true", bias="true", edits="w_q.0.1.0.9*w_v.zeros")
    playground.says("W_q[0, 1]: 0.5166 → 0.9000")
    for text in (".gtitle", ".ytick text", ".xtick text"):
        shade = playground.chart("scores").locator(text).first.evaluate(BRIGHTNESS)
        assert shade < 100 if scheme == "light" else shade > 155
    assert serious_trouble(playground.page) == []
