"""The lesson by keyboard alone, on a projector, on a telephone; a changed weight changes the sentences."""

import re
from collections.abc import Callable
from functools import partial

import pytest
from playwright.sync_api import expect

from attnviz import Scenario, trace
from attnviz.teach.lesson import STEPS, reached_matrices
from attnviz.words import say
from attnviz.words.numbers import written
from tests.browser.accessibility import serious_trouble
from tests.browser.cells import shows_another, shows_number
from tests.browser.lesson import Learner
from tests.browser.playground import eventually
from tests.whole import dear


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
    expect(learner.cell("context", 0, 0)).to_be_visible()
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


def test_sentences_move_with_the_board_while_a_number_is_dragged(new_learner: Callable[..., Learner]) -> None:
    learner = new_learner().lesson(step=3)
    told, cell, mouse = learner.page.locator(".telling p").first, learner.cell("w_q", 0, 0), learner.page.mouse
    about = learner.page.locator(".telling .about")
    expect(told).to_contain_text("is (0.4306, 1.4551)")
    expect(about).to_be_visible()
    cell.hover()
    mouse.down()
    box = cell.bounding_box()
    assert box is not None
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


def test_a_challenge_is_met_by_keyboard_alone(new_learner: Callable[..., Learner]) -> None:
    learner = new_learner().lesson(step=9, d_in=1, d_out=1)
    expect(learner.cell("w_q", 0, 0)).to_be_visible()  # which the Tab key then meets on its first way round
    expect(learner.page.get_by_text("✓ Done: Make every token")).to_have_count(0)
    for _ in range(160):
        learner.tab()
        if learner.cell_in_focus()[0] == "w_q":
            break
    learner.page.keyboard.type("0")
    learner.page.keyboard.press("Enter")
    learner.says("✓ Done: Make every token")


# How much of the screen the step's part fills, how large its digits are, and how much of what is told has no room.
_PART = """() => {
  const {shadowRoot: root} = document.querySelector('[class*=st-key-][class*=board] [data-testid$=Isolated]');
  const parts = [...root.querySelectorAll('.matrix, .chip, .telling')].map(each => each.getBoundingClientRect());
  const seen = parts.filter(({width}) => width > 0);
  const across = Math.max(...seen.map(({right}) => right)) - Math.min(...seen.map(({left}) => left));
  const down = Math.max(...seen.map(({bottom}) => bottom)) - Math.min(...seen.map(({top}) => top));
  const digits = [...root.querySelectorAll('.cell, .share')].map(cell => parseFloat(getComputedStyle(cell).fontSize));
  const told = root.querySelector('.telling');
  return {
    fills: Math.max(across / innerWidth, down / innerHeight), digits: Math.min(...digits),
    cut: told.scrollHeight - told.clientHeight,
  };
}"""
# Which rows of which matrices are seen, as a telephone shows them.
_ROWS = """() => {
  const {shadowRoot: root} = document.querySelector('[class*=st-key-][class*=board] [data-testid$=Isolated]');
  const seen = [...root.querySelectorAll('.cell')].filter(cell => cell.checkVisibility({visibilityProperty: true}));
  return [...new Set(seen.map(cell => cell.dataset.at.split(',').slice(0, 2).join()))].sort();
}"""
# Which of the dots are filled.
_FILLED = "dots => [...dots.children].map(dot => getComputedStyle(dot).backgroundColor !== 'rgba(0, 0, 0, 0)')"
_OF_BOARD = """const board = '[class*=st-key-][class*=board] [data-testid$=Isolated]';
  const {shadowRoot: root} = document.querySelector(board);"""
# Where the matrices of the spine stand, and how much is seen of each.
_SPINE = f"""() => {{ {_OF_BOARD}
  return Object.fromEntries([...root.querySelectorAll('.matrix')].map(each => {{
    const {{x, y, width, height}} = each.querySelector('.grid').getBoundingClientRect();
    const [name] = each.querySelector('.cell').dataset.at.split(',');
    return [name, [[x, y, width, height], Number(getComputedStyle(each).opacity)]];
  }}));
}}"""
# What of some matrices lies under what is told beside them.
_OVER = f"""matrices => {{ {_OF_BOARD}
  const told = root.querySelector('.telling').getBoundingClientRect();
  return [...root.querySelectorAll(`${{matrices}} .cell`)].filter(each => {{
    const {{left, right, top, bottom}} = each.getBoundingClientRect();
    return left < told.right && told.left < right && top < told.bottom && told.top < bottom;
  }}).map(each => each.dataset.at);
}}"""
_RIBBONS = f"""() => {{ {_OF_BOARD}
  const scale = parseFloat(getComputedStyle(root.querySelector('.board')).getPropertyValue('--s'));
  const seen = [...root.querySelectorAll('.ribbon')].filter(each => each.checkVisibility() && each.getAttribute('d'));
  return seen.map(each => parseFloat(getComputedStyle(each).strokeWidth) / scale);
}}"""
_HIGHEST_RIBBON = f"""() => {{ {_OF_BOARD}
  const seen = [...root.querySelectorAll('.ribbon')].filter(each => each.checkVisibility() && each.getAttribute('d'));
  return Math.min(...seen.map(each => each.getBoundingClientRect().top));
}}"""
_TOOLS_END = f"() => {{ {_OF_BOARD} return root.querySelector('.tools').getBoundingClientRect().bottom; }}"
_FILLED_CELLS = f"""matrix => {{ {_OF_BOARD}
  const cells = [...root.querySelectorAll(`[data-at^="${{matrix}},"]`)];
  return cells.filter(each => each.textContent).map(each => each.dataset.at);
}}"""
SPINE = ("x", "w_q", "q", "w_k", "k", "scores", "attention_weights", "w_v", "v", "context")
UNREACHED = 0.08
_PLACE_OF = {"scaled_scores": "scores"}  # which stand where these stood
_FADED = "button => getComputedStyle(button.closest('.stButton')).opacity"
_RING = "button => [button.matches(':focus-visible'), getComputedStyle(button).outlineStyle]"


