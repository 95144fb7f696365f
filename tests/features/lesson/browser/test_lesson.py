"""The lesson by keyboard alone, on a projector, on a telephone; a changed weight changes the sentences."""

from math import nan

import pytest
from playwright.sync_api import expect

from attnviz.features.lesson.steps import STEPS
from attnviz.words.numbers import written
from tests.browser.cells import shows_another, shows_number
from tests.browser.lesson import Learner
from tests.browser.playground import box_of, eventually, is_laid, named
from tests.browser.readers import New


def test_the_whole_lesson_by_keyboard_alone(new: New) -> None:
    learner = new(Learner).lesson()
    keyboard = learner.page.keyboard
    learner.is_at("1. Tokens")
    learner.tab_to("Next")
    for number, step in enumerate(STEPS, 1):
        learner.is_at(f"{number}. {step.title}")
        if number == 5:
            eventually(lambda: "step=all-scores" in learner.address, True)
        if number < len(STEPS):
            keyboard.press("Enter" if number < 3 else "PageDown")
    for number in range(len(STEPS) - 1, 7, -1):
        keyboard.press("PageUp")
        learner.is_at(f"{number}. {STEPS[number - 1].title}")

    # What divided the scores stands before them.
    edge = "(each, side) => each.getBoundingClientRect()[side]"
    top = learner.cell("scaled_scores", 0, 0).evaluate(edge, "top")
    assert learner.page.locator(".op.scale").evaluate(edge, "bottom") <= top

    # The query is picked with the keyboard too, and the sentences follow it.
    expect(learner.cell("context", 0, 0)).to_be_visible()
    learner.tab_to("journey")
    keyboard.press("ArrowRight")
    learner.says("A large attention weight on a small value still gives little")
    eventually(lambda: "query=2" in learner.address, True)


MOVED = """() => {
  window.moved = [];
  const { animate } = Element.prototype;
  Element.prototype.animate = function (frames, how) {
    if (how.id === "becomes") window.moved.push(this.textContent);
    return animate.call(this, frames, how);
  };
}"""


@pytest.mark.parametrize("moves", [True, False])
def test_words_become_rows_and_rows_become_numbers_and_nothing_is_checked_before(new: New, *, moves: bool) -> None:
    learner = new(Learner, 1366, 768)
    page = learner.page
    page.emulate_media(reduced_motion="no-preference" if moves else "reduce")
    learner.changed = True
    page.add_init_script(f"({MOVED})()")
    learner.lesson(step="tokens", example="fluffy-cat").is_at("1. Tokens")
    rows = page.locator(".spine .free")
    expect(rows).to_have_count(6)
    assert page.locator(".status").is_hidden(), "there is no number yet"
    assert page.evaluate("moved") == (["the", "fluffy", "cat", "chased", "a", "mouse"] if moves else [])
    left = rows.first.bounding_box()
    assert left
    page.keyboard.press("PageDown")
    learner.is_at("2. Embeddings")
    expect(learner.cell("x", 5, 2)).to_be_visible()
    expect(rows).to_have_count(0)
    expect(page.locator(".status")).to_contain_text("checked")
    eventually(lambda: len(page.evaluate("moved")) == (6 + 18 if moves else 0), True)
    last = learner.cell("x", 0, 2).bounding_box()
    assert last
    assert last["x"] + last["width"] - left["x"] > 0.3 * 1366, "numbers take the screen's room"


def test_a_weight_changed_by_keyboard_changes_sentences_and_numbers(new: New) -> None:
    learner = new(Learner).lesson(step="projections", example="published")
    learner.says("is (0.4306, 1.4551)")
    shows_number(learner.cell("w_q", 0, 0), "0.2961")
    for _ in range(120):
        learner.tab()
        if learner.cell_in_focus() == ["w_q", "0", "0"]:  # the first stop of its matrix
            break
    for _ in range(3):
        learner.page.keyboard.press("Alt+ArrowUp")
    shows_number(learner.cell("w_q", 0, 0), "0.3261")
    learner.says("is (0.4471, 1.4551)")  # 0.4306 + 0.55 × 0.03
    eventually(lambda: "w_q.0.0.0.3261" in learner.address, True)


def test_sentences_move_with_the_board_while_a_number_is_dragged(new: New) -> None:
    learner = new(Learner).lesson(step="projections", example="published")
    told, cell, mouse = learner.page.locator(".telling p").first, learner.cell("w_q", 0, 0), learner.page.mouse
    about = learner.page.locator(".telling .about")
    expect(told).to_contain_text("is (0.4306, 1.4551)")
    expect(about).to_be_visible()
    cell.hover()
    mouse.down()
    box = box_of(cell)
    mouse.move(box["x"] + box["width"] / 2 + 60, box["y"] + box["height"] / 2, steps=4)
    shows_another(cell, "0.2961")
    shown = [learner.cell("q", 1, column).get_attribute("data-value") or "" for column in (0, 1)]
    first, second = (written(float(value), 4) for value in shown)
    assert first != "0.4306"
    expect(told).to_contain_text(f"is ({first}, {second})")
    expect(about).to_be_hidden()  # where the numbers are from may be another thing now
    assert cell.bounding_box() == box, "nothing moves under the hand"
    mouse.up()
    expect(about).to_be_visible()
    expect(told).to_contain_text(f"is ({first}, {second})")


def test_what_a_step_asks_ends_above_the_dock(new: New) -> None:
    learner = new(Learner, 1366, 720)
    learner.go("/lesson")
    last, dock = (learner.page.locator(each) for each in (".st-key-predicting-skip", ".board .panel"))

    def ends_above() -> bool:
        end, top = (each.bounding_box() or {"y": nan, "height": nan} for each in (last, dock))
        return end["y"] + end["height"] <= top["y"]

    for number, step in enumerate(STEPS[1:], 2):
        learner.turn_to(f"/lesson?step={step.name}").is_at(f"{number}. {step.title}")
        expect(learner.page.locator(".board .name, .board .cell").first).to_be_visible()
        expect(last).to_be_visible()
        for height in (720, 768, 900):
            learner.page.set_viewport_size({"width": 1366, "height": height})
            is_laid(learner.page)
            with named(step.name, height):
                eventually(ends_above, True)
