"""The lesson by keyboard alone, on a projector, on a telephone; a changed weight changes the sentences."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from attnviz.teach.lesson import STEPS
from attnviz.words import say
from tests.browser.accessibility import serious_trouble
from tests.browser.cells import shows_another, shows_number
from tests.browser.lesson import Learner
from tests.browser.playground import eventually


def test_the_whole_lesson_by_keyboard_alone(new_learner: Callable[..., Learner]) -> None:
    learner = new_learner().lesson()
    keyboard = learner.page.keyboard
    learner.is_at("1. Tokens")
    learner.tab_to("Next")
    for number, step in enumerate(STEPS, 1):
        learner.is_at(f"{number}. {step.title}")
        if number == 5:
            assert "step=all-scores" in learner.address
        if number < len(STEPS):
            keyboard.press("Enter" if number < 3 else "PageDown")
    for number in range(len(STEPS) - 1, 7, -1):
        keyboard.press("PageUp")
        learner.is_at(f"{number}. {STEPS[number - 1].title}")

    # The query is picked with the keyboard too, and the sentences follow it.
    learner.tab_to("journey")
    keyboard.press("ArrowRight")
    learner.says("A large attention weight on a small value still gives little")
    eventually(lambda: "query=2" in learner.address, True)


def test_a_weight_changed_by_keyboard_changes_sentences_and_numbers(new_learner: Callable[..., Learner]) -> None:
    learner = new_learner().lesson(step=3)
    learner.says("is (0.4306, 1.4551)")
    shows_number(learner.cell("w_q", 0, 0), "0.2961")
    for _ in range(120):
        learner.tab()
        if learner.cell_in_focus()[0] == "w_q":
            break
    learner.walk_to("w_q", 0, 0)
    for _ in range(3):
        learner.page.keyboard.press("Alt+ArrowUp")
    shows_number(learner.cell("w_q", 0, 0), "0.3261")
    learner.says("is (0.4471, 1.4551)")  # 0.4306 + 0.55 × 0.03
    eventually(lambda: "w_q.0.0.0.3261" in learner.address, True)


def test_sentences_are_marked_as_older_while_a_drag_shows_newer_numbers(new_learner: Callable[..., Learner]) -> None:
    learner = new_learner().lesson(step=3)
    mark = learner.page.locator(".outdated")
    cell, mouse = learner.cell("w_q", 0, 0), learner.page.mouse
    expect(mark).to_be_empty()
    cell.hover()
    mouse.down()
    box = cell.bounding_box()
    assert box is not None
    mouse.move(box["x"] + box["width"] / 2 + 60, box["y"] + box["height"] / 2, steps=4)
    shows_another(cell, "0.2961")
    expect(mark).to_have_text(say("board.older"))
    learner.says("is (0.4306, 1.4551)")
    assert cell.bounding_box() == box, "nothing moves under the hand"
    mouse.up()
    expect(learner.page.get_by_text("is (0.4306, 1.4551)")).to_have_count(0)
    expect(mark).to_be_empty()


def test_a_challenge_is_met_by_keyboard_alone(new_learner: Callable[..., Learner]) -> None:
    learner = new_learner().lesson(step=9, d_in=1, d_out=1)
    expect(learner.page.get_by_text("✓ Done: Make every token")).to_have_count(0)
    for _ in range(160):
        learner.tab()
        if learner.cell_in_focus()[0] == "w_q":
            break
    learner.page.keyboard.type("0")
    learner.page.keyboard.press("Enter")
    learner.says("✓ Done: Make every token")


def test_a_lecture_room_sees_each_step_whole_and_large(new_learner: Callable[..., Learner]) -> None:
    learner = new_learner(1920, 1080).lesson()
    learner.press("Presentation")
    expect(learner.page.get_by_test_id("stTopNav")).to_be_hidden()
    for number, step in enumerate(STEPS[:-1], 1):
        learner.is_at(f"{number}. {step.title}")
        assert learner.sideways <= 0
        eventually(lambda: learner.too_tall <= 0, True)
        sentence = learner.page.get_by_test_id("stText").first
        box = sentence.bounding_box()
        assert box is not None
        assert box["height"] >= 30  # one line of large type
        learner.page.keyboard.press("PageDown")
    # The letters follow the screen: a step that fits one fits the other.
    learner.page.set_viewport_size({"width": 1366, "height": 768})
    learner.page.keyboard.press("PageUp")
    learner.is_at(f"{len(STEPS) - 1}. {STEPS[-2].title}")
    assert learner.sideways <= 0
    eventually(lambda: learner.too_tall <= 0, True)
    learner.press("End presentation")
    expect(learner.page.get_by_test_id("stTopNav")).to_be_visible()


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (390, 844)])
def test_next_stays_under_the_mouse_from_the_first_step_to_the_last(
    new_learner: Callable[..., Learner], width: int, height: int
) -> None:
    learner = new_learner(width, height).lesson()
    button = learner.page.get_by_role("button", name="Next")
    places = []
    for number, step in enumerate(STEPS, 1):
        learner.is_at(f"{number}. {step.title}")
        assert learner.sideways <= 0
        places.append(button.bounding_box())
        if number < len(STEPS):
            button.click()
    assert places == [places[0]] * len(STEPS)


@pytest.mark.parametrize(
    ("width", "height"),
    [
        pytest.param(1366, 768, marks=pytest.mark.xfail(reason="the list in the set-up is longer than the screen")),
        (390, 844),
    ],
)
def test_every_example_can_be_seen_at_once(new_learner: Callable[..., Learner], width: int, height: int) -> None:
    learner = new_learner(width, height).lesson()
    learner.setup_button.click()
    learner.press("Examples")
    last = learner.page.get_by_role("button", name="The dog runs (4-dimensional inputs)")
    expect(last).to_be_in_viewport(ratio=1)
    expect(learner.page.get_by_role("button", name="the cat sat on the mat")).to_be_in_viewport(ratio=1)


def test_the_lesson_can_be_read_by_screen_readers(new_learner: Callable[..., Learner]) -> None:
    learner = new_learner(color_scheme="dark")
    for number in (3, 9):  # the first, as every page, is seen by test_accessibility
        learner.lesson(step=number)
        learner.is_at(f"{number}. {STEPS[number - 1].title}")
        eventually(lambda: serious_trouble(learner.page), [])
