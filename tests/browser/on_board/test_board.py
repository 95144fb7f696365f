"""The board: every number on it is torch's, every lit source is the core's, and it follows the hand."""

import math
import re
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import expect

from attnviz import Edit, Scenario, explain, trace
from attnviz.core.stages import STAGES
from attnviz.core.trace import Trace
from attnviz.words import say
from tests.browser.board import Board, numbers_of, way_to
from tests.browser.playground import eventually
from tests.browser.readers import New

TO_BE = "to be or not to be"
PUBLISHED: dict[str, Any] = {"embedding": "published"}
W_Q = ("w_q", 0, 1)
JOURNEY_TO_STARTS = ("attention_weights", 1, 2)


@pytest.fixture
def board(new: New) -> Board:
    return new(Board).open_board()


def edited(*edits: tuple[str, int, int, float], **setup: object) -> Scenario:
    return Scenario(**(PUBLISHED | setup), edits=[Edit(*edit) for edit in edits])


def around(name: str, made: Trace) -> tuple[str, str, str]:
    """What is to stand around a matrix: its symbol, its shape, what it is; K stands on its side."""
    stage, shape = made.stages[name], made[name].shape
    rows, columns = shape if len(shape) == 2 else (1, *shape)
    if name in ("k", "b_k"):
        return f"{stage.symbol}ᵀ", f"{columns} × {rows}", stage.plain
    return stage.symbol, f"{rows} × {columns}", stage.plain


# --- Every number --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "setup"),
    [
        ({}, {}),
        ({"causal": "true", "bias": "true", "init": "linear"}, {"causal": True, "bias": True, "init": "linear"}),
        ({"text": TO_BE, "d_in": 5, "scale": "false", "digits": 2}, {"text": TO_BE, "d_in": 5, "scale": False}),
    ],
    ids=["published", "masked with biases", "unscaled"],
)
def test_every_cell_is_torchs_before_and_after_scrubs(
    new: New, address: dict[str, object], setup: dict[str, object]
) -> None:
    board = new(Board).open_board(**address)
    digits = int(str(address.get("digits", 4)))
    scenario = Scenario(**(PUBLISHED | setup))
    board.shows_all(scenario, trace(scenario), digits)
    placed = set(trace(scenario).matrices) - {"scaled_scores", "mask"}
    assert board.matrices == {name: around(name, trace(scenario)) for name in placed}
    edits = []
    for matrix, row, column, steps in (("w_q", 0, 1, 25), ("x", 1, 0, -40), ("w_v", 2, 0, 10)):
        start = scenario.matrix(matrix)[row, column].item()
        board.scrub((matrix, row, column), steps)
        edits.append((matrix, row, column, round(start + steps / 100, 2)))
        now = edited(*edits, **setup)
        board.shows_all(now, trace(now), digits)
    eventually(lambda: board.link.count("*"), 2)


def test_a_mask_is_painted_cell_by_cell(new: New) -> None:
    board = new(Board).open_board(masking="painted", query=1)
    painted = {(1, 3): -math.inf, (1, 0): -2.5}
    for (row, column), value in painted.items():
        board.type_over(("mask", row, column), "-inf" if value == -math.inf else str(value))
    now = Scenario(**PUBLISHED, mask="painted", edits=[("mask", *place, value) for place, value in painted.items()])
    board.shows_all(now, trace(now))
    eventually(lambda: board.link, "?masking=painted&edits=mask.1.3.-inf*mask.1.0.-2.5&query=1")
    board.focus_on(("mask", 1, 3))
    expect(board.panel).to_contain_text(
        say("board.dock.hidden", to="with", **{"from": "journey"}, symbol="M", value="−∞")
    )
    expect(board.panel).to_contain_text(say("board.next.added", symbol="S′"))
    board.page.keyboard.press("Control+z")
    once = replace(now, edits=now.edits[:1])
    board.shows_all(once, trace(once))


