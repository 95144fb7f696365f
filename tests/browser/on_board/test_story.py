"""One word's story, which the board shows on a telephone: used with a finger, in a real browser."""

import re
from dataclasses import replace
from typing import Any, Self
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import expect

import attnviz
from attnviz import AttentionTrace, Scenario
from attnviz.core.scenario import traced
from attnviz.link.set_up import query_of
from attnviz.words import say
from attnviz.words.numbers import written
from tests.browser.board import Board, Place
from tests.browser.looks import digits_below, look_at
from tests.browser.playground import at_rest, eventually, is_laid, named
from tests.browser.readers import New

WIDTH, HEIGHT = 390, 844
BAR = 48  # at the top of every page
CAT = Scenario(
    text="the fluffy cat chased a mouse",
    x=((0.1, 0.1, 0), (0, 1, 0), (1, 0.1, 0), (0.1, 0, 1), (0.1, 0, 0.1), (0.7, 0, 0.1)),
    w_q=((-0.3, 1.9), (2, 0.2), (1.7, -0.8)),
    w_k=((1.9, 0.2), (0.1, 1.8), (-0.9, -1.2)),
    w_v=((1, 0.2), (0.1, 1), (-0.6, 0.4)),
)
FLUFFY, CAT_AT = 1, 2
# A key that is followed by a token is one of attention's: “Query “fluffy”, key “cat””.
_KEYBOARD = re.compile("key (?!“)|keyboard|press|type|Ctrl|Enter|Escape|hover|point at")

_ROOT = """const root = document.querySelector('[class*=board] [data-testid=stBidiComponentIsolated]').shadowRoot;
const isSeen = (each) => each.checkVisibility({visibilityProperty: true});
const seen = (selector) => [...root.querySelectorAll(selector)].filter(isSeen);
const box = (each) => { const {left, right, top, bottom, width, height} = each.getBoundingClientRect();
  return {left, right, top, bottom, width, height, of: each.dataset.at ?? each.textContent}; };"""
_BOXES = f"selector => {{ {_ROOT} return seen(selector).map(box); }}"
_CUT = f"""() => {{ {_ROOT}
  return seen('.cell:not(.chosen)').filter(cell => cell.scrollWidth > cell.clientWidth).map(cell => cell.textContent);
}}"""


