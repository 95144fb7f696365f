"""The board tells its keys, from the table that hears them."""

import re

import pytest
from playwright.sync_api import Browser, Locator, expect

from attnviz import Scenario
from attnviz.board.script import board_script
from attnviz.words import catalogue, say
from tests.browser.lone_board import W_Q, LoneBoard, mounted
from tests.browser.playground import eventually
from tests.browser.serving import ROOT

SCORE = ("scores", 1, 1)
CHANGE = ("step", "reset", "undo", "paste", "type", "tip")  # listed only where numbers can be changed


def listed(board: LoneBoard) -> Locator:
    return board.page.get_by_role("dialog", name=say("board.keys_list.title"))


def names(board: LoneBoard) -> list[tuple[str, ...]]:
    """Each listed key, and what it's said to do."""
    texts = listed(board).locator("dt, dd").all_text_contents()
    return list(zip(texts[::2], texts[1::2], strict=True))


def row(name: str) -> tuple[str, str]:
    return say(f"board.keys.{name}"), say(f"board.keys_do.{name}")


def test_the_question_mark_lists_the_keys_and_escape_leads_back(board: LoneBoard) -> None:
    for at in (W_Q, SCORE):  # into the first, numbers can be typed
        board.focus_on(at).press_keys("Enter", "?")
        expect(listed(board)).to_be_visible()
        expect(board.page.locator(".typed")).to_have_count(0)
        assert {row("list"), row("move"), row("type")} <= set(names(board))
        assert row("pick") not in names(board), "there is no sentence"
        for _ in range(4):
            board.press_keys("Tab")
            inside = "() => !document.body.shadowRoot.activeElement?.closest('.board')"
            assert board.page.evaluate(inside), "the focus stays in the dialog"
        board.press_keys("d", "Escape")
        expect(listed(board)).to_have_count(0)
        eventually(lambda: board.focused_cell, ",".join(map(str, at)))
        expect(board.button("Unpin")).to_be_visible()  # no key of the dialog was one of the board
        board.press_keys("Enter")
    assert board.told == []


def test_a_button_and_the_key_alone_open_it_too_but_no_box_does(chromium: Browser) -> None:
    looks = {"sentence": True, "plane": True, "tips": [], "ghosts": [], "fresh": [], "notes": {}, "framed": False}
    page = mounted(chromium, Scenario(embedding="published"), **looks)
    board = LoneBoard(page)
    board.page.get_by_role("button", name=say("board.keys_list.open")).click()
    assert row("pick") in names(board)
    listed(board).get_by_role("button", name=say("board.keys_list.close")).click()
    expect(listed(board)).to_have_count(0)
    board.page.evaluate("document.body.shadowRoot.activeElement?.blur()")
    board.press_keys("?")
    expect(listed(board)).to_have_count(1)
    board.press_keys("Escape")
    board.type_over(W_Q, "1?", "Home")
    expect(listed(board)).to_have_count(0)
    expect(board.page.locator(".typed")).to_have_value("1?")
    page.context.close()


# Closes the list and presses its key again before the browser has told anybody that it's closed.
_AT_ONCE = """board => {
  board.getRootNode().querySelector("dialog").close();
  board.dispatchEvent(new KeyboardEvent("keydown", { key: "?", bubbles: true, composed: true }));
}"""


def test_the_key_opens_the_list_again_in_the_moment_in_which_it_was_closed(board: LoneBoard) -> None:
    board.focus_on(W_Q).press_keys("?")
    board.board.evaluate(_AT_ONCE)
    expect(listed(board)).to_be_visible()
    board.press_keys("Escape")
    expect(board.page.locator("dialog")).to_have_count(0)


@pytest.mark.parametrize("fixed", [False, True])
def test_a_board_lists_the_keys_that_it_hears(chromium: Browser, fixed: bool) -> None:
    page = mounted(chromium, Scenario(embedding="published"), fixed=fixed)
    board = LoneBoard(page)
    board.focus_on(W_Q).press_keys("?")
    assert [row(name) in names(board) for name in CHANGE[:-1]] == [not fixed] * (len(CHANGE) - 1)
    page.context.close()


NAMED = {
    "Control": "Ctrl", "Escape": "Esc", "ArrowLeft": "←", "ArrowRight": "→", "ArrowUp": "↑", "ArrowDown": "↓"
}  # fmt: skip


def test_every_key_is_named_as_the_table_of_keys_has_it() -> None:
    rows = re.findall(r"^  (\w+): \[(.*)\],$", (ROOT / "attnviz/scripts/shortcuts.js").read_text("utf-8"), re.MULTILINE)
    shortcuts = {name: re.findall('"(.*?)"', keys) for name, keys in rows}
    assert len(shortcuts) > 15
    for name in {key.rpartition(".")[2] for key in catalogue() if key.startswith("board.keys.")} & set(shortcuts):
        parts = {NAMED.get(part, part) for each in shortcuts[name] for part in each.split("+")}
        said = set(re.findall(r"[^\s+]+", say(f"board.keys.{name}")))
        # Lists hear more keys than need to be told.
        assert said == parts or (name in ("pick", "heads", "play") and said < parts), name


def test_every_key_of_the_table_has_its_words_and_no_other() -> None:
    in_table = set(re.findall(r'\{ name: "(\w+)"', board_script("")))
    for room in ("board.keys", "board.keys_do"):
        assert {key.rpartition(".")[2] for key in catalogue() if key.rpartition(".")[0] == room} == in_table
