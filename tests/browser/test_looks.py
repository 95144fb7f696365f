"""Light and dark, narrow and wide, and what an accessibility checker says."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise

from playwright.sync_api import FloatRect, Locator

from tests.browser.accessibility import serious_trouble
from tests.browser.looks import BRIGHTNESS
from tests.browser.playground import MATRICES, PUBLISHED_CONTEXT_OF_JOURNEY, Playground, eventually
from tests.whole import dear

SCREENS = [(390, 844), (1366, 768), (1920, 1080)]


def test_everything_has_its_place_on_the_screen(new_reader: Callable[..., Playground]) -> None:
    playground = new_reader(*SCREENS[0]).open()
    for width, height in SCREENS:
        playground.page.set_viewport_size({"width": width, "height": height})
        playground.shows("context", "journey", PUBLISHED_CONTEXT_OF_JOURNEY)
        eventually(partial(out_of_place, playground, width, height), [])


def out_of_place(playground: Playground, width: int, height: int) -> list[str]:
    """What sticks out to a side, or does not stand on the first screen of a laptop or a projector but should."""
    found = ["the page"] if playground.sideways > 0 else []
    room = box_of(playground.page.get_by_test_id("stMain"))
    for figure in playground.page.get_by_role("figure").all():
        box = box_of(figure)
        if box["x"] < room["x"] or box["x"] + box["width"] > room["x"] + room["width"]:
            found.append(str(figure.get_attribute("aria-label")))
    if width > 1000:
        texts = ("Edit the numbers of", "reads itself most", "Set-up", "Share")
        found += [text for text in texts if bottom_of(playground.page.get_by_text(text).first) > height]
        first = ("x", "q", "k", "v") if width > 1900 else ("x", "q")  # a laptop has the others in a second line
        found += [matrix for matrix in first if bottom_of(playground.chart(matrix)) > height]
    return found


def box_of(element: Locator) -> FloatRect:
    box = element.bounding_box()
    assert box is not None
    return box


def bottom_of(element: Locator) -> float:
    return box_of(element)["y"] + box_of(element)["height"]


def right_of(element: Locator) -> float:
    return box_of(element)["x"] + box_of(element)["width"]


@dear
def test_at_390_pixels_a_long_sentence_stays_in_its_place(new_reader: Callable[..., Playground]) -> None:
    playground = new_reader(390, 844).open(text="The animal didn't cross the street because it was too tired", d_out=12)
    assert playground.sideways <= 0
    for row in playground.read("scores"):
        places = [x for x, _ in row["places"]]
        assert min(b - a for a, b in pairwise(places)) > 35  # the numbers stand beside each other


@dear
def test_nothing_is_cut_off_where_there_is_more_to_show(new_reader: Callable[..., Playground]) -> None:
    playground = new_reader().open(bias="true", causal="true", temperature=2, text="dog bites man")
    for matrix in MATRICES:
        picture = playground.chart(matrix)
        assert picture.locator(".title").evaluate("title => title.scrollWidth <= title.clientWidth")
        assert right_of(picture.locator(".columns > span").last) <= right_of(picture) + 1
    editor = playground.page.get_by_test_id("stColumn").filter(has_text="Edit the numbers of").first
    assert right_of(playground.page.get_by_test_id("stButtonGroup").get_by_text("b_v")) <= right_of(editor)


@dear
def test_a_page_can_be_read_by_eyes_and_by_screen_readers(new_reader: Callable[..., Playground]) -> None:
    playground = new_reader().open(causal="true", bias="true", edits="w_q.0.1.0.9*w_v.zeros")
    playground.says("W_q[0, 1]: 0.5166 → 0.9000")
    assert max(brightness_of_texts(playground)) < 100
    assert serious_trouble(playground.page) == []
    playground.darken()
    eventually(lambda: min(brightness_of_texts(playground)) > 155, True)
    assert serious_trouble(playground.page) == []


def brightness_of_texts(playground: Playground) -> list[float]:
    texts = (playground.chart("scores").locator(text).first for text in (".title", ".rows > span", ".columns > span"))
    return [float(text.evaluate(BRIGHTNESS)) for text in texts]
