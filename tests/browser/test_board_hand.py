"""The board under the hand: mouse and keys on a board that stands alone in a page, without a server behind it."""

import re
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import attnviz
from attnviz import Scenario
from attnviz.app.shell.letters import app_letters
from attnviz.board.data import board_data
from attnviz.board.script import BOARD_SCRIPT, BOARD_STYLE
from attnviz.colours.palette import LETTERS
from attnviz.core.scenario import traced
from attnviz.explanation import before_edits
from attnviz.words import say
from tests.browser.board import DRAG_STARTS, Place
from tests.browser.cells import number_in, shows_number
from tests.browser.looks import contrast

W_Q = ("w_q", 0, 0)
# The app's own letters, by which numbers have room or not.
LETTERS_AS_CSS = (
    f"@font-face {{ font-family: '{LETTERS}'; font-weight: 200 900; "
    f"src: url(data:font/woff2;base64,{b64encode(app_letters() or b'').decode()}) format('woff2'); }}"
)
WAITS = say("board.status.waiting")

_MOUNT = """async ([source, style, data]) => {
  const script = await import(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})));
  const root = document.body.attachShadow({mode: 'open'});
  root.innerHTML = '<style></style><div class="board"></div>';
  root.firstChild.textContent = style;
  window.told = [];
  window.receive = (changed) => script.default({
    parentElement: root, data: {...data, ...changed},
    setTriggerValue: (name, value) => name === 'changes' && told.push(value)});
  receive({});
}"""

LIGHT = "--st-text-color: #1a1d21; --st-background-color: #ffffff; background: #ffffff"
DARK = "--st-text-color: #eceff3; --st-background-color: #14171c; background: #14171c"

# Of every lit cell: the colours of page, outer tone, inner tone and cell.
_MARKS = """() => [...document.body.shadowRoot.querySelectorAll('.source, .chosen')].map(cell => {
  const style = getComputedStyle(cell);
  const [, inner, width] = style.boxShadow.match(/(rgb[^)]+\\)) 0px 0px 0px (\\d+)px inset/);
  const colours = [getComputedStyle(document.body).backgroundColor, style.outlineColor, inner, style.backgroundColor];
  const number = document.createRange();
  number.selectNodeContents(cell);
  const [text, box] = [number, cell].map(each => each.getBoundingClientRect());
  return {
    colours: colours.map(colour => colour.match(/\\d+/g).map(Number)),
    inside: width - -parseFloat(style.outlineOffset),
    free: Math.min(text.left - box.left, box.right - text.right) - width,
  };
})"""

_LONGEST = """() => [...document.body.shadowRoot.querySelectorAll('.cell[data-at^=scores]')].reduce(
  (most, cell) => (cell.textContent.length > most.textContent.length ? cell : most)).dataset.at"""


# Where every cell, title and sentence below a matrix is, and how large.
_PLACES = """() => [...document.body.shadowRoot.querySelectorAll('.cell, .title, .head, .name, .op, .legend')].map(
  element => {
  const {x, y, width, height} = element.getBoundingClientRect();
  return [x, y, width, height];
})"""

# The cells that their number does not fit into.
_CUT = """() => [...document.body.shadowRoot.querySelectorAll('.cell')].filter(
  cell => cell.scrollWidth > cell.clientWidth || cell.scrollHeight > cell.clientHeight).map(cell => cell.textContent)"""


