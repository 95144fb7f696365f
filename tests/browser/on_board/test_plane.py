"""The plane of keys in a real browser: what its names measure, and its tips under the hand."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from attnviz import Scenario
from attnviz.core.scenario import traced
from attnviz.words import say
from tests.browser.lone_board import LoneBoard, mounted
from tests.browser.playground import at_rest, box_of, eventually

LOOKS: dict[str, Any] = {
    "sentence": True,
    "plane": True,
    "tips": [],
    "ghosts": [],
    "fresh": [],
    "notes": {},
    "framed": False,
}
TEXT = "MWWM illicit 猫猫 incomprehensibilities @@ a mouse Žluťoučký"
_NAMES = """() => [...document.body.shadowRoot.querySelectorAll('.plane .names span:not(.gone)')].map(name => {
  const text = document.createRange();
  text.selectNodeContents(name);
  const {x, y, width, height} = name.getBoundingClientRect();
  return {text: name.textContent, x, y, width, height,
    wide: text.getBoundingClientRect().width, letters: parseFloat(getComputedStyle(name).fontSize)};
}).filter(({text}) => text)"""

Open = Callable[..., LoneBoard]


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Open]:
    pages: list[Page] = []

    def opening(scenario: Scenario, width: int = 1700, **data: Any) -> LoneBoard:
        page = mounted(chromium, scenario, **(LOOKS | data))
        page.set_viewport_size({"width": width, "height": 900})
        pages.append(page)
        page.locator(".why").click()
        expect(page.locator(".plane")).to_have_count(1)
        at_rest(page, page.locator(".plane").bounding_box)  # it stands where this width lets it
        return LoneBoard(page)

    yield opening
    for page in pages:
        page.context.close()


@pytest.mark.parametrize("d_out", [2, 32])
def test_names_have_room(opened: Open, d_out: int) -> None:
    """Boxes are estimated by letters: what is drawn isn't wider. That they lie apart is in tests/unit/board."""
    board = opened(Scenario(text=TEXT, tokenizer="whitespace", d_out=d_out, init="normal"))
    for tab in ("scores", "mix"):
        board.page.locator(f"#plane-tab-{tab}").click()
        names = board.page.evaluate(_NAMES)
        assert len(names) >= 9
        for name in names:
            assert name["wide"] <= name["width"] + 0.5, name
            assert name["letters"] >= 12


def middle(element: Locator) -> tuple[float, float]:
    box = box_of(element)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize(("tip", "matrix", "row"), [(".tip.q", "q", 1), (".tip.k >> nth=3", "k", 3)])
def test_a_tip_follows_the_hand_and_changes_x(opened: Open, tip: str, matrix: str, row: int) -> None:
    scenario = Scenario(embedding="published")
    board = opened(scenario)
    before = [board.cell((matrix, row, column)).inner_text() for column in range(2)]
    x, y = board.grab(board.page.locator(tip))
    for step in (5, 15, 25):
        board.page.mouse.move(x - step, y + step / 2)
        eventually(lambda: middle(board.page.locator(tip)), pytest.approx((x - step, y + step / 2), abs=1.5))
    expect(board.status).to_contain_text(say("board.status.preview"))
    assert [board.cell((matrix, row, column)).inner_text() for column in range(2)] != before
    assert board.told == []
    board.page.mouse.up()
    (edits,) = board.told
    assert {cell.rpartition(",")[0] for cell, _ in edits} == {f"x,{row}"}
    w = traced(scenario)[f"w_{matrix}"].double()
    change = [value - traced(scenario).x[row, int(cell[-1])].item() for cell, value in edits if value is not None]
    assert sum(each**2 for each in change) > 0
    assert len(edits) == len(w)
    board.page.get_by_role("button", name=say("board.undo.undo")).click()
    expect(board.cell((matrix, row, 0))).to_have_text(before[0])


def test_escape_takes_a_tip_back_and_arrow_keys_move_it(opened: Open) -> None:
    board = opened(Scenario(embedding="published"))
    tip = board.page.locator(".tip.q")
    x, y = board.grab(tip)
    board.page.mouse.move(x - 20, y + 20)
    expect(board.status).to_contain_text(say("board.status.preview"))
    board.press_keys("Escape")
    board.page.mouse.up()
    expect(board.status).to_contain_text(say("board.status.checked"))
    eventually(lambda: middle(tip), pytest.approx((x, y), abs=0.6))
    assert board.told == []
    tip.focus()
    was = tip.get_attribute("aria-valuetext")
    board.press_keys("ArrowLeft")
    expect(tip).not_to_have_attribute("aria-valuetext", str(was))
    assert len(board.told) == 1
    focused = "document.body.shadowRoot.activeElement"
    board.page.evaluate(f"{focused}.blur()")
    board.press_keys("Escape")
    expect(board.page.locator(".plane")).to_have_count(0)
    assert board.page.evaluate(focused) is None, "it was nowhere"


def test_it_tells_of_the_row_that_is_pointed_at(opened: Open) -> None:
    board = opened(Scenario(embedding="published"))
    drawn = board.page.locator(".plane svg[role=img]")
    expect(drawn).to_have_attribute("aria-label", re.compile("query of “journey”"))
    board.cell(("attention_weights", 3, 0)).hover()
    expect(drawn).to_have_attribute("aria-label", re.compile("query of “with”"))