@dear
def test_a_lecture_room_sees_each_step_whole_and_large(new_learner: Callable[..., Learner]) -> None:
    learner = new_learner(1920, 1080).open("/lesson", example="fluffy-cat")
    learner.page.emulate_media(reduced_motion="reduce")
    learner.press("Presentation")
    expect(learner.page.get_by_test_id("stTopNav")).to_be_hidden()
    learner.page.mouse.move(900, 700)
    pressed = learner.page.get_by_role("button", name="End presentation")
    for number, step in enumerate(STEPS, 1):
        learner.is_at(f"{number}. {step.title}")
        assert learner.sideways <= 0
        eventually(lambda: learner.too_tall <= 0, True)
        part = partial(learner.page.evaluate, _PART)
        expect(learner.page.locator(".chip:visible")).to_have_count(6)  # another token can be picked at each step
        eventually(lambda: part()["fills"] >= 0.85 and part()["digits"] >= 27 and part()["cut"] <= 0, True)  # noqa: B023
        # A key leads on, and no button that was pressed with the mouse gets a ring for it; all of them fade.
        assert pressed.evaluate(_RING) == [False, "none"]
        eventually(lambda: float(pressed.evaluate(_FADED)) < 0.5, True)
        learner.page.keyboard.press("PageDown")
    # The letters follow the screen: a step that fits one fits the other.
    learner.page.set_viewport_size({"width": 1366, "height": 768})
    learner.page.keyboard.press("PageUp")
    learner.is_at(f"{len(STEPS) - 1}. {STEPS[-2].title}")
    assert learner.sideways <= 0
    eventually(lambda: learner.too_tall <= 0, True)
    learner.press("End presentation")
    expect(learner.page.get_by_test_id("stTopNav")).to_be_visible()
    learner.page.emulate_media(reduced_motion="no-preference")


_LISTEN = """() => {
  const {shadowRoot: root} = document.querySelector('[class*=st-key-][class*=board] [data-testid$=Isolated]');
  window.phases = [];
  root.querySelector('.board').addEventListener('attnviz:phase', ({detail}) => phases.push(detail));
}"""