def test_everything_follows_while_the_hand_still_holds_the_cell(board: Board) -> None:
    before = board.numbers()
    x, y = board.grab(board.cell(W_Q))
    ways = {steps: way_to(board.page, W_Q, steps) for steps in (10, 25, -12)}
    for steps in ways:
        board.page.mouse.move(x + ways[steps], y)
        now = edited(("w_q", 0, 1, round(0.5166 + steps / 100, 2)))
        # The page's own numbers, in float64: the last digit may differ from torch's.
        wanted = numbers_of(trace(now))
        eventually(partial(shows, board, wanted), True)
        expect(board.status).to_have_text(say("board.status.preview"))
    assert board.link == ""
    board.page.mouse.up()
    board.torch_says()
    eventually(lambda: board.link, "?edits=w_q.0.1.0.4")
    assert board.numbers() != before


def close(shown: dict[str, str], wanted: dict[str, str]) -> bool:
    return shown.keys() == wanted.keys() and all(abs(value(shown[at]) - value(wanted[at])) < 1.5e-4 for at in wanted)


def shows(board: Board, wanted: dict[str, str]) -> bool:
    return close(board.numbers(), wanted)


def value(text: str) -> float:
    return float(text.replace("−", "-"))


def test_only_the_cells_that_change_are_drawn(board: Board) -> None:
    board.point_at(("w_q", 0, 0)).focus_on(("w_q", 0, 0)).torch_says()
    before = board.numbers()
    board.watch().scrub(("w_q", 0, 0), 4)  # no limit of the colours changes, which would change all cells
    now = edited(("w_q", 0, 0, 0.34))
    board.shows_all(now, trace(now))
    changed = {at for at, text in board.numbers().items() if text != before[at]}
    assert changed <= board.touched
    made_from_it = {"w_q,0,0", *(f"q,{row},0" for row in range(6))}
    after_them = {
        at for at in before if at.split(",")[0] in ("scores", "scaled_scores", "attention_weights", "context")
    }
    read = {at for at in before if at.split(",")[0] in ("x", "k", "v")}  # which stays in full light
    assert board.touched <= made_from_it | after_them | read


# --- Lit sources and arithmetic ------------------------------------------------------------------------------


