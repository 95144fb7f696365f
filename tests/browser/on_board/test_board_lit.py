"""The board under eyes and hand: what is lit, and the way from a cell to its panel and to other cells."""

from functools import partial

import pytest
from playwright.sync_api import Browser, Page

from attnviz import Scenario
from tests.browser.lone_board import DARK, LIGHT, W_Q, LoneBoard, mounted
from tests.browser.looks import contrast
from tests.browser.playground import at_rest, eventually

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


# What a band crosses of all that can be read; and whether the words between scores and weights stand still.
_CROSSED = """() => {
  const all = (selector) => [...document.body.shadowRoot.querySelectorAll(selector)];
  const written = all('.cell, .head, .title > *, .name, .op, .stages, .legend span');
  const texts = written.filter(each => each.textContent && !each.matches('.gone'));
  const bands = all('.bands .band').map(each => each.getBoundingClientRect());
  const crosses = (band, box) => box.left < band.right - 1 && band.left < box.right - 1
    && box.top < band.bottom - 1 && band.top < box.bottom - 1;
  const crossed = texts.filter(each => bands.some(band => crosses(band, each.getBoundingClientRect())));
  return [bands.length, crossed.map(each => each.dataset.at ?? each.textContent)];
}"""
# What the scale of the weights' colours lies on, or goes beyond.
_UNDER_THE_SCALE = """() => {
  const all = (selector) => [...document.body.shadowRoot.querySelectorAll(selector)];
  const [end, parts] = [all('.spine')[0], all('.legend span')].map(each => each.length
    ? each.map(one => one.getBoundingClientRect()) : each.getBoundingClientRect());
  const lies = (one, other) => one.left < other.right - 0.5 && other.left < one.right - 0.5
    && one.top < other.bottom - 0.5 && other.top < one.bottom - 0.5;
  const under = all('.cell').filter(cell => parts.some(part => lies(part, cell.getBoundingClientRect())));
  return [parts.length, under.map(cell => cell.dataset.at), parts.filter(part => part.right > end.right + 0.5).length];
}"""
_RIBBON_AND_TEXT = """() => {
  const all = selector => [...document.body.shadowRoot.querySelectorAll(selector)];
  const widest = all('.ribbon').map(each => each.getBoundingClientRect().right
    + parseFloat(getComputedStyle(each).strokeWidth) / 2);
  return [Math.max(...widest), all('.says')[0].getBoundingClientRect().left];
}"""
_OPS = "() => [...document.body.shadowRoot.querySelectorAll('.op')].map(each => each.getBoundingClientRect().top)"


@pytest.mark.parametrize("width", [1366, 1920])
def test_a_band_crosses_no_number_and_no_word(chromium: Browser, width: int) -> None:
    shown = {"sentence": True, "plane": True, "tips": [], "ghosts": [], "fresh": [], "notes": {}, "scaled": True}
    for scenario in (Scenario(embedding="published"), Scenario("a b", d_v=3, output=True, norm="pre")):
        page = mounted(chromium, scenario, LIGHT, **shown)
        board = LoneBoard(page)
        page.set_viewport_size({"width": width, "height": 900})
        n, last = 0, len(scenario.tokens) - 1
        ops = at_rest(page, partial(page.evaluate, _OPS))
        for row in (0, last):
            page.locator(".chip").nth(row).click()
            for matrix in ("q", "scaled_scores", "attention_weights", "context"):
                place = (matrix, row, 1)
                board.cell(place).hover()
                board.chooses(place)
                eventually(partial(_crossed, page), [])
                n += page.evaluate(_CROSSED)[0]
            eventually(partial(page.evaluate, _OPS), ops)  # whatever row is picked
        assert n >= 6
        page.context.close()


def _crossed(page: Page) -> list[str]:
    return list(page.evaluate(_CROSSED)[1])


@pytest.mark.parametrize("some", [None, ("x", "attention_weights")])
def test_the_scale_of_colours_lies_on_no_number_and_is_whole(chromium: Browser, some: tuple[str, ...] | None) -> None:
    for scenario in (Scenario("cat", d_out=3), Scenario("a cat", causal=True, d_out=3), Scenario("a b c", causal=True)):
        shown = {} if some is None else {"shown": list(some)}
        page = mounted(chromium, scenario, LIGHT, query=0, sentence=True, **shown)
        parts, under, beyond = page.evaluate(_UNDER_THE_SCALE)
        assert parts == 4
        assert (under, beyond) == ([], 0)
        page.context.close()


@pytest.mark.parametrize("text", ["cat", "a"])
def test_what_a_word_reads_of_itself_lies_under_no_text(chromium: Browser, text: str) -> None:
    page = mounted(chromium, Scenario(text), LIGHT, query=0, sentence=True)
    page.set_viewport_size({"width": 1366, "height": 768})
    ribbon, said = at_rest(page, lambda: page.evaluate(_RIBBON_AND_TEXT))
    assert ribbon < said
    page.context.close()


def test_with_forced_colours_what_is_picked_and_dragged_is_seen(chromium: Browser) -> None:
    page = mounted(chromium, Scenario("the fluffy cat"), LIGHT, query=1, sentence=True, whatIf=["w_q"])
    page.emulate_media(forced_colors="active")
    colour = "(all) => all.map((each) => getComputedStyle(each).backgroundColor)"
    the, fluffy = page.locator(".chip").evaluate_all(colour)[:2]
    assert the != fluffy
    knob, line, paper = (
        page.locator(each).evaluate_all(colour)[0] for each in (".ruler-knob", ".ruler-line", ".board")
    )
    assert paper not in (knob, line)
    assert len(set(page.locator("[data-matrix=scores] .cell").evaluate_all(colour))) > 3, "colours of numbers"
    page.context.close()
