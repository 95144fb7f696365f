"""What stands around every page: the bar, the set-up over the page, messages, what is opened first."""

from playwright.sync_api import expect

from attnviz.words import say
from tests.browser.accessibility import violations
from tests.browser.board import Board
from tests.browser.looks import contrast
from tests.browser.playground import eventually, named
from tests.browser.readers import New

_INK = """element => [...getComputedStyle(element).color.matchAll(/[\\d.]+/g)].map(Number).slice(0, 3)"""


def test_the_bar_the_set_up_and_messages_are_ink_on_paper(new: New) -> None:
    board = new(Board, 1366, 768).go("/", d_in="abc", foo="1")
    expect(board.page.get_by_test_id("stAlert")).to_be_visible()
    board.setup_button.click()
    expect(board.page.get_by_label("Sentence", exact=True)).to_be_visible()
    for paper in ([255, 255, 255], [20, 23, 28]):
        if paper[0] < 255:
            board.darken()
        with named("paper", paper):
            eventually(lambda: violations(board.page), [])
            for part in (board.setup_button, board.page.get_by_role("link", name="Explore").locator("p")):
                eventually(lambda: contrast(part.evaluate(_INK), paper) > 12, True)  # noqa: B023


def test_the_set_up_says_what_it_refuses(new: New) -> None:
    board = new(Board, 1366, 768).go().torch_says()
    board.setup_button.click()
    sentence = board.page.locator(".st-key-sentence input")
    for width in (1024, 1366):
        board.page.set_viewport_size({"width": width, "height": 768})
        eventually(lambda: sentence.evaluate("each => each.scrollWidth <= each.clientWidth"), True)
    board.page.get_by_text(say("setup.who"), exact=True).click()
    temperature = board.page.get_by_label(say("setup.temperature.number"), exact=True)
    temperature.fill("0.001")
    temperature.press("Enter")
    refused = board.page.get_by_text("between 0.01 and 100.00")
    eventually(lambda: refused.evaluate("each => each.getBoundingClientRect().height") > 12, True)
    on_top = """each => {
      each.scrollIntoView({ block: 'center' });
      const {left, top} = each.getBoundingClientRect();
      return document.elementFromPoint(left + 4, top + 4) === each;
    }"""
    eventually(lambda: refused.evaluate(on_top), True)


def test_in_a_frame_of_another_page_stands_the_content_alone(new: New) -> None:
    board = new(Board, 800, 700).open_board(embed="true")
    expect(board.cell(("w_q", 0, 0))).to_be_visible()
    for part in (board.page.get_by_test_id("stTopNav"), board.page.get_by_text("Share", exact=True)):
        expect(part).to_be_hidden()
    board.page.set_viewport_size({"width": 1000, "height": 700})
    board.open("/lesson", step="scale", embed="true")
    expect(board.page.locator(".st-key-lesson_asked")).to_be_visible()
    board.page.get_by_role("button", name=say("board.sentence.edit")).click(trial=True)  # nothing lies on it