class LoneBoard:
    """A board and whoever uses it; it has no Python to answer it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def cell(self, place: Place) -> Any:
        return self.page.locator(f'[data-at="{place[0]},{place[1]},{place[2]}"]')

    def button(self, name: str) -> Any:
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def panel(self) -> Any:
        return self.page.locator(".panel")

    @property
    def status(self) -> Any:
        return self.page.locator(".status")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def drag(self, place: Place, *steps: int) -> None:
        """Drag a cell sideways to so many steps from where it was, one after the other, and hold it there."""
        box = self.cell(place).bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        x += DRAG_STARTS if steps[0] > 0 else -DRAG_STARTS
        for each in steps:
            self.page.mouse.move(x + 4 * each, y)

    def chooses(self, place: Place) -> None:
        """Wait until this cell is the one that is explained."""
        expect(self.page.locator(".chosen")).to_have_attribute("data-at", ",".join(map(str, place)))

    @property
    def told(self) -> list[list[tuple[str, float | None]]]:
        """The edits that Python was told of, message by message."""
        sent = self.page.evaluate("told.map(({edits}) => edits)")
        return [[(f"{e['matrix']},{e['row']},{e['column']}", e["value"]) for e in edits] for edits in sent]


def mounted(browser: Browser, scenario: Scenario, style: str = "", **data: object) -> Page:
    page = browser.new_context(viewport={"width": 1366, "height": 900}, reduced_motion="reduce").new_page()
    page.set_content(f"<style>{LETTERS_AS_CSS} body {{ font: 14px '{LETTERS}', sans-serif; {style} }}</style>")
    page.evaluate(f"document.fonts.load('14px {LETTERS}')")
    own = board_data(scenario, attnviz.trace(scenario), 1, 4) | {"answered": 0, "lit": None} | data
    page.evaluate(_MOUNT, [BOARD_SCRIPT, BOARD_STYLE, own])
    return page


@pytest.fixture
def board(chromium: Browser) -> Iterator[LoneBoard]:
    page = mounted(chromium, Scenario(embedding="published"))
    yield LoneBoard(page)
    page.context.close()


# --- A look at a number changes nothing ----------------------------------------------------------------------


def test_a_number_that_is_opened_and_left_as_it_is_is_not_edited(board: LoneBoard) -> None:
    for leave in (lambda: board.cell(("x", 0, 0)).click(), lambda: board.press("Enter")):
        board.cell(W_Q).dblclick()
        assert board.page.evaluate("document.body.shadowRoot.activeElement.value") == "0.2961"  # of 0.29611194
        leave()
        expect(board.page.locator(".typed")).to_have_count(0)
    assert board.told == []
    board.cell(W_Q).dblclick()
    board.page.keyboard.type("0.3")
    board.press("Enter")
    assert board.told == [[("w_q,0,0", 0.3)]]


def box_of(element: Locator) -> dict[str, float]:
    box = element.bounding_box()
    assert box is not None
    return {"x": box["x"], "y": box["y"], "width": box["width"], "height": box["height"]}


def test_the_box_to_type_into_is_its_cells_own_in_a_presentation_too(board: LoneBoard) -> None:
    for zoom in (1, 1.75):  # by which a presentation enlarges the page
        board.page.evaluate("zoom => (document.body.style.zoom = zoom)", zoom)
        board.cell(("w_k", 2, 1)).dblclick()
        cell, typed = board.cell(("w_k", 2, 1)), board.page.locator(".typed")
        its, own = box_of(typed), box_of(cell)
        assert [its[part] for part in ("x", "y", "height")] == pytest.approx(
            [own[part] for part in ("x", "y", "height")], abs=0.6
        )
        assert its["width"] >= own["width"] - 0.6  # and more where all digits take more
        board.page.keyboard.type("−12.345678")
        longer = board.page.locator(".typed")
        assert box_of(longer)["height"] == pytest.approx(box_of(cell)["height"], abs=0.6)
        assert longer.evaluate("input => input.scrollWidth <= input.clientWidth"), "all that is typed is seen"
        board.press("Escape")


def test_a_number_dragged_back_to_where_it_was_is_not_edited(board: LoneBoard) -> None:
    board.drag(W_Q, 10, 0)
    board.page.mouse.up()
    expect(board.status).to_contain_text(say("board.status.checked"))
    shows_number(board.cell(W_Q), "0.2961")
    assert board.told == []


@pytest.mark.parametrize("pixels", [3, -4, 7])
def test_a_hand_that_trembles_pins_a_cell_and_changes_nothing(board: LoneBoard, pixels: int) -> None:
    box = board.cell(W_Q).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    board.page.mouse.move(x, y)
    board.page.mouse.down()
    board.page.mouse.move(x + pixels, y + 2)
    board.page.mouse.up()
    expect(board.button("Unpin")).to_be_visible()
    shows_number(board.cell(W_Q), "0.2961")
    assert board.told == []
    board.cell(("context", 3, 0)).hover()
    board.chooses(W_Q)
    board.cell(W_Q).click()
    board.cell(("context", 3, 0)).hover()
    board.chooses(("context", 3, 0))


def test_a_drag_counts_from_where_it_began_and_pins_nothing(board: LoneBoard) -> None:
    board.drag(W_Q, 1)
    shows_number(board.cell(W_Q), "0.3061")
    board.page.mouse.up()
    expect(board.button("Unpin")).to_have_count(0)
    ((told,),) = board.told
    assert told[0] == "w_q,0,0"
    assert told[1] == pytest.approx(0.3061, abs=1e-4)


def test_escape_gives_a_dragged_number_back(board: LoneBoard) -> None:
    board.cell(("q", 1, 0)).focus()
    board.press("Enter")
    board.drag(W_Q, 10)
    shows_number(board.cell(W_Q), "0.3961")
    board.press("Escape")
    shows_number(board.cell(W_Q), "0.2961")
    board.page.mouse.move(0, 0)
    board.page.mouse.up()
    expect(board.status).to_contain_text(say("board.status.checked"))
    assert board.told == []
    board.chooses(("q", 1, 0))  # what is pinned stays pinned


def test_a_second_finger_neither_moves_nor_ends_a_drag_nor_begins_another(board: LoneBoard) -> None:
    other = ("w_q", 1, 1)
    before = number_in(board.cell(other))
    touch = """([type, pointerId, at, clientX]) => {
      const cell = document.body.shadowRoot.querySelector(`[data-at="${at}"]`);
      cell.dispatchEvent(new PointerEvent(type, {pointerId, clientX, button: 0, bubbles: true, composed: true}));
    }"""
    for step in (
        ("pointerdown", 1, "w_q,0,0", 100), ("pointerdown", 2, "w_q,1,1", 300), ("pointermove", 1, "w_q,0,0", 148),
        ("pointermove", 2, "w_q,1,1", 400), ("pointerup", 2, "w_q,1,1", 400), ("pointermove", 1, "w_q,0,0", 188),
    ):  # fmt: skip
        board.page.evaluate(touch, list(step))
    shows_number(board.cell(W_Q), "0.4961")
    assert board.told == []
    board.page.evaluate(touch, ["pointerup", 1, "w_q,0,0", 188])
    ((told,),) = board.told
    assert told[0] == "w_q,0,0"
    assert told[1] == pytest.approx(0.4961, abs=1e-4)
    shows_number(board.cell(other), before)


def test_it_says_who_computes_while_and_after_an_edit(board: LoneBoard) -> None:
    board.drag(W_Q, 10)
    expect(board.status).to_have_text(say("board.status.preview"))
    board.page.mouse.up()
    expect(board.status).to_have_text(WAITS)
    board.page.evaluate("receive({answered: told[0].number})")
    expect(board.status).to_contain_text(say("board.status.checked"))
    board.cell(W_Q).focus()
    board.press("Alt+ArrowUp")
    expect(board.status).to_have_text(WAITS)


def test_a_changed_cell_is_told_as_changed_before_torch_answers(board: LoneBoard) -> None:
    scenario = Scenario(embedding="published")
    origin = before_edits(scenario, "w_q", 0)
    given = say("explanation.given.origin", origin=origin)
    changed = say("explanation.given.edited", before="0.2961", origin=origin)
    board.cell(W_Q).click()
    expect(board.panel).to_contain_text(given)
    board.page.keyboard.type("0.9")
    board.press("Enter")
    expect(board.panel).to_contain_text(changed)
    board.press("Delete")  # torch has not heard of the first change either
    expect(board.panel).to_contain_text(given)
    shows_number(board.cell(W_Q), "0.2961")

    board.drag(W_Q, 10)
    expect(board.panel).to_contain_text(changed)
    board.page.mouse.up()
    expect(board.status).to_have_text(WAITS)
    expect(board.panel).to_contain_text(changed)


@pytest.mark.parametrize("key", ["Process", "Unidentified", "Dead"])
def test_what_an_input_method_makes_of_a_key_is_typed_into_the_cell(board: LoneBoard, key: str) -> None:
    board.cell(W_Q).focus()
    for composed, typed in (("−", "3"), ("√", "2")):
        _begin_to_compose(board, key)
        expect(board.page.locator(".typed")).to_have_value("")
        browser = board.page.context.new_cdp_session(board.page)
        browser.send("Input.imeSetComposition", {"text": composed, "selectionStart": 1, "selectionEnd": 1})
        board.press("Enter")  # takes what is composed, and no more
        browser.send("Input.insertText", {"text": composed})
        board.page.keyboard.type(typed)
        expect(board.page.locator(".typed")).to_have_value(composed + typed)
        board.press("Enter")
    assert board.told == [[("w_q,0,0", -3)]]
    expect(board.panel).to_contain_text(say("typed.no_number", text="“√2”"))

    _begin_to_compose(board, key)
    board.press("Enter")
    expect(board.page.locator(".typed")).to_have_count(0)
    assert len(board.told) == 1, "a composition that is left changes nothing"


def _begin_to_compose(board: LoneBoard, key: str) -> None:
    browser = board.page.context.new_cdp_session(board.page)
    for kind in ("rawKeyDown", "keyUp"):
        browser.send("Input.dispatchKeyEvent", {"type": kind, "key": key, "windowsVirtualKeyCode": 229})


@pytest.mark.parametrize("modifier", ["none", "Option", "AltGraph"])
def test_a_character_beyond_ascii_opens_the_box_whatever_it_takes_to_type_it(board: LoneBoard, modifier: str) -> None:
    for first, then in (("−", "3"), ("√", "2")):
        board.cell(W_Q).focus()
        pressed = {"key": first, "altKey": modifier == "Option", "modifierAltGraph": modifier == "AltGraph"}
        pressed |= {"ctrlKey": True, "altKey": True} if modifier == "AltGraph" else {}  # as on Windows
        pressed |= {"bubbles": True, "composed": True, "cancelable": True}
        board.cell(W_Q).dispatch_event("keydown", pressed)
        board.page.keyboard.type(then)
        expect(board.page.locator(".typed")).to_have_value(first + then)
        board.press("Enter")
    assert board.told == [[("w_q,0,0", -3)]]
    expect(board.panel).to_contain_text(say("typed.no_number", text="“√2”"))


def test_nothing_moves_when_a_dragged_number_gets_one_character_more(board: LoneBoard) -> None:
    before = board.page.evaluate(_PLACES)
    board.drag(W_Q, -50)
    shows_number(board.cell(W_Q), "−0.2039")
    assert board.page.evaluate(_PLACES) == before
    board.page.mouse.up()
    board.press("Alt+ArrowDown")
    shows_number(board.cell(W_Q), "−0.2139")
    assert board.page.evaluate(_PLACES) == before


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
@pytest.mark.parametrize("text", ["Your journey starts with one step", "to be"])
def test_nothing_moves_whatever_the_numbers_the_mask_and_the_messages(
    chromium: Browser, size: tuple[int, int], text: str
) -> None:
    page = mounted(chromium, Scenario(text, embedding="published"))
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_timeout(200)  # for the board to lay its cells anew
    before = page.evaluate(_PLACES)
    longest = (("w_q", 0, 0, -123.4567), ("w_k", 1, 1, -1e-7), ("x", 0, 0, -9876.5432))
    for changed in (
        {"temperature": 0.1}, {"temperature": 10.0}, {"causal": True}, {"causal": True, "temperature": 0.125},
        {"scale": False}, {"edits": longest}, {"edits": (("x", 0, 0, 3e38),)},
    ):  # fmt: skip
        scenario = Scenario(text, embedding="published", **changed)
        page.evaluate("data => receive(data)", board_data(scenario, traced(scenario), 1, 4))
        page.wait_for_timeout(100)  # cells out of view are written once the rest is painted
        assert page.evaluate(_PLACES) == before, changed
        assert page.evaluate(_CUT) == [], changed
    LoneBoard(page).cell(W_Q).focus()
    page.keyboard.type("x")
    page.keyboard.press("Enter")
    expect(page.locator(".message")).not_to_be_empty()
    assert page.evaluate(_PLACES) == before
    page.context.close()


# --- The way to the panel, and from cell to cell -------------------------------------------------------------


def test_a_clicked_cell_is_kept_on_the_way_to_its_buttons(board: LoneBoard) -> None:
    board.cell(("x", 5, 0)).focus()
    board.cell(("scores", 1, 2)).hover()
    board.panel.hover()  # straight from the cell, while another has the focus
    board.chooses(("scores", 1, 2))
    board.cell(("scores", 1, 2)).click()
    for on_the_way in (("scores", 5, 5), ("context", 3, 0)):
        board.cell(on_the_way).hover()
        board.chooses(("scores", 1, 2))
    board.button("Go to K").click()
    board.cell(("context", 3, 0)).hover()
    board.chooses(("k", 2, 0))
    board.button("Unpin").click()
    board.page.mouse.click(1300, 880)  # beside the board: pointing counts again
    board.cell(("context", 3, 0)).hover()
    board.chooses(("context", 3, 0))
    board.drag(W_Q, 3)
    board.page.mouse.up()
    board.cell(("scores", 0, 1)).hover()
    board.chooses(("scores", 0, 1))


def test_the_cell_with_the_focus_is_told_from_the_one_that_is_pinned(chromium: Browser) -> None:
    page = mounted(chromium, Scenario(embedding="published"), LIGHT)
    board = LoneBoard(page)
    pinned, source, other = ("scores", 0, 0), ("q", 0, 1), ("attention_weights", 5, 1)
    board.cell(pinned).click()
    looks = []
    for place in (source, other):
        board.cell(place).focus()
        board.press("ArrowLeft", "ArrowRight")  # the focus shows where it was moved by a key
        board.chooses(pinned)
        looks.append(look_of(board, place))
    assert looks[0]["outlineStyle"] == looks[1]["outlineStyle"] == "dashed"
    assert look_of(board, pinned)["outlineStyle"] == "solid"
    # The outer tone stands out from the page, the inner one from the cell.
    paper, outer = (channels(looks[1][part]) for part in ("backgroundColor", "outlineColor"))
    inner = channels(looks[1]["boxShadow"].partition(")")[0])
    assert contrast([255, 255, 255], outer) >= 3
    assert contrast(paper, inner) >= 3
    board.cell(pinned).focus()
    assert look_of(board, pinned)["outlineStyle"] == "solid"
    page.context.close()


def test_places_that_are_not_filled_have_frames_in_the_row_of_the_query_too(chromium: Browser) -> None:
    only = {"matrix": "scores", "row": 1, "column": 0}
    page = mounted(chromium, Scenario(embedding="published"), LIGHT, only=only, lit=only)
    board = LoneBoard(page)
    (of_query, frame) = (look_of(board, ("scores", row, 3))["boxShadow"] for row in (1, 2))
    assert of_query == frame != "none"
    page.context.close()


def look_of(board: LoneBoard, place: Place) -> dict[str, str]:
    """Return how a cell is drawn, by the names of its styles."""
    parts = ["outlineStyle", "outlineColor", "backgroundColor", "boxShadow"]
    get = "(cell, parts) => Object.fromEntries(parts.map(part => [part, getComputedStyle(cell)[part]]))"
    return dict(board.cell(place).evaluate(get, parts))


def channels(colour: str) -> list[int]:
    return [int(channel) for channel in re.findall(r"\d+", colour)]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_what_is_lit_stands_out_from_page_and_cell(chromium: Browser, theme: str) -> None:
    page = mounted(chromium, Scenario(embedding="published", init="normal", edits=[("w_q", 0, 0, 9.0)]), theme)
    board = LoneBoard(page)
    page.set_viewport_size({"width": 1366, "height": 768})  # letters as small as they get
    longest = page.evaluate(_LONGEST).split(",")
    for place in (("attention_weights", 1, 2), ("context", 1, 1), (longest[0], int(longest[1]), int(longest[2]))):
        board.cell(place).hover()
        board.chooses(place)
        marks = page.evaluate(_MARKS)
        assert len(marks) > 3
        for mark in marks:
            paper, outer, inner, cell = mark["colours"]
            assert contrast(paper, outer) >= 3
            assert contrast(inner, cell) >= 3
            assert mark["inside"] >= 1  # of the inner tone is seen beside the outer one
            assert mark["free"] >= 0  # no part of the number is covered
    page.context.close()


def test_keys_lead_to_the_buttons_of_a_cell_and_back(board: LoneBoard) -> None:
    board.cell(("scores", 1, 2)).focus()
    board.press("Control+Enter")
    expect(board.button("Go to Q")).to_be_focused()
    board.press("Escape")
    expect(board.cell(("scores", 1, 2))).to_be_focused()
    board.press("Control+Enter", "Tab", "Enter")
    expect(board.cell(("k", 2, 0))).to_be_focused()
    board.press("Control+Enter", "Enter")
    expect(board.cell(("x", 2, 0))).to_be_focused()
    expect(board.panel).to_contain_text("0.5700")


def test_the_way_back_is_offered_only_where_steps_led(board: LoneBoard) -> None:
    board.cell(("scores", 1, 2)).click()
    board.button("Go to K").click()
    expect(board.button("Back")).to_be_visible()
    board.cell(("context", 0, 0)).click()
    expect(board.button("Go to V")).to_be_visible()
    expect(board.button("Back")).to_have_count(0)
    board.button("Go to V").click()
    board.button("Back").click()
    board.chooses(("context", 0, 0))
    expect(board.button("Back")).to_have_count(0)
    board.cell(("k", 2, 0)).click()
    expect(board.button("Back")).to_have_count(0)


def test_a_block_for_a_computed_matrix_or_too_long_is_told(board: LoneBoard) -> None:
    paste = """text => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', text);
      document.body.shadowRoot.activeElement.dispatchEvent(
        new ClipboardEvent('paste', {clipboardData, bubbles: true, composed: true}));
    }"""
    board.cell(("q", 0, 0)).focus()
    board.page.evaluate(paste, "1")
    expect(board.panel).to_contain_text(say("board.paste.computed", symbol="Q"))
    board.cell(W_Q).focus()
    board.page.evaluate(paste, "1\t2\n" * 100)
    expect(board.panel).to_contain_text("Pasted 6 numbers. 194 fell outside the matrix.")
