"""The page Language model in a browser: a head is picked in the grid; its numbers are told down to the model's."""

import re
from functools import partial

import pytest
from playwright.sync_api import expect

from attnviz import look_into
from attnviz.features.language_models.inside import INCLUDED
from attnviz.features.models.parameters import first_model
from attnviz.words import say
from attnviz.words.numbers import percent, written
from tests.browser.accessibility import nothing_is_found
from tests.browser.looks import MOST, look_at
from tests.browser.playground import Playground, at_rest, box_of, eventually
from tests.browser.readers import New

PARTS = (".headline", ".sentence", ".weights", ".pattern", ".st-key-model_ways", ".st-key-model_uses")
_SAYS = """() => {
  const roots = [...document.querySelectorAll("*")].flatMap((each) => each.shadowRoot ?? []);
  const part = (selector) => roots.map((root) => root.querySelector(selector)).find(Boolean);
  const cells = [...part(".weights").querySelectorAll("tr.on td")].map((cell) => Number(cell.dataset.value));
  const ribbons = [...part(".sentence svg").querySelectorAll("svg > path")];
  return [part(".headline").textContent, ribbons.map((path) => Number(path.getAttribute("stroke-width"))), cells];
}"""


def test_all_of_a_head_stands_in_one_screen_and_a_click_changes_it(new: New) -> None:
    page = new(Playground, height=768).open("/model", model=INCLUDED).page
    expect(page.locator("canvas[data-pictures='72']")).to_be_visible()
    expect(page.get_by_test_id("stMetric")).to_be_visible()
    view = look_into("all-MiniLM-L6-v2", text=say("models.page.example"))
    it, animal = view.tokens.index("it"), view.tokens.index("animal")
    boxes = at_rest(page, lambda: [page.locator(part).first.bounding_box() for part in PARTS])
    assert max(box["y"] + box["height"] for box in boxes if box) <= (MOST["model", 1366][2] or 0), boxes
    share = percent(view.heads[3, 1].attention_weights[it, animal].item())
    expect(page.locator(".headline")).to_have_text(say("models.view.most", query="it", key="animal", share=share))
    told = {page.evaluate(_SAYS)[0]}
    for layer, head, act in ((1, 3, "hover"), (5, 11, "click")):
        getattr(page.locator(f'[data-head="{layer},{head}"]'), act)()
        headline, ribbons, cells = page.evaluate(_SAYS)  # with no answer in between
        shares = view.heads[layer, head].attention_weights[it].tolist()
        assert cells == pytest.approx(shares, rel=1e-5)
        assert max(ribbons) / sum(ribbons) == pytest.approx(max(shares), abs=0.02)
        told.add(headline)
    assert len(told) == 3
    for part in (".headline", ".sentence", ".weights"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    page.keyboard.press("ArrowLeft")  # all pictures are one stop of the Tab key
    expect(page.locator(".beside .place")).to_have_text(say("models.view.place", layer=5, head=10))


# Names of which a word is broken, or that have a third line.
_BROKEN_NAMES = """names => names.map(each => each.firstElementChild.firstChild).filter(text => {
  const range = document.createRange();
  const lines = (from, to) => {
    range.setStart(text, from);
    range.setEnd(text, to);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  };
  return lines(0, text.length) > 2
    || [...text.data.matchAll(/\\S+/g)].some(({ 0: word, index }) => lines(index, index + word.length) > 1);
}).map(text => text.data)"""


def test_the_page_opens_on_a_model_that_writes_with_its_heads_and_all_of_one_on_the_screen(new: New) -> None:
    page = new(Playground, height=768).go("/model").page
    told = set()
    for width, height in ((1366, 768), (1024, 768), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.locator('[data-head="1,2"]').click()
        page.locator('[data-head="2,0"]').click()
        parts = (".heads", ".headline", ".sentence") if width == 390 else (*PARTS[:-2], ".heads", ".next .row")
        for part in parts:
            expect(page.locator(part).first).to_be_in_viewport(ratio=1)
        told.add(page.locator(".headline").inner_text())
        cells = page.locator(".weights td[data-value]")
        if width > 390:
            expect(cells.first).to_have_text("1.00", use_inner_text=True)  # numbers, where a telephone has bars
        eventually(lambda: look_at(page).trouble, {})
        field = page.get_by_role("textbox", name=say("models.page.sentence"), exact=True)
        eventually(partial(field.evaluate, "each => innerWidth < 1366 || each.scrollWidth <= each.clientWidth"), True)
    assert len(told) == 1
    page.set_viewport_size({"width": 1366, "height": 768})
    names = page.locator(".weights tr:first-child th")
    eventually(lambda: names.evaluate_all(_BROKEN_NAMES), [])
    assert names.last.get_attribute("title") == "because"
    expect(page.locator(".sentence:not([tabindex])")).to_be_visible()  # which has no need to be moved
    page.keyboard.press("p")
    page.set_viewport_size({"width": 1920, "height": 1080})
    for part in (*PARTS[:3], ".heads"):  # what is picked, and what comes of it, are seen in a lecture room at once
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    eventually(lambda: look_at(page).trouble, {})
    expect(field).not_to_be_in_viewport()  # its words stand there as what reads


def test_a_head_is_picked_and_each_number_is_told(new: New) -> None:
    reader = new(Playground).open("/model", model_text="a cat sat on a mat")
    page = reader.page
    expect(page.locator("canvas[data-pictures='72']")).to_be_visible()
    view = look_into("all-MiniLM-L6-v2", text="a cat sat on a mat")
    page.locator('[data-head="2,5"]').click()
    expect(page).to_have_url(re.compile(r"model_head=2\.5"))
    page.reload()
    expect(page.locator('.head[aria-pressed="true"]')).to_have_attribute("data-head", "2,5")
    page.get_by_role("button", name=say("models.page.numbers")).click()
    cell = page.locator('[data-at="attention_weights,2,1"]')
    trace = view.heads[2, 5]
    expect(cell).to_be_visible()
    weight = trace.attention_weights[2, 1].item()
    eventually(lambda: float(cell.get_attribute("data-value") or "nan"), weight)
    cell.hover()
    exponent = written(trace.scaled_scores[2, 1].item(), 4)
    dock = page.get_by_role("status").filter(has_text=f"exp({exponent}) / (")
    expect(dock).to_contain_text(f"= {written(weight, 4)}")
    assert "editable" not in (cell.get_attribute("class") or "")
    nothing_is_found(page)
    assert reader.sideways <= 0
    cell.click()  # pinned: the next number to change
    page.get_by_role("button", name=say("models.change.number")).click()
    expect(page.get_by_label(say("models.change.matrix"))).to_be_visible()
    expect(page.get_by_role("button", name=say("models.change.change"))).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    page.get_by_role("button", name=say("models.page.all"), exact=True).click()
    expect(page.locator("canvas[data-pictures='72']")).to_be_visible()
    page.locator('[data-test-script-state="notRunning"]').wait_for()  # no hand is on the switch before it's drawn
    page.get_by_text(say("models.change.off"), exact=True).click()
    expect(page).to_have_url(re.compile(r"model_edits=2\.5\.off"))
    expect(page.get_by_test_id("stMetric").get_by_text(say("models.use.without"))).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".headline")).to_be_in_viewport()
    assert reader.sideways <= 0


