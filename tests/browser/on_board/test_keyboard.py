"""Everything by keyboard alone; and what a click on a cell of a heatmap does."""

from functools import partial

import pytest
from playwright.sync_api import expect

from attnviz import Scenario, explain, trace
from attnviz.words import say
from tests.browser.board import Board
from tests.browser.playground import Playground, at_rest, eventually, is_laid, named
from tests.browser.readers import New

CONTROLS = {
    "Explore", "Learn", "Set-up", "Share",
    *(say(f"setup.{name}.label") for name in ("text", "causal", "scale", "d_in", "d_out", "n_heads", "device", "seed")),
    *(say(f"setup.{name}") for name in ("examples", "temperature.slider", "new_seed", "who", "layer", "start_over")),
    "journey", "X", "matrix editor", "Reset", "Identity", "Zeros", "Random", "Paste a table into W_q", "Undo",
}  # fmt: skip
MOST_STOPS = 110


def test_the_tab_key_reaches_every_control(playground: Playground) -> None:
    playground.edit(0, 1, 0.9).says("W_q[0, 1]: 0.5166 → 0.9000")
    reached: set[str] = set()
    playground.setup_button.click()
    for _ in range(MOST_STOPS):
        reached.add(playground.tab().removesuffix("expand_more"))
        missing = {name for name in CONTROLS if not any(each.endswith(name) for each in reached)}  # after a sign
        if not missing:
            break
    assert not missing


# A click on a heatmap's cell explains it, anywhere in the cell, and Back, reload and the link remember it


SCORE = explain(trace(Scenario(embedding="published")), "scores", 1, 5)


def to_the_top(playground: Playground, matrix: str, row: int = 0, column: int = 0) -> tuple[float, float]:
    """Scroll until a heatmap is not behind the explanation; return where a cell then stands, once it stands still: an
    explanation that comes moves it, and a busy machine draws it late."""

    def place() -> tuple[float, float]:
        playground.chart(matrix).evaluate("element => element.scrollIntoView({block: 'start'})")
        return tuple(playground.read(matrix)[row]["places"][column])

    return at_rest(playground.page, place)


def click(playground: Playground, matrix: str, row: int, column: int, right: float = 0, down: float = 0) -> None:
    x, y = to_the_top(playground, matrix, row, column)
    playground.page.mouse.click(x + right, y + down)


def test_a_click_anywhere_in_a_cell_explains_it_and_back_and_reload_bring_it_again(playground: Playground) -> None:
    clicks = (("x", 0, 2, (0, 0)), ("scores", 3, 1, (-17, -9)), ("context", 3, 1, (0, 0)), ("scores", 1, 5, (17, 9)))
    for matrix, row, column, beside in clicks:
        click(playground, matrix, row, column, *beside)
        eventually(lambda: playground.address, f"?cell={matrix}.{row}.{column}")
        playground.settle()
    playground.says(SCORE.text)
    expect(playground.page.locator(".st-key-picked_cell .katex").first).to_be_visible()
    playground.page.reload()
    playground.says(SCORE.text)
    playground.page.go_back()
    eventually(lambda: playground.address, "?cell=context.3.1")
    playground.says("Context vectors, query 3 “with”, feature 1")


# Whether the explanation lies over no heatmap, and stands right below the lines of the one that it's about.
_APART = """(explained, matrix) => {
  const box = each => each.getBoundingClientRect();
  const figures = [...document.querySelector('.st-key-playground-heatmaps [data-testid=stBidiComponentIsolated]')
    .shadowRoot.querySelectorAll('figure')];
  const about = box(figures.find(each => each.dataset.matrix === matrix));
  const over = figures.filter(each => box(each).top < box(explained).bottom - 1
    && box(each).bottom > box(explained).top + 1);
  return over.length === 0 && about.bottom <= box(explained).top + 1;
}"""


def test_what_is_said_of_a_cell_has_a_row_of_its_own_below_its_heatmap_however_late_it_grows(new: New) -> None:
    playground = new(Playground).open()
    explained = playground.page.locator(".st-key-picked_cell")
    for width, height in ((1366, 768), (390, 844)):
        playground.page.set_viewport_size({"width": width, "height": height})
        is_laid(playground.page)
        for matrix in ("q", "scores", "context"):
            playground.page.locator(f"figure[data-matrix={matrix}] .cells > span").nth(1).click()
            with named(width, matrix):
                eventually(lambda: playground.address, f"?cell={matrix}.0.1")
                expect(explained).to_be_in_viewport()
                # the element itself is another one once its explanation comes
                eventually(partial(explained.evaluate, _APART, matrix), True)
    playground.page.wait_for_timeout(2500)  # as long as a busy machine takes
    explained.evaluate("element => { element.style.paddingBottom = '300px'; }")
    eventually(partial(explained.evaluate, _APART, "context"), True)


@pytest.mark.parametrize(
    ("path", "keys", "leads_to"),
    [
        ("/lesson?predictions=off", ["PageDown", "PageDown"], "step=projections"),
        ("/lesson?step=softmax&present=1", ["Space"], "predicted=step-softmax.none"),
        ("/questions?question=root&present=1", ["Space"], "predicted=root.none"),
    ],
)
def test_keys_that_are_pressed_while_a_page_loads_are_not_lost(
    new: New, path: str, keys: list[str], leads_to: str
) -> None:
    reader = new(Playground)
    reader.page.goto(f"{reader.server}{path}", wait_until="commit")
    reader.page.locator("body").wait_for(state="attached")
    for key in keys:
        reader.page.keyboard.press(key)
    eventually(lambda: leads_to in reader.link, True)


def test_the_menu_leads_to_the_keys_by_keyboard_where_there_is_a_board(new: New) -> None:
    board = new(Board).open_board()
    menu = board.page.get_by_role("menu")
    entry = menu.get_by_role("menuitem", name=say("board.keys_list.title"))
    dialog = board.page.get_by_role("dialog", name=say("board.keys_list.title"))
    for _ in range(2):  # the menu is another one each time
        board.page.get_by_test_id("stMainMenuButton").press("Enter")
        expect(entry).to_have_count(1)
        expect(entry).to_have_attribute("aria-keyshortcuts", "?")
        board.press_keys("End")
        expect(entry).to_be_focused()
        board.press_keys("Enter")
        expect(dialog).to_be_visible()
        expect(menu).to_have_count(0)
        board.press_keys("Escape")
        expect(dialog).to_have_count(0)
    board.page.goto(f"{board.server}/history")
    board.page.get_by_test_id("stMainMenuButton").click()
    expect(menu).to_be_visible()
    expect(entry).to_have_count(0)


def test_what_hears_a_key_tells_it_to_screen_readers(new: New) -> None:
    board = new(Board).open_board(present=1)
    for name, keys in (("w_q", {"Delete", "Alt+ArrowUp", "Control+Enter", "D"}), ("scores", {"R", "Escape"})):
        grid = board.cell((name, 0, 0)).locator("xpath=ancestor::*[@role='grid']")
        assert keys <= set((grid.get_attribute("aria-keyshortcuts") or "").split()), name
    sentence = board.page.get_by_role("radiogroup", name=say("board.chips.pick"))
    expect(sentence).to_have_attribute("aria-keyshortcuts", "R")
    end = board.page.get_by_role("button", name=say("share.present.end"))
    expect(end).to_have_attribute("aria-keyshortcuts", "P Escape")