def test_pointing_and_focus_light_exactly_the_sources_of_every_matrix(new: New) -> None:
    board = new(Board, 1366, 1100).open_board(bias="true", causal="true")
    board.board.get_by_role("button", name=say("board.op.mask")).click()
    scenario = Scenario(**PUBLISHED, bias=True, causal=True)
    computed = trace(scenario)
    for name in STAGES:
        matrix = getattr(computed, name)
        rows, columns = (1, len(matrix)) if matrix.dim() == 1 else matrix.shape
        for row, column in {(rows - 1, 0), (rows // 2, columns - 1)}:
            said = explain(computed, name, row, column, scenario=scenario)
            wanted = sorted(
                f"{block.matrix},{i},{j}" for block in said.sources for i in block.rows for j in block.columns
            )
            for light in (board.point_at, board.focus_on):
                light((name, row, column))
                eventually(lambda: board.chosen, [f"{name},{row},{column}"])
                eventually(lambda: board.lit, wanted)
                joint = "= " if " = " in said.symbols and "−∞" not in said.symbols else ""
                expect(board.panel).to_contain_text(joint + said.numbers if said.sources else said.words)


def test_a_cell_is_pinned_unpinned_and_its_sources_are_stepped_through(board: Board) -> None:
    pinned = "?cell=attention_weights.1.2&example=published"
    board.focus_on(JOURNEY_TO_STARTS).press_keys("Enter")
    board.point_at(("x", 0, 0))
    assert board.chosen == ["attention_weights,1,2"]
    eventually(lambda: board.link, pinned)
    board.page.reload()
    board.settle()
    eventually(lambda: board.chosen, ["attention_weights,1,2"])
    expect(board.panel).to_contain_text("“journey” reads “starts”: 22 %")
    board.focus_on(("x", 0, 0)).press_keys("Escape").point_at(("x", 0, 1))
    eventually(lambda: board.chosen, ["x,0,1"])
    eventually(lambda: board.link, "")
    board.cell(JOURNEY_TO_STARTS).click()
    eventually(lambda: board.link, pinned)
    board.cell(JOURNEY_TO_STARTS).click()
    eventually(lambda: board.link, "")
    board.button("Pin").click()
    eventually(lambda: board.link, pinned)
    board.button("Unpin").click()
    eventually(lambda: board.focused_cell, "attention_weights,1,2")
    eventually(lambda: board.link, "")
    board.button("Go to S").click()
    board.button("Go to K").click()
    board.button("Go to W_k").click()
    eventually(lambda: board.focused_cell, "w_k,0,0")
    for back in ("k,2,0", "scores,1,2", "attention_weights,1,2"):
        board.button("Back").click()
        eventually(lambda: board.focused_cell, back)


def test_arrow_keys_walk_a_matrix_and_every_cell_has_a_name(board: Board) -> None:
    board.focus_on(("scores", 0, 0)).press_keys(
        "ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp", "ArrowUp", "ArrowUp"
    )
    assert board.focused_cell == "scores,0,2"
    label = "Attention weights, query 1 “journey”, key 2 “starts”: 0.2199"
    assert board.cell(JOURNEY_TO_STARTS).get_attribute("aria-label") == label
    assert board.cell(W_Q).get_attribute("aria-label") == "W_q, row 0, column 1: 0.5166"
    grid = board.page.get_by_role("grid", name=re.compile("Scores, 6 by 6"))
    expect(grid).to_be_visible()
    told = board.panel.inner_text()
    stage = STAGES["scores"]
    board.board.locator(".title", has_text=stage.short).hover()
    expect(board.panel).to_contain_text(stage.plain)
    expect(board.panel).to_contain_text("rows: queries, columns: keys")
    board.point_at(("scores", 0, 2))
    expect(board.panel).to_have_text(told, use_inner_text=True)


# --- Edits ---------------------------------------------------------------------------------------------------


def test_a_number_is_typed_and_reset(board: Board) -> None:
    board.type_over(W_Q, "0.9")
    now = edited(("w_q", 0, 1, 0.9))
    board.shows_all(now, trace(now))
    expect(board.cell(W_Q)).to_have_class(re.compile("edited"))
    board.says("W_q[0, 1]: 0.5166 → 0.9000")
    eventually(lambda: board.focused_cell, "w_q,0,1")
    board.press_keys("Delete")
    board.shows_all(edited(), trace(edited()))
    expect(board.cell(W_Q)).not_to_have_class(re.compile("edited"))
    board.type_over(W_Q, "−1,5").torch_says()
    board.button("Reset this cell").click()
    board.shows_all(edited(), trace(edited()))
    eventually(lambda: board.link, "")


def test_a_block_is_pasted(new: New) -> None:
    board = new(Board, permissions=["clipboard-read", "clipboard-write"]).open_board()
    board.paste_over(("w_k", 1, 0), "0,5\t−1\nabc\t2\n3\t4\n")
    now = edited(("w_k", 1, 0, 0.5), ("w_k", 1, 1, -1.0), ("w_k", 2, 1, 2.0))
    board.shows_all(now, trace(now))
    expect(board.panel).to_contain_text("Pasted 3 numbers. “abc” isn't a number.")
    board.page.locator('[data-at="w_v,0,1"]').dblclick()
    board.page.evaluate("text => navigator.clipboard.writeText(text)", "-0.6\n3.8")
    board.page.keyboard.press("Control+V")
    changed = [("w_k", 1, 0, 0.5), ("w_k", 1, 1, -1.0), ("w_k", 2, 1, 2.0), ("w_v", 0, 1, -0.6), ("w_v", 1, 1, 3.8)]
    board.shows_all(now := edited(*changed), trace(now))


def test_keys_step_a_number_and_quick_presses_are_all_kept(board: Board) -> None:
    board.focus_on(W_Q).press_keys(*["Alt+ArrowUp"] * 12, *["Alt+Shift+ArrowLeft"] * 2, "Alt+ArrowRight")
    now = edited(("w_q", 0, 1, 0.4466))
    board.shows_all(now, trace(now))