@dear
def test_next_plays_its_part_of_the_row_and_ends_with_the_board_as_it_stands(
    new_learner: Callable[..., Learner],
) -> None:
    learner = new_learner(1366, 768).lesson(step=2)
    page = learner.page
    expect(learner.cell("x", 0, 0)).to_be_visible()
    page.evaluate(_LISTEN)
    play, slider, board = (page.locator(f".{name}") for name in ("playback .play", "playback .moment", "board"))
    playing = re.compile(r"\bplaying\b")
    spine = [learner.cell("x", 0, 0).bounding_box()]
    for number in (3, 4):
        page.keyboard.press("PageDown")
        learner.is_at(f"{number}. {STEPS[number - 1].title}")
        spine.append(learner.cell("x", 0, 0).bounding_box())
        eventually(lambda: page.evaluate("phases"), [STEPS[number - 1].plays, None])
        page.evaluate("phases.splice(0)")
        expect(board).not_to_have_class(playing)
        expect(play).to_have_text(say("board.play.start"))
    assert spine == [spine[0]] * 3, "the spine stands still"
    # Of one score alone, nothing else is filled, and nothing else was played.
    expect(learner.cell("scores", 1, 2)).to_have_attribute("data-value", re.compile(r"1\.8"))
    page.keyboard.press("PageDown")
    expect(board).to_have_class(playing)
    play.click()
    expect(play).to_have_text(say("board.play.on"))
    stood = slider.input_value()
    page.wait_for_timeout(200)
    assert slider.input_value() == stood
    page.locator(".playback .leave").click()
    expect(board).not_to_have_class(playing)
    assert page.evaluate("phases.splice(0)") == ["scores", None]
    # What is left or changed is not played anew; nor is what Back leads to, or what is not to move.
    learner.cell("w_q", 0, 0).focus()
    page.keyboard.press("Alt+ArrowUp")
    eventually(lambda: "w_q.0.0" in learner.address, True)
    learner.settle()
    page.keyboard.press("PageUp")
    learner.is_at("4. ")
    page.emulate_media(reduced_motion="reduce")
    page.keyboard.press("PageDown")
    learner.is_at("5. ")
    page.wait_for_timeout(300)
    expect(board).not_to_have_class(playing)
    assert page.evaluate("phases") == []
    page.emulate_media(reduced_motion="no-preference")


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (390, 844)])
def test_the_way_on_and_back_and_nine_dots_stand_still_from_the_first_step_to_the_last(
    new_learner: Callable[..., Learner], width: int, height: int
) -> None:
    learner = new_learner(width, height).lesson()
    button, dots = learner.page.get_by_role("button", name="Next"), learner.page.locator(".lesson-dots")
    back = learner.page.get_by_role("button", name="Back")
    places = []
    for number, step in enumerate(STEPS, 1):
        learner.is_at(f"{number}. {step.title}")
        assert learner.sideways <= 0
        places.append([each.bounding_box() for each in (back, button, dots)])
        assert dots.evaluate(_FILLED) == [at == number for at in range(1, 10)]
        if width < 400 and step.name == "softmax":  # the picked token's part of the stage, and nothing else
            rows = partial(learner.page.evaluate, _ROWS)
            eventually(rows, ["attention_weights,1", "scaled_scores,1"])
            learner.says("“journey” reads itself most")
            learner.page.get_by_role("radio", name="step").click()
            eventually(rows, ["attention_weights,5", "scaled_scores,5"])
            learner.says("“step” reads")
        if number < len(STEPS):
            button.click()
    assert None not in places[0]
    assert places == [places[0]] * len(STEPS)


@dear
def test_every_step_has_the_whole_spine_at_one_place_and_what_is_not_reached_is_faint(
    new_learner: Callable[..., Learner],
) -> None:
    for size in ((1366, 768), (1366, 650), (1920, 1080)):
        learner = new_learner(*size).open("/lesson", example="fluffy-cat")
        learner.page.emulate_media(reduced_motion="reduce")
        spines = []
        for number, step in enumerate(STEPS, 1):
            learner.is_at(f"{number}. {step.title}")
            learner.page.mouse.move(2, 2)
            expect(learner.page.locator(".chip:visible")).to_have_count(6)  # the board may come after the words
            reached = reached_matrices(number, trace(Scenario()))
            spine = learner.page.evaluate(_SPINE)
            spines.append({_PLACE_OF.get(name, name): box for name, (box, _) in spine.items()})
            seen = {name: opacity for name, (_, opacity) in spine.items()}
            assert seen == {name: 1 if name in reached else UNREACHED for name in seen}, step.name
            # Of the words alone, there is room beside them; of what is reached, on what isn't.
            assert learner.page.evaluate(_OVER, ".matrix" if number == 1 else ".matrix:not(.ghost)") == [], step.name
            if number < len(STEPS):
                learner.page.keyboard.press("PageDown")
        assert set(spines[0]) == {_PLACE_OF.get(name, name) for name in SPINE}
        assert spines == [spines[0]] * len(STEPS)


def test_the_first_step_has_a_picture_of_chips_and_ribbons(new_learner: Callable[..., Learner]) -> None:
    learner = new_learner().open("/lesson", example="fluffy-cat")
    learner.is_at("1. ")
    expect(learner.page.locator(".chip:visible")).to_have_count(6)
    widths = learner.page.evaluate(_RIBBONS)
    assert len(widths) == 6, "one to each word that may be read"
    assert sum(widths) == pytest.approx(56, abs=2)


@dear
def test_on_a_telephone_no_ribbon_of_the_first_step_runs_under_what_is_done_with_the_words(
    new_learner: Callable[..., Learner],
) -> None:
    learner = new_learner(390, 844).open("/lesson", example="fluffy-cat")
    learner.is_at("1. ")
    expect(learner.page.locator(".chip:visible")).to_have_count(6)
    assert learner.page.evaluate(_HIGHEST_RIBBON) >= learner.page.evaluate(_TOOLS_END) - 2


@dear
def test_one_score_is_that_of_the_other_word_that_matches_best(new_learner: Callable[..., Learner]) -> None:
    """Of published numbers, “journey” reads itself most: the step speaks of another word."""
    learner = new_learner().lesson(step=4)
    learner.is_at("4. ")
    weights = trace(Scenario(embedding="published")).attention_weights
    assert int(weights[1].argmax()) == 1
    others = weights[1].clone()
    others[1] = 0
    best = int(others.argmax())
    (score,) = learner.page.evaluate(_FILLED_CELLS, "scores")
    assert score == f"scores,1,{best}"
    learner.says("“starts”" if best == 2 else "“with”")


@pytest.mark.parametrize(("width", "height"), [(1366, 650), (390, 844)])
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