@pytest.mark.parametrize("asked", [first_model(), {"model": INCLUDED}], ids=str)
def test_a_row_that_is_picked_is_in_one_screen_where_it_crosses_no_word_and_no_number_stands_on_its_side(
    new: New, asked: dict[str, str]
) -> None:
    page = new(Playground, height=768).open("/model", **asked).page
    page.set_viewport_size({"width": 1366, "height": 768})
    page.get_by_role("button", name=say("models.page.numbers")).click()
    band, softmax = page.locator(".board .picked-row"), page.locator(".board .op.softmax")
    expect(softmax).to_be_visible()
    tops = """band => ['.op.softmax', '.panel'].map(part =>
      band.getBoundingClientRect().bottom <= band.closest('.board').querySelector(part).getBoundingClientRect().top)"""
    eventually(lambda: band.evaluate(tops), [True, True])
    # Its columns are too narrow for numbers side by side: none stands on its side, and no name is cut off.
    sides = "all => all.filter(each => getComputedStyle(each).writingMode !== 'horizontal-tb').length"
    eventually(lambda: page.locator(".board .lens *").evaluate_all(sides), 0)
    cut = "all => [all.length > 0, all.filter(each => each.scrollWidth > each.clientWidth + 1).length]"
    eventually(lambda: page.locator(".spine .head:not(.name)").evaluate_all(cut), [True, 0])
    eventually(lambda: ((seen := look_at(page)).trouble, max(1, seen.down)), ({}, 1))


