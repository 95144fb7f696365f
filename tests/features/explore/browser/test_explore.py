"""Explore as somebody sees it who comes first: what stands there, the one thing to do, and what it does."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Self

import pytest
from playwright.sync_api import Locator, Route, expect

from attnviz.core.matrix_input import Edit
from attnviz.core.scenario import traced
from attnviz.published import OPENING, starting_points
from attnviz.words import say
from tests.browser.board import Board
from tests.browser.looks import contrast, look_at, luminance
from tests.browser.playground import box_of, eventually, is_laid, named
from tests.browser.readers import New

TOY = ("w_q", 1, 0)  # 2.00
# The page's colour, and of each matrix those of its cells and their digits.
_COLOURS = """board => {
  const channels = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const found = {};
  for (const cell of board.querySelectorAll('.cell')) {
    const { backgroundColor, color } = getComputedStyle(cell);
    (found[cell.dataset.at.split(',')[0]] ??= []).push([backgroundColor, color].map(channels));
  }
  return [channels(getComputedStyle(board).backgroundColor), found];
}"""


# The page's colour, and those of bars.
_BARS = """all => [getComputedStyle(all[0].closest('.board')).backgroundColor,
  ...all.map(each => getComputedStyle(each).backgroundImage.match(/rgb\\([^)]*\\)/)[0])]"""


# Which lines come near the ruler that don't end before it, and go on behind it.
_CROSSED = """board => {
  const line = board.querySelector('.ruler-line'), { left, right, top, bottom } = line.getBoundingClientRect();
  const { borderTopColor: paper, borderTopWidth: high } = getComputedStyle(line), at = (top + bottom) / 2;
  const near = [...board.querySelectorAll('.lead')].filter(lead => {
    const from = lead.ownerSVGElement.getBoundingClientRect();
    return Array.from({ length: 800 }, (_, n) => lead.getPointAtLength(lead.getTotalLength() * n / 799))
      .some(({ x, y }) => from.left + x > left && from.left + x < right && Math.abs(from.top + y - at) < 6);
  });
  const hides = parseFloat(high) >= 6 && paper === getComputedStyle(board).backgroundColor;
  return near.length && hides ? [] : near.map(lead => lead.getAttribute('class'));
}"""


# Which names in a picture lie over the point of a key, over another name, or on an arrow.
_NAMED_OVER_SOMETHING = """plane => {
  const boxOf = each => each.getBoundingClientRect();
  const meet = (one, other) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
  const names = [...plane.querySelectorAll('.names span:not(.gone)')].map(each => {
    const range = document.createRange();
    range.selectNodeContents(each);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    return { text: each.textContent, left: left + 1, right: right - 1, top: top + 4, bottom: bottom - 4 };
  });
  const points = [...plane.querySelectorAll('circle')].map(boxOf);
  const from = boxOf(plane.querySelector('svg'));
  const lines = plane.matches('.mixes') ? '.main' : '.arrow, .main'; // pale ones of the mix may run under a name
  const onLines = [...plane.querySelector('svg').querySelectorAll(lines)].flatMap(path => {
    const all = path.getTotalLength();
    return Array.from({ length: all ? 200 : 0 }, (_, n) => path.getPointAtLength(all * n / 199))
      .map(({ x, y }) => ({ left: from.left + x, right: from.left + x, top: from.top + y, bottom: from.top + y }));
  });
  return names.flatMap((name, at) => {
    const over = [...points, ...names.slice(at + 1), ...onLines].find(other => meet(name, other));
    return over ? [[name.text, over]] : [];
  });
}"""


class Newcomer(Board):
    """Somebody who opens the app for the first time."""

    def arrive(self) -> Self:
        self.go()
        expect(self.board).to_have_class(re.compile("newcomer"))
        self.torch_says()
        return self

    @property
    def knob(self) -> Locator:
        return self.board.locator(".ruler-knob")

    @property
    def headline(self) -> Locator:
        return self.board.locator(".says b")


def test_the_first_thing_to_do_takes_one_stroke(new: New) -> None:
    reader = new(Newcomer, 1366, 768).arrive()
    token, key = "fluffy", "cat"
    expect(reader.board.locator(".ruler")).to_contain_text(say("board.ruler.promise", token=token, key=key))
    expect(reader.board.locator(".what")).to_have_text(say("board.sentence.what"))
    expect(reader.headline).to_have_text("“fluffy” reads “cat” most: 61 %")
    assert reader.board.evaluate(_CROSSED) == []
    expect(reader.board.locator(".head.name")).to_have_count(6)  # of V's rows
    for matrix, aside in (("scores", "grey"), ("attention_weights", "rounded")):  # as two digits add up to 0.99
        named = reader.board.locator(f".matrix[data-matrix={matrix}] .short:visible").last
        expect(named).to_have_text(say(f"board.matrix.{aside}"))
    x, y = reader.grab(reader.knob)
    reader.page.mouse.move(x - 70, y, steps=4)
    # 50 pixels are 1: the largest number of W_q is 2, and twice that takes 200.
    expect(reader.cell(TOY)).to_have_text("0.60")
    expect(reader.headline).to_have_text(say("board.reads.change", token=token, key=key, was="61 %", now="29 %"))
    assert veiled(reader, ("w_q", 1, 0), ("q", 1, 0), ("scores", 1, 2), ("attention_weights", 1, 2), ("v", 2, 0)) == []
    others = (("q", 2, 0), ("scores", 2, 2), ("attention_weights", 3, 2), ("context", 0, 0), ("w_k", 0, 0))
    assert veiled(reader, *others) == list(others)
    veil, names = (box_of(reader.board.locator(each).last) for each in (".veil", ".head.name"))
    assert veil["x"] + veil["width"] >= names["x"] + names["width"], "all of each name beside V stands behind it"
    tick = reader.board.locator(".ruler-line i").first
    at = box_of(tick)
    for beside in (0, 1):  # a hand drops it on a printed number
        reader.page.mouse.move(at["x"] + at["width"] / 2 + beside, y)
        expect(reader.cell(TOY)).to_have_text(f"{tick.inner_text()}.00")
    changed = reader.board.locator(".cell[data-changed]").evaluate_all("all => all.map(each => each.dataset.at)")
    assert changed
    assert {at.split(",")[1] for at in changed if not at.startswith("w_q")} == {"1"}, "in the row that is told alone"
    reader.page.mouse.move(x - 150, y, steps=4)
    reader.page.mouse.up()
    expect(reader.cell(TOY)).to_have_text("−1.00")
    expect(reader.page.locator(".st-key-new_here")).to_have_count(0)  # whose place stays, or the board would be new
    expect(reader.board.locator(".undo")).to_contain_text("2.00 → −1.00")
    expect(reader.headline).not_to_contain_text("“cat”")
    expect(reader.board.locator(".says .even")).to_contain_text("“fluffy” reads “cat”: 61 % → ")
    expect(reader.board).not_to_have_class(re.compile("pointing"))  # one looks at all that it did
    expect(reader.board).not_to_have_class(re.compile("newcomer"))
    expect(reader.knob).to_be_hidden()
    reader.page.go_back()
    expect(reader.cell(TOY)).to_have_text("2.00")
    expect(reader.headline).to_have_text("“fluffy” reads “cat” most: 61 %")
    expect(reader.board.locator(".says .even")).not_to_contain_text("→")
    expect(reader.board.locator(".undo")).to_be_hidden()
    reader.go()
    expect(reader.knob).to_be_hidden()  # a second visit


_MANY = "the quick brown fox jumps over the lazy dog while the cat sleeps on a mat in sun"


# No two that follow each other have as many words.
OWN = ("my dog likes bread", " ".join(_MANY.split()[:13]), "the dog likes bread", _MANY)


def test_own_words_are_told_to_be_made_up_and_the_picked_row_has_its_numbers(new: New) -> None:
    reader = new(Newcomer, 1366, 768).arrive()
    for text in OWN:
        with named(text):
            _types_its_own(reader, text)


def _types_its_own(reader: Newcomer, text: str) -> None:
    reader.board.get_by_role("button", name=say("board.sentence.edit")).click()
    reader.board.locator("input.text").fill(text)
    reader.press_keys("Enter")
    expect(reader.board.get_by_role("radio")).to_have_count(len(text.split()))
    x = reader.board.locator(".matrix[data-matrix=x]")
    expect(x.locator(".head")).to_have_text(["noun", "adjective", "verb"])  # which each word's row says
    expect(x.locator(".title")).not_to_contain_text("random")  # as nothing in it is
    expect(reader.headline).to_contain_text(say("words.made_up", finding=""))
    for name in ("scores", "attention_weights"):
        row = reader.board.locator(f".cell[data-at^='{name},1,']")
        expect(row).to_have_count(len(text.split()))
        eventually(lambda: all(row.all_inner_texts()), True)  # noqa: B023
    reader.torch_says()
    tools, chips = (box_of(reader.board.locator(each)) for each in (".tools", ".ribbons"))
    beside = tools["x"] > chips["x"] + chips["width"] or tools["y"] > chips["y"] + chips["height"]
    assert beside, "what is done with the words lies over no arc"


def test_a_pointer_that_rests_where_words_come_lights_none_until_it_moves(new: New) -> None:
    reader = new(Newcomer, 1366, 768).arrive()
    place = box_of(reader.board.locator(".chip").nth(3))
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    reader.board.get_by_role("button", name=say("board.sentence.edit")).click()
    reader.board.locator("input.text").fill("my dog likes brown bread")
    reader.page.mouse.move(x, y)
    reader.press_keys("Enter")
    expect(reader.board.get_by_role("radio")).to_have_count(5)
    reader.torch_says()
    reader.page.wait_for_timeout(500)
    picked = reader.board.locator(".chip.on").inner_text()
    under = reader.board.evaluate("(board, [x, y]) => board.getRootNode().elementFromPoint(x, y).textContent", [x, y])
    assert under in "my dog likes brown bread"
    assert under != picked
    expect(reader.headline).to_contain_text(f"“{picked}” reads")
    reader.page.mouse.move(x + 2, y + 1)
    expect(reader.headline).to_contain_text(f"“{under}” reads")


def veiled(reader: Newcomer, *places: tuple[str, int, int]) -> list[tuple[str, int, int]]:
    """Which of these cells stand behind the veil."""
    expect(reader.board).to_have_class(re.compile("pointing"))
    under = "each => !each.matches('.fed, .source, .chosen')"
    return [place for place in places if reader.cell(place).evaluate(under)]


def test_shift_leads_it_finer_escape_takes_it_back_and_keys_change_it_too(new: New) -> None:
    reader = new(Newcomer, 1366, 768).arrive()
    x, y = reader.grab(reader.cell(TOY))
    reader.page.mouse.move(x - 20, y)
    reader.page.keyboard.down("Shift")
    reader.page.mouse.move(x - 50, y)
    expect(reader.cell(TOY)).to_have_text("1.90")
    reader.page.keyboard.up("Shift")
    reader.page.mouse.move(x - 53, y)
    expect(reader.cell(TOY)).to_have_text("0.94")
    reader.press_keys("Escape")
    reader.page.mouse.up()
    expect(reader.cell(TOY)).to_have_text("2.00")
    expect(reader.knob).to_be_visible()
    reader.type_over(TOY, "-1")
    expect(reader.headline).not_to_contain_text("cat")


@contextmanager
def finger(on: Locator, way: float, aside: float = 0) -> Iterator[None]:
    """Touch beside the middle of something, and move sideways; afterwards the finger is lifted."""
    box = box_of(on)
    x, y = box["x"] + box["width"] / 2 + aside, box["y"] + box["height"] / 2
    hand = on.page.context.new_cdp_session(on.page)
    for kind, part in (("touchStart", 0.0), *(("touchMove", n / 4) for n in range(1, 5))):
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x + way * part, "y": y}]})
    yield
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_finger_slides_it(new: New) -> None:
    reader = new(Newcomer, 390, 844, touched=True)
    reader.page.set_viewport_size({"width": 1366, "height": 768})  # of a wide screen that is touched
    reader.arrive()
    with finger(reader.knob, -150):
        expect(reader.headline).to_have_text(re.compile("61\u00a0% → "))
    expect(reader.cell(TOY)).to_have_text("−1.00")
    expect(reader.headline).not_to_contain_text("cat")
    reader.page.evaluate("localStorage.clear()")
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.arrive()
    slider = reader.board.locator(".toy .slider")
    expect(reader.board.locator(".toy")).to_contain_text(say("board.ruler.promise", token="fluffy", key="cat"))
    box = box_of(slider)
    assert box["height"] >= 44
    low, high = (float(slider.get_attribute(end) or "nan") for end in ("min", "max"))
    one = (box["width"] - 44) / (high - low)  # in pixels
    with finger(slider, -3 * one, (2 - (low + high) / 2) * one):
        expect(reader.headline).to_have_text(re.compile("61\u00a0% → "))
    assert float(slider.input_value()) == pytest.approx(-1, abs=0.2)
    expect(reader.headline).not_to_contain_text("cat")
    after = box_of(slider)
    assert abs(after["y"] - box["y"]) < 44, "it stays under the finger"
    expect(reader.board.locator(".slider:visible")).to_have_count(1)
    reader.cell(("x", 1, 1)).tap()
    expect(reader.board.locator(".toy")).to_have_count(0)
    expect(reader.board.locator(".hand .slider")).to_be_visible()


def test_every_matrix_has_its_full_ink_and_digits_that_can_be_read(new: New) -> None:
    reader = new(Newcomer, 1366, 768).arrive()
    bars = reader.board.locator(".bars .line:visible .cell")

    def pale(dark: bool) -> list[str]:
        paper, matrices = reader.board.evaluate(_COLOURS)
        found = [name for name, cells in matrices.items() if max(contrast(cell, paper) for cell, _ in cells) < 5]
        found += [name for name, cells in matrices.items() if min(contrast(*cell) for cell in cells) < 4.5]
        return found if (luminance(paper) < 0.1) == dark else ["it isn't drawn in this theme yet"]

    def least() -> float:
        colours = [[int(each) for each in re.findall(r"\d+", rgb)[:3]] for rgb in bars.evaluate_all(_BARS)]
        return min(contrast(bar, colours[0]) for bar in colours[1:])

    for dark in (False, True):
        reader.page.set_viewport_size({"width": 1366, "height": 768})
        if dark:
            reader.darken()
        with named("dark" if dark else "light"):
            eventually(partial(pale, dark), [])
            reader.page.set_viewport_size({"width": 390, "height": 844})
            expect(bars).to_have_count(6)
            eventually(lambda: least() >= 3, True)  # a small share is seen


def test_what_waits_is_one_press_away(new: New) -> None:
    reader = new(Newcomer, 1366, 768).arrive()
    expect(reader.board.locator(".plane")).to_have_count(0)
    reader.board.get_by_role("button", name=say("board.plane.why", share="61 %")).click()
    plane = reader.board.locator(".plane")
    expect(plane).to_contain_text(say("board.plane.farthest", key="cat"))
    on = {"whole": "3.8960", "by": "÷ √2", "score": "2.7549", "e": "15.72", "sum": "25.81", "share": "61 %"}
    expect(plane).to_contain_text(say("board.plane.scaled", **on))
    for tab in ("scores", "mix"):
        plane.get_by_role("tab", name=say(f"board.plane.tab_{tab}")).click()
        reader.page.mouse.move(2, 2)  # off the words that come to lie where it was
        for width, height in ((1366, 768), (1920, 1080), (1280, 720), (1024, 768)):
            reader.page.set_viewport_size({"width": width, "height": height})
            wide = width > 1300  # else it stands in the place of what isn't spoken of
            all_of_it = ".cell, .op, .legend, .title" if wide else ".cell, .op, .title"
            parts = reader.board.locator(all_of_it).locator("visible=true")
            eventually(partial(parts.evaluate_all, _UNDER, plane.element_handle()), [])
            spoken = ("q", "k", "scores") if tab == "scores" else ("attention_weights", "v", "context")
            for matrix in spoken:
                expect(reader.board.locator(f".matrix[data-matrix={matrix}] .grid")).to_be_visible()
            eventually(partial(plane.evaluate, _NAMED_OVER_SOMETHING), [])
    reader.page.set_viewport_size({"width": 1366, "height": 768})
    play = reader.board.get_by_role("button", name=say("board.play.start"))
    play.click()
    expect(plane).to_have_count(0)
    playing = reader.board.locator(".playback .leave")
    why = reader.board.get_by_role("button", name=say("board.plane.why", share="61 %"))
    why.click()
    for each in (plane, playing):  # what was begun last ends first, wherever the focus is
        expect(each).to_be_visible()
        reader.page.evaluate("document.activeElement.blur()")
        reader.press_keys("Escape")
        expect(each).to_be_hidden()
    reader.board.get_by_role("button", name=say("board.sentence.edit")).click()
    examples = reader.board.get_by_role("group", name=say("board.sentence.examples"))
    expect(examples).to_contain_text(say("setup.shows.man"))
    for stays in (reader.headline, reader.board.locator(".ribbons"), play):
        expect(stays).to_be_visible()
    reader.press_keys("Escape")
    expect(examples).to_have_count(0)
    # A column's name, and R: who reads that.
    reader.board.locator(".head[data-key='2']").click()
    expect(reader.headline).to_have_text(say("board.read_by.most", token="cat", names="“fluffy”", weight="61 %"))
    reader.board.get_by_role("button", name=say("board.sentence.readers")).click()
    expect(reader.headline).to_contain_text("“cat” reads")
    shape = reader.board.locator(".matrix[data-matrix=scores] .shape")
    expect(shape).to_be_hidden()
    reader.board.locator(".matrix[data-matrix=scores] .title").hover()
    expect(shape).to_be_visible()
    reader.board.get_by_role("button", name=say("board.views.keep")).click()
    eventually(lambda: "pinned=" in reader.address, True)
    reader.board.get_by_role("button", name=say("board.views.heatmaps")).click()
    expect(reader.page.get_by_role("figure").first).to_be_visible()
    reader.page.get_by_role("button", name=say("playground.views.board"), exact=True).click()
    expect(reader.cell(TOY)).to_be_visible()
    assert traced(starting_points()[OPENING].scenario).attention_weights[1, 2] > 0.6


def test_the_temperature_moves_the_board_while_it_is_dragged(new: New) -> None:
    reader = new(Newcomer, 1366, 768).arrive()
    reader.page.get_by_role("button", name=say("setup.heading")).click()
    slider = reader.page.get_by_label(say("setup.temperature.slider"))
    box = box_of(slider)
    weight, y = reader.cell(("attention_weights", 1, 2)), box["y"] + box["height"] / 2
    late: list[Route] = []
    reader.page.route("**/numbers*", lambda route: late.append(route))  # the page has its own
    reader.page.mouse.move(box["x"] + box["width"] / 2, y)
    reader.page.mouse.down()
    for part in (0.3, 0.8):
        reader.page.mouse.move(box["x"] + part * box["width"], y)
        temperature = float(str(slider.get_attribute("aria-valuetext")))
        assert (temperature < 1) == (part < 0.5)
        start = replace(starting_points()[OPENING].scenario, temperature=temperature)
        expect(weight).to_have_text(f"{traced(start).attention_weights[1, 2]:.2f}")
        expect(reader.board.locator(".op.scale")).to_have_text(f"÷ (√2 · {temperature:g})")
        assert f"temperature={temperature:g}" in reader.address
    reader.page.unroute("**/numbers*")  # which lets them go on
    reader.page.mouse.up()
    reader.torch_says()
    eventually(lambda: float(str(slider.get_attribute("aria-valuetext"))), temperature)
    expect(reader.page.get_by_label(say("setup.temperature.number"), exact=True)).to_have_value(f"{temperature:.2f}")


def test_between_scores_and_weights_stands_all_that_is_done(new: New) -> None:
    reader = new(Newcomer, 1280, 720)
    reader.go(embedding="class", positions="near", text="the big dog saw a small cat", temperature="0.35")
    between = reader.board.locator(".op.scale")
    expect(between).to_have_text(say("board.op.near", by="÷ (√2 · 0.35)"))
    edges = [box_of(reader.board.locator(f".matrix[data-matrix={name}] .grid")) for name in
             ("scores", "attention_weights")]  # fmt: skip
    box = box_of(between)
    assert edges[0]["x"] + edges[0]["width"] <= box["x"]
    assert box["x"] + box["width"] <= edges[1]["x"]
    reader.go(embedding="class", text="the big dog saw a small cat")
    expect(between).to_have_text("÷ √2")


# What stands in the sentence's place, whenever anything there changes.
_WATCH_WORDS = """board => {
  window.seen = [];
  new MutationObserver(() => {
    const words = [...board.querySelectorAll('.chip')].map(each => each.textContent).join(' ');
    const headline = board.querySelector('.says b')?.textContent ?? '';
    const ribbons = board.querySelectorAll('.ribbon[d^=M]').length;
    window.seen.push([words, Boolean(headline), ribbons > 0]);
  }).observe(board, { subtree: true, childList: true, characterData: true });
}"""


def test_words_ribbons_and_headline_stay_until_there_is_another_picture(new: New) -> None:
    reader = new(Newcomer, 1366, 768).arrive()
    first, second = starting_points()[OPENING].scenario.text, say("setup.sentences.man")
    reader.board.evaluate(_WATCH_WORDS)
    reader.board.get_by_role("button", name=say("board.sentence.edit")).click()
    expect(reader.board.get_by_label(say("board.sentence.label"))).to_be_focused()
    reader.board.get_by_role("button", name=say("setup.shows.man")).click()
    expect(reader.board.get_by_role("radio")).to_have_text(second.split())
    expect(reader.board.locator(".editor")).to_have_count(0)
    seen = reader.page.evaluate("window.seen")
    assert {words for words, _, _ in seen} == {first, second}
    assert all(headline and ribbons for _, headline, ribbons in seen)


# Whether each button beside the words is filled, and whether it has a frame.
_DRESS = """(all) => all.map(each => {
  const [look, page] = [getComputedStyle(each), getComputedStyle(each.closest('.board'))];
  return [look.backgroundColor === page.color, parseFloat(look.borderTopWidth) > 0];
})"""


def test_one_button_is_filled_play_and_once_a_row_was_played_why(new: New) -> None:
    reader = new(Newcomer, 1366, 768).arrive()
    reader.page.emulate_media(reduced_motion="reduce")
    names = [say("board.play.start"), say("board.plane.why", share="61 %"), say("board.sentence.edit")]
    buttons = reader.board.locator(".tools button:visible")
    expect(buttons).to_have_text(names)
    assert buttons.evaluate_all(_DRESS) == [[True, True], [False, True], [False, True]]
    buttons.first.click()
    following = reader.board.get_by_role("button", name=say("board.play.next"))
    while following.count():
        following.click()
    expect(buttons).to_have_text(names)
    reader.page.mouse.move(2, 2)
    eventually(partial(buttons.evaluate_all, _DRESS), [[False, True], [True, True], [False, True]])
    buttons.nth(1).click()
    expect(reader.board.locator(".plane")).to_be_visible()
    buttons.nth(1).click()
    eventually(partial(buttons.evaluate_all, _DRESS), [[True, True], [False, True], [False, True]])


# Which cells lie under the plane.
_UNDER = """(cells, plane) => {
  const { left, right, top, bottom } = plane.getBoundingClientRect();
  return cells.map(each => [each.dataset.at ?? each.textContent, each.getBoundingClientRect()])
    .filter(([, box]) => box.left < right && box.right > left && box.top < bottom && box.bottom > top)
    .map(([at]) => at);
}"""


def test_what_is_kept_as_a_is_compared_from_the_same_button(new: New) -> None:
    reader = new(Newcomer, 1366, 768).arrive()
    reader.scrub(TOY, -100)
    reader.board.get_by_role("button", name=say("board.views.keep"), exact=True).click()
    compare = reader.board.get_by_role("button", name=say("board.views.kept"), exact=True)
    expect(compare).to_be_in_viewport(ratio=1)
    reader.scrub(TOY, -150)
    compare.click()
    expect(reader.page.get_by_role("heading", name=say("app.compare.title"), exact=True)).to_be_in_viewport()
    expect(reader.page.get_by_text("W_q, row 1, column 0: 1.00 → −0.50")).to_be_visible()
    start = starting_points()[OPENING].scenario
    a, b = (traced(replace(start, edits=(*start.edits, Edit(*TOY, to)))).attention_weights for to in (1.0, -0.5))
    first = reader.page.locator(".st-key-compare-attention_weights figure").first
    box = box_of(first)
    assert box["y"] + box["height"] <= 768
    moved = f"{float(b[1, 2] - a[1, 2]):.4f}".replace("-", "−")
    expect(first).to_contain_text(moved)
    assert float(b[1, 2] - a[1, 2]) == (b - a)[1].min()
    reader.page.get_by_role("button", name=say("playground.views.board"), exact=True).click()
    expect(reader.cell(TOY)).to_be_visible()


def test_the_way_to_the_lesson_goes_once_something_was_done(new: New) -> None:
    reader = new(Newcomer, 1366, 768).arrive()
    way = reader.page.get_by_role("button", name=re.compile("New here"))
    expect(way).to_be_visible()
    for width, height in ((390, 844), (1024, 768), (1366, 768)):  # a newcomer sees it first
        reader.page.set_viewport_size({"width": width, "height": height})
        expect(reader.headline).to_be_in_viewport()
        eventually(lambda: way.evaluate("each => each.getBoundingClientRect().bottom < 110"), True)
    reader.type_over(TOY, "1")
    expect(way).to_have_count(0)
    reader.page.go_back()
    expect(reader.cell(TOY)).to_have_text("2.00")
    reader.torch_says()
    expect(way).to_have_count(0)
    linked = new(Newcomer, 1366, 768).go(unknown="1")  # who has a link of somebody is no newcomer
    expect(linked.board).to_be_visible()
    linked.torch_says()
    expect(linked.page.get_by_role("button", name=re.compile("New here"))).to_be_hidden()
    eventually(lambda: look_at(linked.page).trouble, {})
    again = new(Newcomer, 1366, 768).arrive()
    again.page.get_by_role("button", name=re.compile("New here")).click()
    expect(again.page).to_have_url(re.compile("/lesson"))


WIDE = {"n_heads": 4, "d_in": 8, "d_out": 8, "d_ff": 8, "positions": "sinusoidal", "output": "true", "norm": "pre"}


def test_a_layer_too_wide_folds_to_strips_that_a_key_opens_and_nothing_is_cut_without_a_cue(new: New) -> None:
    reader = new(Newcomer, 1366, 768)
    reader.open_board(**WIDE)
    reader.torch_says()
    for width in (1366, 1024):
        reader.page.set_viewport_size({"width": width, "height": 768})
        is_laid(reader.page)
        with named(width):
            _folds(reader, width)


def _folds(reader: Newcomer, width: int) -> None:
    ways, scroller = reader.board.locator(".unfold"), reader.board.locator(".scroller")
    expect(ways.nth(2)).to_be_visible()
    small = reader.board.locator(".map")
    if width == 1366:
        expect(scroller).not_to_have_class(re.compile("more-"))  # all of it is on the screen
        expect(small).to_be_hidden()
    else:
        blocks = small.locator("rect:not(.seen)")
        expect(blocks).to_have_count(reader.board.locator(".matrix").count())
        box = box_of(blocks.last)
        reader.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(reader.board.locator(".matrix[data-matrix=residual_2] .grid")).to_be_in_viewport(ratio=1)
        expect(small.locator(".seen")).not_to_have_attribute("x", "0")
        expect(small).to_be_in_viewport(ratio=1)
        eventually(lambda: look_at(reader.page).trouble, {})
    is_told = "each => (each.scrollWidth > each.clientWidth + 1) === each.matches('.more-right, .more-left')"
    eventually(lambda: scroller.evaluate(is_told), True)
    kept = reader.board.locator(".matrix:not(.folded)").evaluate_all("all => all.map(each => each.dataset.matrix)")
    assert {"q", "scores", "attention_weights", "context"} <= set(kept)
    for way in ways.all():
        assert way.get_attribute("aria-expanded") == "false"
        assert (way.get_attribute("aria-label") or "").startswith(say("board.fold.open", title=""))
    opened = reader.board.locator(".folded").last.get_attribute("data-matrix")
    ways.last.focus()
    reader.press_keys("Enter")
    matrix = reader.board.locator(f".matrix[data-matrix='{opened}']")
    expect(matrix).not_to_have_class(re.compile("folded"))
    expect(matrix.locator("[aria-expanded=true]")).to_be_focused()
    eventually(lambda: reader.board.locator(".scroller").evaluate(is_told), True)
    reader.press_keys("Enter")
    expect(matrix).to_have_class(re.compile("folded"))
