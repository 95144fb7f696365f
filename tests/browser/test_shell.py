"""What stands around every page: the bar, the set-up over the page, messages, what is opened first."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import FloatRect, Locator, expect

from attnviz.words import say
from tests.browser.accessibility import serious_trouble
from tests.browser.board import Board
from tests.browser.lesson import Learner
from tests.browser.looks import contrast
from tests.browser.playground import Playground, eventually
from tests.whole import dear

PAGES = ("", "lesson", "questions", "compare", "model", "learn", "history", "scaling", "check")
FLUFFY_READS_CAT = ("attention_weights", 1, 2)
BAR = 48
# Where everything of a page is, apart from what lies over it.
_PLACES = """() => Object.fromEntries([...document.querySelectorAll('.stMain [class*=st-key-]')]
  .filter(each => !each.closest('.st-key-messages, .st-key-setup, .st-key-connection_place'))
  .map(each => [each.className, each.getBoundingClientRect()])
  .map(([name, {x, y, width, height}]) => [name, [x, y, width, height]]))"""
_INK = """element => [...getComputedStyle(element).color.matchAll(/[\\d.]+/g)].map(Number).slice(0, 3)"""
# What leads elsewhere and has neither a frame nor a line under its words.
_NO_LINKS = """() => {
  const shown = [...document.querySelectorAll('a[href], [data-testid=stBaseButton-tertiary]:not(:disabled)')].filter(
    each => each.checkVisibility({visibilityProperty: true}) && each.textContent.trim()
      && !each.closest('[data-testid=stTopNav], [data-testid=stSidebarNav]'));
  const isFramed = each => {
    const {borderTopWidth, borderTopColor} = getComputedStyle(each);
    return parseFloat(borderTopWidth) > 0 && !/, 0\\)$|transparent/.test(borderTopColor);
  };
  const isUnderlined = each => [each, ...each.querySelectorAll('*')].some(
    part => part.textContent.trim() && getComputedStyle(part).textDecorationLine.includes('underline'));
  return shown.filter(each => !isFramed(each) && !isUnderlined(each)).map(each => each.textContent);
}"""


def box_of(element: Locator) -> FloatRect:
    box = element.bounding_box()
    assert box is not None
    return box


def share_button(reader: Playground) -> Locator:
    return reader.page.get_by_role("button", name=re.compile(f"^{say('share.button')}"))


@dear
def test_set_up_and_share_stand_at_one_place_on_every_page(new_learner: Callable[..., Learner]) -> None:
    reader = new_learner()
    places: dict[int, list[tuple[FloatRect, FloatRect]]] = {1366: [], 390: []}
    for page in PAGES:
        reader.go(f"/{page}", sweep="dims.2-4*trials.10")
        for width, seen in places.items():
            reader.page.set_viewport_size({"width": width, "height": 768})
            expect(share_button(reader)).to_be_visible(timeout=60_000)
            expect(reader.setup_button).to_be_visible(timeout=60_000)
            eventually(lambda: box_of(share_button(reader))["x"] < width, True)  # noqa: B023 called at once
            seen.append((box_of(reader.setup_button), box_of(share_button(reader))))
            assert all(box["y"] >= 0 and box["y"] + box["height"] <= BAR for box in seen[-1])
            assert all(box["x"] + box["width"] <= width for box in seen[-1])
            if page not in ("", "lesson"):  # what a board takes is its own tests' matter
                eventually(lambda: reader.sideways <= 0, True)
    assert [seen == [seen[0]] * len(PAGES) for seen in places.values()] == [True, True], places


@dear
def test_a_page_begins_below_the_bar(new_board: Callable[..., Board]) -> None:
    board = new_board(1366, 768).go()
    first = board.page.locator(".stMainBlockContainer [data-testid=stBidiComponentIsolated]").locator("visible=true")
    assert box_of(first.first)["y"] <= 62
    current = board.page.get_by_test_id("stTopNav").locator("[aria-current=page]")
    expect(current).to_have_text(say("app.playground.title"))
    assert box_of(current)["y"] + box_of(current)["height"] <= BAR
    assert board.page.get_by_test_id("stSidebar").locator("visible=true").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_bar_the_set_up_and_messages_are_ink_on_paper(new_board: Callable[..., Board], scheme: str) -> None:
    board = new_board(1366, 768, color_scheme=scheme).go("/", d_in="abc", foo="1")
    expect(board.page.get_by_test_id("stAlert")).to_be_visible()
    board.setup_button.click()
    expect(board.page.get_by_label("Sentence", exact=True)).to_be_visible()
    eventually(lambda: serious_trouble(board.page), [])
    paper = [255, 255, 255] if scheme == "light" else [20, 23, 28]
    for part in (board.setup_button, board.page.get_by_role("link", name="Lesson").locator("p")):
        assert contrast(part.evaluate(_INK), paper) > 12


@dear
def test_nothing_moves_when_a_message_comes_or_goes(new_board: Callable[..., Board]) -> None:
    board = new_board(1366, 768).go("/", example="fluffy-cat").torch_says()
    before = board.settle().page.evaluate(_PLACES)
    board.type_sentence("word " * 3000)
    expect(board.page.locator(".st-key-messages")).to_be_visible()
    told = new_board(1366, 768).go("/", example="fluffy-cat", d_in="abc")
    told.torch_says()
    message = told.page.locator(".st-key-messages")
    expect(message).to_be_visible()
    assert told.page.evaluate(_PLACES) == before
    told.press(say("messages.close"))
    expect(message).to_be_hidden()
    assert told.page.evaluate(_PLACES) == before


def test_the_set_up_covers_nothing_that_it_changes_and_says_what_it_refuses(new_board: Callable[..., Board]) -> None:
    board = new_board(1366, 768).go().torch_says()
    board.setup_button.click()
    rights = (
        "[...document.querySelectorAll('[class*=-board] [data-testid=stBidiComponentIsolated]')].flatMap("
        "each => [...each.shadowRoot.querySelectorAll('.cell')]).map(each => each.getBoundingClientRect().right)"
    )
    covered = f"({rights}).some(each => each > document.querySelector('.st-key-setup').getBoundingClientRect().left)"
    eventually(lambda: board.page.evaluate(covered), False)
    temperature = board.page.get_by_label("Temperature", exact=True)
    temperature.fill("0.001")
    temperature.press("Enter")
    refused = board.page.get_by_text("between 0.01 and 100.00")
    eventually(lambda: refused.evaluate("each => each.getBoundingClientRect().height") > 12, True)
    assert refused.evaluate("each => document.elementFromPoint(...['left', 'top'].map("
                            "side => each.getBoundingClientRect()[side] + 4)) === each")  # fmt: skip


def test_where_there_is_no_room_the_set_up_opens_over_the_page_and_moves_nothing(
    new_board: Callable[..., Board],
) -> None:
    board = new_board(1024, 768).go().torch_says()
    before = board.settle().page.evaluate(_PLACES)  # the foot is drawn last
    board.setup_button.click()
    expect(board.page.get_by_label("Sentence", exact=True)).to_be_visible()
    assert board.page.evaluate(_PLACES) == before
    board.page.get_by_label("Sentence", exact=True).press("Escape")
    expect(board.page.get_by_label("Sentence", exact=True)).to_be_hidden()
    expect(board.setup_button).to_be_focused()


def test_controls_of_a_closed_set_up_keep_their_values_over_pages_back_and_reload(
    new_board: Callable[..., Board],
) -> None:
    board = new_board().go("/", seed=7, temperature=2, bias="true")
    board.switch("Causal mask")
    kept = {"seed=7", "temperature=2", "bias=true", "causal=true"}
    for act in (
        lambda: board.go_to("Lesson"),
        lambda: board.go_to("Playground"),
        board.page.go_back,
        board.page.reload,
    ):
        act()
        board.page.wait_for_selector('[data-test-script-state="notRunning"]')
        eventually(lambda: kept <= set(board.address[1:].split("&")), True)
        expect(board.page.get_by_label("Seed", exact=True)).to_have_value("7")


@pytest.mark.parametrize("page", ["questions", "check"])
def test_pages_with_examples_of_their_own_say_so_in_place_of_the_set_up(
    new_learner: Callable[..., Learner], page: str
) -> None:
    reader = new_learner().go(f"/{page}", seed=7)
    reader.setup_button.click()
    reader.says(say("setup.elsewhere"))
    expect(reader.page.get_by_label("Seed", exact=True)).to_be_hidden()
    expect(reader.page.get_by_label("Seed", exact=True)).to_have_value("7")


@dear
def test_a_bare_address_opens_what_means_something_and_keeps_what_is_changed(new_board: Callable[..., Board]) -> None:
    board = new_board()
    board.page.goto(f"{board.server}/_stcore/health")
    entries = board.page.evaluate("history.length")
    board.go()
    expect(board.cell(FLUFFY_READS_CAT)).to_have_text("0.61")
    eventually(lambda: "text=the+fluffy+cat" in board.address, True)
    most = 50  # entries that a browser keeps
    assert board.page.evaluate("history.length") == min(entries + 1, most)  # one Back leads away
    board.type_over(("w_q", 1, 0), "-2")
    expect(board.cell(FLUFFY_READS_CAT)).to_have_text("0.01")
    eventually(lambda: "w_q.1.0.-2.0" in board.address, True)
    board.page.reload()
    expect(board.settle().cell(FLUFFY_READS_CAT)).to_have_text("0.01")
    board.use_example("Your journey starts with one step")
    eventually(lambda: "text=" in board.link, False)
    eventually(lambda: "example=published" in board.page.evaluate("location.search"), True)
    board.page.reload()
    expect(board.settle().page.get_by_label("Sentence", exact=True)).to_have_value("Your journey starts with one step")


def test_on_a_telephone_the_pages_are_in_a_menu(new_learner: Callable[..., Learner]) -> None:
    reader = new_learner(390, 844).go()
    reader.page.get_by_test_id("stExpandSidebarButton").click()
    reader.page.get_by_role("link", name="Lesson").click()
    reader.page.wait_for_url("**/lesson*")
    expect(reader.page.get_by_label("Sentence", exact=True)).to_have_value("the fluffy cat chased a mouse")


@dear
def test_links_look_like_links(new_learner: Callable[..., Learner]) -> None:
    reader = new_learner()
    found = {}
    for page in (*PAGES, "questions?question=values", "lesson?step=softmax"):
        reader.go(f"/{page}").settle()
        expect(reader.page.locator(".st-key-foot").first).to_be_visible(timeout=60_000)
        found[page] = reader.page.evaluate(_NO_LINKS)
    assert {page: texts for page, texts in found.items() if texts} == {}