def test_the_spine_goes_from_x_through_the_ws_to_the_heads_part_of_the_output(new: New) -> None:
    reader = new(Playground).open("/model", model_text="a cat sat on a mat", model_head="2.5")
    page = reader.page
    page.get_by_role("button", name=say("models.page.numbers")).click()
    own = look_into("all-MiniLM-L6-v2", text="a cat sat on a mat").attending_at(2).output(5)
    assert own is not None
    dock = page.locator(".board .panel")

    def points_at(name: str, row: int, column: int) -> None:
        """A pointer is at whole pixels, of which each has several numbers: arrow keys reach the one that is wanted."""
        strip = page.locator(f".matrix[data-matrix={name}] .grid")
        expect(strip).to_be_visible()
        (rows, columns), box = own[name].shape, strip.bounding_box()
        assert box is not None
        strip.click(position={"x": (column + 0.5) / columns * box["width"], "y": (row + 0.5) / rows * box["height"]})
        page.keyboard.press("Escape")  # nothing is pinned
        current = strip.locator(".current")
        expect(current).to_have_attribute("data-at", re.compile(rf"{name},\d+,\d+"))
        at_row, at_column = map(int, (current.get_attribute("data-at") or "").split(",")[1:])
        assert abs(at_row - row) <= 2 * (1 + rows / box["height"])
        assert abs(at_column - column) <= 2 * (1 + columns / box["width"])
        ways = [("ArrowRight", 0, 1)] * (column - at_column) + [("ArrowLeft", 0, -1)] * (at_column - column)
        ways += [("ArrowDown", 1, 0)] * (row - at_row) + [("ArrowUp", -1, 0)] * (at_row - row)
        for key, down, right in ways:  # each has been taken before the next one is pressed
            at_row, at_column = at_row + down, at_column + right
            page.keyboard.press(key)
            expect(current).to_have_attribute("data-at", f"{name},{at_row},{at_column}")
        expect(dock).to_contain_text(written(own[name][row, column].item(), 4))

    points_at("x", 2, 200)
    points_at("w_k", 201, 3)
    points_at("w_o", 7, 300)
    points_at("output", 3, 101)
    terms = (own["context"][3].double() * own["w_o"][:, 101].double()).tolist()
    largest = max(terms, key=abs)
    context = own["context"][3, terms.index(largest)].item()
    expect(dock).to_contain_text(written(context, 4))  # the largest term is told first
    points_at("w_q", 100, 4)
    page.keyboard.press("Enter")  # pinned: the next number to change
    page.get_by_role("button", name=say("models.change.number")).click()
    chosen = page.get_by_label(say("models.change.matrix")).and_(page.locator('[value="W_q"]'))
    expect(chosen).to_be_visible()  # opened a moment before the pick was known, it's of that number then
    assert reader.sideways <= 0


_IN_SIGHT = """all => all.map(each => {
  const [box, around] = [each, each.closest(".sentence")].map(part => part.getBoundingClientRect());
  return box.left >= around.left && box.right <= around.right;
})"""


def test_on_a_telephone_a_token_and_the_one_that_it_reads_most_are_in_sight(new: New) -> None:
    reader = new(Playground)
    page = reader.page
    page.set_viewport_size({"width": 390, "height": 844})
    reader.open("/model", model_head="3.1")
    tokens = page.locator(".sentence .chip")
    expect(tokens.filter(has_text="it").first).to_be_attached()
    expect(page.locator(".sentence .chip[aria-pressed=true]")).to_have_text("it")
    expect(page.locator(".sentence path").first).to_be_attached()
    seen = dict(zip(tokens.all_text_contents(), tokens.evaluate_all(_IN_SIGHT), strict=True))
    assert seen["animal"], seen  # which it reads with 64 %
    assert seen["it"], seen
    assert not all(seen.values()), seen  # there is something to scroll


# Whether each ribbon goes from the token that reads to one that is read.
_OVER_TOKENS = """place => {
  const over = (at, chip) => at >= chip.offsetLeft - 1 && at <= chip.offsetLeft + chip.offsetWidth + 1;
  const chips = [...place.querySelectorAll(".chip")];
  const own = chips.find(chip => chip.getAttribute("aria-pressed") === "true");
  const ribbons = [...place.querySelectorAll("path")].map(path => path.getBBox()).map(({ x, width }) => [x, x + width]);
  const apart = ribbons.filter(ends => !ends.every(end => over(end, own))); // not on itself
  const overToken = end => chips.some(chip => over(end, chip));
  return apart.length > 1 && apart.every(ends => ends.some(end => over(end, own)) && ends.every(overToken));
}"""


def test_ribbons_stay_over_their_tokens_in_another_window(new: New) -> None:
    reader = new(Playground).open("/model", model_text="a cat sat on a mat")
    sentence = reader.page.locator(".sentence:has(> .words)")
    expect(sentence.locator("path").first).to_be_attached()
    for width in (1366, 390, 1366):
        reader.page.set_viewport_size({"width": width, "height": 768})
        eventually(lambda: sentence.evaluate(_OVER_TOKENS), True)


def test_on_a_telephone_a_heads_board_stands_above_its_switches(new: New) -> None:
    page = new(Playground, 390, 844).open("/model", **first_model()).page
    page.get_by_role("button", name=say("models.page.numbers")).click()
    board, switches, foot = (page.locator(each) for each in (".board", ".st-key-model_switches", ".st-key-foot"))
    expect(board).to_be_visible()
    bottom = [box_of(each)["y"] + box_of(each)["height"] for each in (board, switches)]
    assert bottom[0] <= box_of(switches)["y"] < bottom[1] <= box_of(foot)["y"]