class Story(Board):
    """A reader's telephone with a story on it."""

    def open_story(self, scenario: Scenario, query: int = FLUFFY) -> Self:
        self.open_board(**dict(parse_qsl(query_of(scenario, query=str(query)))))
        self.torch_says()
        return self

    def boxes(self, selector: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.page.evaluate(_BOXES, selector)
        return found

    def tap(self, place: Place) -> Self:
        self.cell(place).tap()
        expect(self.page.locator(".chosen")).to_have_attribute("data-at", ",".join(map(str, place)))
        at_rest(self.page, lambda: self.boxes(".chosen"))  # in the next frame it is brought into view
        return self

    def scroll_under_the_bar(self) -> None:
        """Scroll what stands over the board, such as a message, out of view."""
        by = self.boxes(".chip")[0]["top"] - BAR - 8
        self.page.evaluate("by => { document.querySelector('[data-testid=stMain]').scrollTop += by; }", by)

    def way(self, name: str) -> Any:
        return self.board.locator(".way", has_text=name)

    def is_in_view(self, boxes: list[dict[str, Any]]) -> bool:
        lowest = min(HEIGHT, self.boxes(".panel")[0]["top"])
        return bool(boxes) and all(
            box["top"] >= BAR and box["bottom"] <= lowest and box["left"] >= 0 and box["right"] <= WIDTH
            for box in boxes
        )

    def fits_the_screen(self) -> None:
        """Nothing is wider than the screen, too small for a finger, or has letters too small for eyes."""
        eventually(lambda: self.sideways <= 0, True)
        outside = self.boxes(".board :not(.across.wide *)")  # what many words are moved in sideways hides the rest
        assert [box for box in outside if box["right"] > WIDTH + 0.5 and box["width"] > 0] == []
        targets = self.boxes(".cell, .board button, .slider, summary")
        assert [box for box in targets if box["height"] < 28] == []
        assert (look_at(self.page).small, digits_below(self.page, 11.9)) == ([], [])
        assert self.page.evaluate(_CUT) == []


def test_a_story_fits_one_screen_from_the_input_to_the_context(new: New) -> None:
    story = new(Story, WIDTH, HEIGHT, touched=True).open_story(CAT)
    story.scroll_under_the_bar()
    cells = story.boxes(".cell")
    matrices = {box["of"].split(",")[0] for box in cells}
    assert matrices == {"x", "q", "k", "scaled_scores", "attention_weights", "v", "context"}
    assert story.is_in_view([*cells, *story.boxes(".chip"), *story.boxes(".says")])
    assert story.boxes(".panel")[0]["bottom"] <= HEIGHT
    story.fits_the_screen()
    assert {box["of"].split(",")[1] for box in cells if box["of"][0] in "xqsac"} == {str(FLUFFY)}
    expect(story.board.locator(".mix:visible")).to_have_text(re.compile("^≈ .*61.% cat"))  # whole percents are rounded
    expect(story.board.locator(".title", has_text="S′")).to_contain_text("S → S′")
    expect(story.panel).to_contain_text(say("board.story.point"))
    text = story.board.inner_text()
    assert _KEYBOARD.findall(text) == []


def test_a_tapped_cell_is_shown_with_all_that_it_is_made_from(new: New) -> None:
    story = new(Story, WIDTH, HEIGHT, touched=True).open_story(CAT)
    trace = traced(CAT)
    made_from: dict[Place, list[tuple[str, int | None, int | None]]] = {
        ("q", FLUFFY, 0): [("x", FLUFFY, None), ("w_q", None, 0)],
        ("k", CAT_AT, 1): [("x", CAT_AT, None), ("w_k", None, 1)],  # another word's row, which isn't in the story
        ("scaled_scores", FLUFFY, CAT_AT): [("scores", FLUFFY, CAT_AT)],
        ("scores", FLUFFY, CAT_AT): [("q", FLUFFY, None), ("k", CAT_AT, None)],
        ("attention_weights", FLUFFY, CAT_AT): [("scaled_scores", FLUFFY, None)],
        ("v", CAT_AT, 0): [("x", CAT_AT, None), ("w_v", None, 0)],
        ("context", FLUFFY, 1): [("attention_weights", FLUFFY, None), ("v", None, 1)],
    }
    stage = trace.stages["attention_weights"]
    story.board.locator(".story .named", has_text=stage.short).tap()
    expect(story.panel).to_contain_text(stage.plain)
    expect(story.panel).to_contain_text(stage.axes)
    for place, lines in made_from.items():
        story.tap(place)
        wanted = sorted(address for line in lines for address in _addresses(trace, *line))
        eventually(lambda: story.lit, wanted)
        eventually(lambda: len(story.boxes(".source, .chosen")), len(wanted) + 1)
        eventually(lambda: story.is_in_view(story.boxes(".source, .chosen")), True)
        expect(story.panel).to_contain_text(written(trace.matrices[place[0]][place[1], place[2]].item(), 4))
        text = story.board.inner_text()
        assert _KEYBOARD.findall(text) == []
    story.fits_the_screen()


def _addresses(trace: AttentionTrace, name: str, row: int | None, column: int | None) -> list[str]:
    rows, columns = trace.matrices[name].shape
    return [f"{name},{r},{c}" for r in range(rows) for c in range(columns) if row in (None, r) and column in (None, c)]


def test_a_slider_changes_a_number_at_once_and_undo_takes_it_back(new: New) -> None:
    story = new(Story, WIDTH, HEIGHT, touched=True).open_story(CAT)
    expect(story.board.locator(".slider")).to_be_hidden()
    story.way("× W_q").tap()
    story.tap(("w_q", 1, 0))
    slider = story.board.locator(".slider")
    assert story.boxes(".slider")[0]["height"] >= 44
    says, before = story.board.locator(".says b"), story.numbers()
    expect(says).to_contain_text("61 %")
    slider.evaluate("slider => { slider.value = -2; slider.dispatchEvent(new Event('input')); }")
    expect(says).to_contain_text("61 % → ")  # in the page, before torch is asked
    expect(story.status).to_contain_text(say("board.status.preview"))
    assert story.boxes("[data-changed]")
    slider.dispatch_event("change")
    changed = replace(CAT, w_q=((-0.3, 1.9), (-2, 0.2), (1.7, -0.8)))
    share = traced(changed).attention_weights[FLUFFY, CAT_AT].item()
    eventually(lambda: story.numbers()[f"attention_weights,{FLUFFY},{CAT_AT}"], written(share, 4))
    story.torch_says()
    undo = story.board.locator(".undo button")
    (one,), (other,) = story.boxes(".undo button"), story.boxes(".slider")
    assert abs(one["top"] + one["height"] / 2 - other["top"] - other["height"] / 2) < 60
    undo.tap()
    eventually(story.numbers, before)
    story.torch_says()


# --- Play, "Why?" and ribbons -----------------------------------------------------------------------------------

SCREENS = [(WIDTH, HEIGHT), (360, 640)]
NINE = "the old dog that barked never bites the postman"
TWELVE = "my little sister quickly gave the big brown bear a red ball"
LONG = {"cat": "", "nine": NINE, "twelve": TWELVE}
_SEEN = f"""selector => {{ {_ROOT}
  const [bar, foot] = [{BAR}, Math.min(innerHeight, box(root.querySelector('.panel')).top)];
  const within = (each) => {{
    const {{left, right, top, bottom}} = box(each);
    const part = each.matches('.wide :not(.making)'); // of what is moved sideways, what is made is seen
    return top >= bar - 1 && bottom <= foot + 1 && (part || (left >= 0 && right <= innerWidth));
  }};
  const all = seen(selector);
  return all.length > 0 && all.every(within);
}}"""
# From the middle of the picked word to that of each word: where ribbons that are seen begin and end.
_RIBBONS = f"""() => {{ {_ROOT}
  const heads = seen('.part:has(.ribbons) .head').map(box);
  const paths = [...root.querySelectorAll('.ribbons .ribbon')].filter(isSeen).filter(each => each.getAttribute('d'));
  return [heads.map(({{left, right}}) => (left + right) / 2), paths.map(each => {{
    const to = each.getPointAtLength(each.getTotalLength()), frame = each.ownerSVGElement.getBoundingClientRect();
    return frame.left + to.x;
  }}), paths.map(each => Number(each.getAttribute('stroke-width')))];
}}"""


def test_play_why_and_ribbons_tell_a_story_on_two_telephones(new: New) -> None:
    story = new(Story, *SCREENS[0], touched=True)
    story.page.emulate_media(reduced_motion="reduce")
    story.open_story(CAT, 2)
    for name, text in LONG.items():
        if text:
            story.turn_to(f"/?{query_of(attnviz.by_class(text), query='2')}")
            expect(story.board.locator(".chip")).to_have_count(len(text.split()))
            story.torch_says()
        for size in SCREENS:
            story.page.set_viewport_size({"width": size[0], "height": size[1]})
            story.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop = 0")
            is_laid(story.page)
            for law in (_plays_step_by_step, _tells_why, _ribbons_lead, *[_has_its_numbers] * bool(text)):
                with named(name, *size, law.__name__):
                    law(story, size)
                story.press_keys("Escape")
                _picks(story, 2)


def _picks(story: Story, query: int) -> None:
    chip = story.board.locator(".chip").nth(query)
    if chip.get_attribute("aria-checked") != "true":
        chip.tap()
    expect(story.board.locator(".chip.on")).to_have_text(chip.inner_text())


def _plays_step_by_step(story: Story, size: tuple[int, int]) -> None:
    before, play = story.numbers(), story.board.locator(".deeds .play")
    for phase in ("q", "scores", "scaled_scores", "attention_weights", "context"):
        play.tap()
        expect(story.panel.locator(".made")).to_contain_text(re.compile(r"[=≈] −?\d"))  # arithmetic
        eventually(lambda: story.page.evaluate(_SEEN, ".making, .work"), True)
        assert phase in {box["of"].split(",")[0] for box in story.boxes(".cell.up, .cell.making, .cell.work")}
        assert story.sideways <= 0
        assert min(box["height"] for box in story.boxes(".deeds :is(button, input)")) >= 28
        assert all(box["right"] <= size[0] for box in story.boxes(".deeds *"))
    play.tap()
    expect(play).to_have_text(say("board.play.start"))
    expect(story.board.locator(".making, .work, .up")).to_have_count(0)
    assert story.numbers() == before


def _tells_why(story: Story, size: tuple[int, int]) -> None:
    """It takes half of the screen, and names its words."""
    why, plane = story.board.locator(".deeds .why"), story.board.locator(".plane")
    expect(plane).to_have_count(0)
    why.tap()
    expect(plane).to_be_visible()
    eventually(lambda: story.page.evaluate(_SEEN, ".plane"), True)
    (box,) = story.boxes(".plane")
    assert box["height"] >= 0.45 * size[1]
    assert box["width"] >= 0.9 * size[0]
    words = [each["of"] for each in story.boxes(".plane .names .word:not(.gone)")]
    keys = story.board.locator(".chip").all_text_contents()
    assert len(words) >= min(len(keys), 8)
    assert set(words) <= set(keys)
    told = plane.locator(".told").inner_text()
    story.board.locator(".chip").nth(1).tap()
    eventually(lambda: plane.locator(".told").inner_text() != told, True)
    assert story.sideways <= 0
    why.tap()
    expect(plane).to_have_count(0)


def _ribbons_lead(story: Story, _: tuple[int, int]) -> None:
    """From the picked word to those that it reads."""
    for query in (2, 0):
        _picks(story, query)
        eventually(lambda: len(story.page.evaluate(_RIBBONS)[1]), len(story.page.evaluate(_RIBBONS)[0]))
        middles, ends, widths = story.page.evaluate(_RIBBONS)
        apart = [abs(one - other) for at, (one, other) in enumerate(zip(middles, ends, strict=True)) if at != query]
        assert max(apart) < 2
        weights = story.board.locator(f'.cell[data-at^="attention_weights,{query},"]')
        shares = [float(each) for each in weights.evaluate_all("all => all.map(each => each.dataset.value)")]
        assert [width / max(widths) for width in widths] == pytest.approx(
            [share / max(shares) for share in shares], rel=0.01
        )


def _has_its_numbers(story: Story, _: tuple[int, int]) -> None:
    """A sentence of nine or more own words, too."""
    matrices: dict[str, list[str]] = {}
    for cell in story.board.locator(".story .cell:visible").all():
        name = str(cell.get_attribute("data-at")).partition(",")[0]
        matrices.setdefault(name, []).append(cell.inner_text())
    assert set(matrices) == {"x", "q", "k", "scaled_scores", "attention_weights", "v", "context"}
    assert [text for texts in matrices.values() for text in texts if not re.search(r"\d", text)] == []
    assert story.page.evaluate(_CUT) == []
    eventually(lambda: story.sideways <= 0, True)
    assert digits_below(story.page, 11.9) == []
    last = story.board.locator(".chip").count() - 1
    story.tap(("k", last, 0))  # what is moved sideways comes into view
    expect(story.panel).to_contain_text(story.board.locator(".chip").nth(last).inner_text())
