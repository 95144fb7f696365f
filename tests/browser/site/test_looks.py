"""Light and dark, narrow and wide, and what an accessibility checker says."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from attnviz import Scenario
from attnviz.app.entry.main import PAGES
from attnviz.features.lesson.steps import STEPS as LESSON
from attnviz.link.codecs import pack
from attnviz.link.set_up import query_of
from attnviz.words import say
from tests.browser.accessibility import all_stands_out, nothing_is_found
from tests.browser.board import Board
from tests.browser.lesson import Learner
from tests.browser.looks import BY_COLOUR, WATCH, digits_below, look_at, schemes
from tests.browser.one_look import odd
from tests.browser.playground import Playground, at_rest, eventually, holds, is_laid, named
from tests.browser.readers import New
from tests.browser.site.test_doors import stands_behind_its_door

HALLS = {(1366, 768): 24, (1920, 1080): 30}  # pixels that a digit has at least in a presentation
# The sixth is 1366 at 200 %.
WINDOWS = [(1366, 768), (1366, 650), (1920, 1080), (1024, 768), (800, 700), (683, 384), (390, 844)]
AGAIN = WINDOWS[-1], WINDOWS[0]  # in the other colours, which move nothing
TWELVE = "one two three four five six seven eight nine ten eleven twelve"
PLACES = {
    "explore": "/", "one-word": "/?text=cat", "twelve": f"/?{urlencode({'text': TWELVE})}",
    "compare-twelve": f"/compare?{urlencode({'text': TWELVE, 'seed': 7, 'pinned': pack(query_of(Scenario(TWELVE)))})}",
    "heatmaps": "/?example=fluffy-cat&view=heatmaps",
    "lesson-1": "/lesson?example=fluffy-cat&predictions=off",
    **{page: f"/{page}" for page in PAGES if page not in ("playground", "lesson")},
    "question": "/questions?question=values", "question-told": "/questions?question=parts&predictions=off",
    "check-example": "/check?check=examples.love-ai",
    "what-if": "/?example=fluffy-cat&what_if=softmax:columns&predictions=off",
}  # fmt: skip


@pytest.mark.parametrize("name", PLACES)
def test_a_page_has_few_things_no_two_overlap_and_nothing_is_cut_or_told_by_colour_alone(new: New, name: str) -> None:
    """And each stands behind its door, and axe finds nothing."""
    page = {"explore": "playground", "lesson-1": "lesson"}.get(name, name)
    reader = new(Learner, *WINDOWS[0]).go(PLACES[name])  # a page may have no picture to wait for
    expect(reader.page.locator(".st-key-foot").first).to_be_attached()
    holds(reader.page, "Boolean(document.documentElement.dataset.door && window.attnvizAddress?.answered)")  # keys, too
    if page in PAGES:
        at_rest(reader.page, lambda: reader.page.locator("*").count())  # what is drawn last is there
        stands_behind_its_door(reader, page)
        nothing_is_found(reader.page)
    eventually(lambda: odd(reader.page), [])
    _is_right(reader, name)
    eventually(lambda: odd(reader.page), [])  # on a telephone, too
    reader.darken()
    if page in PAGES:
        all_stands_out(reader.page)
    _is_right(reader, name, AGAIN)
    eventually(lambda: odd(reader.page), [])
    for made in ("scores", "context"):  # what is pointed at joins its row and its column, over no digit
        for cell in reader.page.locator(f".spine .cell[data-at^='{made},']:visible").all()[-1:]:
            cell.hover()
            eventually(partial(_wrong, reader, name), {})
    reader.page.mouse.move(0, 0)
    reader.page.keyboard.press("Tab")  # from here on a focus is shown
    reader.page.emulate_media(forced_colors="active")
    eventually(lambda: reader.page.evaluate(BY_COLOUR), [])
    reader.page.emulate_media(forced_colors="none")
    reader.page.evaluate("document.activeElement.blur()")  # a page may begin in a field
    reader.page.keyboard.press("p")
    for (width, height), pixels in HALLS.items():
        reader.page.set_viewport_size({"width": width, "height": height})
        expect(reader.page.get_by_test_id("stHeader")).to_be_hidden()
        # All cells of twelve words have digits in a hall, smaller ones: with larger ones, A or C would have no room.
        eventually(partial(digits_below, reader.page, 0.7 * pixels if name == "twelve" else pixels), [])
        eventually(lambda: ((seen := look_at(reader.page)).sideways, seen.over), (0, []))
    lit = reader.page.locator(".stApp:hover")

    def moves() -> int:
        reader.page.mouse.move(500, 500)
        reader.page.mouse.move(501, 501)
        return lit.count()

    eventually(moves, 1)
    reader.page.keyboard.press("Shift")  # as keys turn pages
    holds(reader.page, "!document.elementFromPoint(501, 501)?.closest('.stApp')")
    reader.page.keyboard.press("Escape")
    expect(reader.page.get_by_test_id("stHeader")).to_be_visible()


def _is_right(reader: Playground, name: str, windows: Sequence[tuple[int, int]] = WINDOWS) -> None:
    for width, height in windows:
        reader.page.set_viewport_size({"width": width, "height": height})
        is_laid(reader.page)
        at = (name, width, height)
        eventually(lambda: (*at, _wrong(reader, name, width if height > 700 else 0)), (*at, {}))  # noqa: B023


def _wrong(reader: Playground, name: str, width: int = 0) -> dict[str, Any]:
    seen = look_at(reader.page)
    return seen.trouble | seen.more_than(name, width)


def test_no_step_of_the_lesson_has_much_and_no_two_things_of_it_overlap(new: New) -> None:
    reader = new(Learner, *WINDOWS[0]).go(PLACES["lesson-1"])
    for number, step in enumerate(LESSON, 1):
        reader.is_at(f"{number}. {step.title}")
        reader.page.evaluate("document.activeElement.blur()")  # a heading in focus has a link of its own
        eventually(lambda: odd(reader.page), [])
        # What a step plays is left, as it ends: what it comes to is explained then, with more to press.
        reader.page.locator(".playback .leave:visible").evaluate_all("all => all.forEach(each => each.click())")
        expect(reader.page.get_by_role("slider", name=say("board.play.slider"))).to_have_count(0)
        for windows, _ in zip((WINDOWS, AGAIN), schemes(reader.page), strict=True):
            _is_right(reader, f"lesson-{number}", windows)
            eventually(lambda: odd(reader.page), [])
        reader.page.keyboard.press("PageDown")
    reader.page.keyboard.press("p")
    reader.page.set_viewport_size({"width": 1920, "height": 1080})
    for number, step in reversed([*enumerate(LESSON, 1)]):
        reader.is_at(f"{number}. {step.title}")
        eventually(partial(digits_below, reader.page, HALLS[1920, 1080]), [])
        eventually(lambda: ((seen := look_at(reader.page)).sideways, seen.over), (0, []))
        reader.page.keyboard.press("PageUp")


_FOLDED = "each => each.open && each.getBoundingClientRect().height < each.scrollHeight - 4"
MOVING = {  # what is pressed, one after the other, on each page that moves
    "explore": [".chip >> nth=2", ".playback .play", ".playback .leave", ".op.scale", "role=button[name='Set-up']"],
    "question": [".st-key-predict-same button", "[role=radio] >> nth=1"],
    "lesson-3": [".playback .play", ".st-key-lesson-next button"],
    "model": ["[data-head='2,0']"],
    "check": [".stMain .stButton button:visible"],
    "heatmaps": ["figure .cells > span"],
    "scaling": [],  # what unfolds
}


def test_with_reduced_motion_nothing_moves(new: New) -> None:
    reader = new(Learner, *WINDOWS[0])
    reader.page.emulate_media(reduced_motion="reduce")
    reader.go(PLACES["explore"]).page.evaluate(WATCH)
    for name, pressed in MOVING.items():
        reader.turn_to(PLACES.get(name, f"{PLACES['lesson-1']}&step=projections"))
        with named(name):
            for selector in pressed:
                reader.page.locator(selector).first.click()
                reader.settle()
            for summary in reader.page.locator(".stExpander summary:visible").all()[:1]:
                summary.click()
                assert not reader.page.locator("details").last.evaluate(_FOLDED)
            assert reader.page.evaluate("[...window.moved]") == []


def test_a_presentation_begins_with_a_key_and_lights_nothing_under_a_pointer_that_rests(new: New) -> None:
    board = new(Board, 1366, 768).open_board(example="fluffy-cat")
    page = board.page
    page.keyboard.press("p")
    eventually(lambda: "present=1" in page.url, True)
    expect(page.locator(".board .ribbon[d^=M]")).to_have_count(6)  # over a row of fewer matrices
    row = page.locator(".board .cell[data-at^='attention_weights,1']:visible")
    eventually(lambda: row.evaluate_all(_IN_SIGHT), [True] * 6)
    weight = page.locator(".board .cell[data-value]:visible").first
    chosen = page.locator(".board .cell.chosen")

    def lit_by_motion() -> int:
        for at in (8, 9):  # whatever is laid anew meanwhile
            weight.hover(force=True, position={"x": at, "y": at})
        return chosen.count()

    eventually(lit_by_motion, 1)
    page.keyboard.press("Shift")
    expect(chosen).to_have_count(0)
    weight.focus()
    page.keyboard.press("Enter")
    eventually(lambda: "cell=" in page.url, True)
    page.keyboard.press("Escape")  # which lets go of what is pinned first
    eventually(lambda: "cell=" in page.url, False)
    assert "present=1" in page.url
    page.mouse.move(9, 9)  # which brings the way out back
    page.get_by_role("button", name=say("share.present.end")).click()  # as a finger does
    eventually(lambda: "present=" in page.url, False)


# Whether the dock, or the end of the screen, leaves cells in sight, but for what stands below their last line.
_IN_SIGHT = """cells => cells.map(cell => {
  const dock = cell.closest('.board')?.querySelector('.panel').getBoundingClientRect().top;
  return cell.getBoundingClientRect().bottom - 8 <= Math.min(innerHeight, dock);
})"""


def test_in_a_lecture_room_every_row_is_in_sight_at_once(new: New) -> None:
    learner = new(Learner, 1920, 1080).go("/?example=fluffy-cat&present=1")
    for path in ("/?example=fluffy-cat", "/?seed=1&text=the+cat+sat+on+the+mat", "/questions?question=biases",
                 "/lesson?example=fluffy-cat&step=softmax"):  # fmt: skip
        learner.turn_to(f"{path}&present=1")
        with named(path):
            _has_its_rows_in_sight(learner.page, path)


def _has_its_rows_in_sight(page: Page, path: str) -> None:
    cells = page.locator(".board .cell:visible")
    expect(cells.first).to_be_visible()
    eventually(lambda: all(cells.evaluate_all(_IN_SIGHT)), True)
    expect(page.locator(".board .scroller")).not_to_have_class(re.compile("more-"))  # nor is any cut at the right
    if path.startswith("/?"):  # and all that is said of them, with what is read
        eventually(lambda: page.locator(".board").evaluate(_CUT), [])
    else:  # what is asked, and what is told then
        expect(skip := page.locator(".st-key-predicting-skip button")).to_be_visible()  # its place comes before it
        page.keyboard.press("Space")
        expect(skip).to_have_count(0)
        eventually(lambda: all(cells.evaluate_all(_IN_SIGHT)), True)


# Matrices that a row reads without a word on what they are, others of which half a word is seen, matrices with numbers
# of several lengths, names that are cut or smaller than digits, where V's line crosses the legend, missing ribbons.
_CUT = """board => {
  const all = selector => [...board.querySelectorAll(selector)];
  const inside = ({ left, right, top, bottom }, x, y) => x > left && x < right && y > top && y < bottom;
  const box = each => each.getBoundingClientRect();
  const row = ['k', 'v', 'scores', 'attention_weights', 'context']; // others may have their symbol alone
  const said = all('.title').filter(title => {
    const { left, top, bottom } = box(title.querySelector('.short'));
    const gone = top > box(title).bottom - 1 && !row.includes(title.closest('.matrix').dataset.matrix);
    return !gone && !inside(box(title), left + 1, (top + bottom) / 2);
  });
  const names = all('.head, .says').filter(head => head.scrollWidth > head.clientWidth
    || (head.matches('.head:not(.name)') && parseFloat(getComputedStyle(head).fontSize) * head.currentCSSZoom < 30));
  const mixed = all('.grid').filter(grid => new Set([...grid.querySelectorAll('.cell')].map(cell => cell.textContent)
    .filter(text => text.includes('.')).map(text => text.split('.')[1].length)).size > 1);
  const lines = all('.lead.role-v').flatMap(line => {
    const { left, top } = box(line.ownerSVGElement), by = line.ownerSVGElement.currentCSSZoom;
    return Array.from({ length: 200 }, (_, at) => line.getPointAtLength(line.getTotalLength() * at / 199))
      .filter(({ x, y }) => inside(box(board.querySelector('.legend')), left + x * by, top + y * by));
  });
  return [...[...said, ...names, ...mixed].map(each => each.textContent), ...lines.map(String),
    ...(all('.ribbon[d^=M]').length === 6 ? [] : ['ribbons'])];
}"""


def test_many_tokens_have_whole_names_over_their_columns_and_titles_in_sight(new: New) -> None:
    words = f"{TWELVE} thirteen fourteen fifteen sixteen".split()
    learner = new(Learner, 1366, 650).go("/")
    page = learner.page
    names, titles = page.locator(".spine .head:not(.name):visible"), page.locator(".spine .matrix > .title:visible")
    for tokens in (12, 16):
        learner.turn_to(f"/?{urlencode({'text': ' '.join(words[:tokens])})}")
        for height in (650, 768):
            page.set_viewport_size({"width": 1366, "height": height})
            with named(tokens, height):
                eventually(lambda: [name in words for name in names.evaluate_all(_WHOLE)], [True] * 2 * tokens)
                eventually(lambda: all(titles.evaluate_all(_IN_SIGHT)), True)
                assert titles.count() == 10


_WHOLE = "names => names.map(each => each.scrollWidth > each.clientWidth ? 'cut' : each.textContent)"


WORDS = f"{'W' * 120} cat {'W' * 119}x"  # as in a pasted address
KEPT = pack(query_of(Scenario(f"dog {'M' * 120} dog", embedding="published")))
LONG: dict[str, dict[str, Any]] = {
    "/": {"cell": "scores.0.2"}, "/?view=heatmaps": {"view": "heatmaps", "cell": "scores.0.2"},
    "/lesson": {"step": "tokens"}, "/lesson?step=context": {"step": "context"}, "/compare": {"pinned": KEPT},
}  # fmt: skip


def test_a_word_of_120_letters_makes_no_page_wider_than_the_screen(new: New) -> None:
    learner = new(Learner, *WINDOWS[0]).go("/", text=WORDS, query=0)
    labels = learner.page.locator("[data-testid=stCheckbox] [data-testid=stMarkdownContainer]")
    cut = "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)"
    for path, address in LONG.items():
        learner.turn_to(f"{path.partition('?')[0]}?{urlencode({**address, 'text': WORDS, 'query': 0})}")
        learner.page.get_by_test_id("stMain").get_by_role("heading").first.wait_for()
        for width, height in (WINDOWS[0], WINDOWS[-1]):
            learner.page.set_viewport_size({"width": width, "height": height})
            with named(path, width):
                eventually(lambda: learner.sideways <= 0, True)
                eventually(partial(labels.evaluate_all, cut), [])


def test_nothing_is_found_in_what_opens_on_explore_and_of_what_is_compared(new: New) -> None:
    reader = new(Learner, 1366, 768).go("/", example="fluffy-cat")

    def button(name: str) -> None:
        reader.page.get_by_role("button", name=name, exact=True).first.click()

    button(say("board.plane.why", share="61 %"))
    reader.page.locator(".plane").wait_for()
    nothing_is_found(reader.page)
    reader.page.keyboard.press("Escape")
    button(say("setup.heading"))
    for group in reader.page.locator(".st-key-setup summary").all():
        group.click()
    nothing_is_found(reader.page)
    button(say("setup.heading"))
    button(say("share.button"))
    reader.page.get_by_test_id("stPopoverBody").wait_for()
    nothing_is_found(reader.page)
    reader.page.keyboard.press("Escape")
    button(say("board.views.what_if"))
    nothing_is_found(reader.page)
    for part in ("typed", "mask", "others"):
        reader.page.locator(".st-key-what_if-part button").filter(has_text=say(f"what_if.parts.{part}")).click()
        nothing_is_found(reader.page)
    button(say("board.views.keep"))
    reader.page.get_by_role("button", name=say("board.views.kept"), exact=True).click()
    reader.page.locator("figure .cells > [style]").first.wait_for()
    nothing_is_found(reader.page)
    reader.open("/", "board", causal="true", edits="w_q.0.1.0.9")
    at_rest(reader.page, lambda: reader.page.locator("*").count())
    nothing_is_found(reader.page)
