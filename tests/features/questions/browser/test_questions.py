"""The questions in a browser: all of them in turn, and each kind of control once."""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Locator, TimeoutError, expect

from attnviz import AttentionTrace, Scenario
from attnviz.core.scenario import traced
from attnviz.core.stages import STAGES
from attnviz.features.questions.parameters import question_of
from attnviz.features.questions.questions import QUESTIONS, Question
from attnviz.predicting.choice_question import ChoiceQuestion
from attnviz.words import say
from tests.browser.accessibility import nothing_is_found
from tests.browser.cells import shows_another, shows_number, shows_rows
from tests.browser.lesson import Learner
from tests.browser.looks import look_at, schemes
from tests.browser.playground import box_of, eventually
from tests.browser.readers import New

# How many numbers of the tables that stand for a board are cut at their right, or can only be moved into sight.
_CUT = """() => [...document.querySelectorAll('.st-key-questions_pictures text')].filter(each => {
  const { right } = each.getBoundingClientRect();
  for (let at = each; at.parentElement; at = at.parentElement) {
    if (getComputedStyle(at).overflowX !== 'visible' && right > at.getBoundingClientRect().right + 1) return true;
  }
  return false;
}).length"""
# What each cell and each text of a picture says, with whether its row is followed, and whether it is in sight.
_DRAWN = """() => {
  const roots = [document, ...[...document.querySelectorAll('*')].flatMap(each => each.shadowRoot ?? [])];
  const drawn = roots.flatMap(root => [...root.querySelectorAll('.cell[data-value], .stMain svg[role=img] text')]);
  return Object.fromEntries(drawn.map((each, n) => {
    const { top, bottom, height } = each.getBoundingClientRect();
    const says = `${each.dataset.value ?? each.textContent} ${each.matches('.query')}`;
    return [`${n}: ${each.dataset.at}`, [says, height > 0 && top > 48 && bottom < innerHeight]];
  }));
}"""
_SEEN = "cells => cells.every(each => each.getBoundingClientRect().bottom <= innerHeight)"
OTHERS = ((1024, 768), (1366, 650), (1920, 1080))
# Whether the matrices stand from left to right, or below each other, and beside these what they are made by; whether
# anything is drawn, and some of it needs a scroll.
_SPINE = """side => {
  const roots = [document, ...[...document.querySelectorAll('*')].flatMap(each => each.shadowRoot ?? [])];
  const first = selector => roots.map(root => root.querySelector(selector)).find(Boolean);
  const of = name => roots.flatMap(root => [...root.querySelectorAll(`[data-matrix="${name}"] .cell`)])
    .map(each => each.getBoundingClientRect()).find(box => box.height);
  const at = ['x', 'q', 'scores', 'scaled_scores', 'attention_weights', 'context']
    .map(name => of(name)?.[side]).filter(place => place !== undefined);
  const before = (one, other, edge) => side === 'top' || !of(one) || !of(other) || of(one)[edge] < of(other)[edge];
  const beside = before('w_v', 'v', 'left') && [['w_q', 'q'], ['w_k', 'k'], ['k', of('scores') ? 'scores'
    : 'scaled_scores'], ['v', 'context']].every(pair => before(...pair, 'top'));
  return [beside && at.every((place, i) => i === 0 || place - at[i - 1] > (side === 'left' ? 0 : -1)),
    Boolean(first('.cell, svg[role=img]')), Boolean(first('.more-right, .more-left'))];
}"""


@pytest.fixture
def learner(new: New) -> Learner:
    return new(Learner)


def begun(learner: Learner, slug: str) -> Learner:
    """Open a question as who wants to try its example without a guess left it."""
    question = question_of(slug)
    assert question is not None
    return learner.questions(question=slug, predicted=f"{slug}.tried")


# All text of the page, hidden too, the numbers of the first board's cells, and of which matrices there are any.
ALL = """() => {
  const texts = [], boards = [], places = [];
  const walk = (root) => {
    for (const e of root.querySelectorAll('*')) {
      if (!['STYLE', 'SCRIPT', 'NOSCRIPT'].includes(e.tagName)) {
        for (const n of e.childNodes) if (n.nodeType === 3) texts.push(n.textContent);
        for (const name of ['aria-label', 'title', 'alt']) if (e.hasAttribute(name)) texts.push(e.getAttribute(name));
      }
      if (e.dataset?.at) places.push(e.dataset.at.split(',')[0]);
      if (e.shadowRoot) walk(e.shadowRoot);
    }
    const cells = [...root.querySelectorAll('[data-at][data-value]')];
    if (cells.length) boards.push(Object.fromEntries(cells.map((e) => [e.dataset.at, Number(e.dataset.value)])));
  };
  walk(document.querySelector('[data-testid=stMain]'));
  return {text: texts.join('\\n'), cells: boards[0] ?? {}, places};
}"""


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)], ids=str)
def test_each_question_holds_no_answer_before_a_prediction_and_is_one_screen(new: New, size: tuple[int, int]) -> None:
    """On a wide screen, what was predicted is wrong, and what is tried next is seen; on a telephone, it's skipped."""
    wide = size[0] > 1000
    learner = new(Learner, *size, color_scheme="light" if wide else "dark").questions(question=QUESTIONS[0].slug)
    for at, question in enumerate(QUESTIONS):
        learner.is_at(question.title)
        expect(learner.page.get_by_text(question.asked.act, exact=True)).to_be_visible()
        _look(learner, question.slug, wide)
        answers = {*question.answer, question.try_this, say("question_page.seen"), question.asked.happened}
        answers |= {say(f"questions.{question.name}.wrong.{wrong}") for wrong in question.predicts.wrong}
        answers |= {*question.look(question.start, {}, 4).sentences, *question.look(*question.acted, 4).sentences}
        found = _holds(learner, question, question.start, question.defaults)
        assert not [each for each in answers if each in found]
        wrong = next(iter(question.predicts.wrong))
        if wide or at % 2:
            learner.page.locator(f".st-key-{f'predict-{wrong}' if wide else 'predicting-skip'} button").click()
        else:
            reveal(learner)
        expect(
            learner.page.get_by_text(question.asked.outcome(wrong if wide else "")[0], exact=True)
        ).to_be_in_viewport()
        expect(learner.page.locator(".st-key-prediction_outcome")).to_be_focused()
        expect(learner.page.get_by_text(question.answer[0], exact=True)).to_be_in_viewport()
        _look(learner, f"{question.slug}, answered", wide)
        assert (say(f"questions.{question.name}.wrong.{wrong}") in _holds(learner, question, *question.acted)) == wide
        if wide:
            _tries(learner, question)
        if at + 1 < len(QUESTIONS):
            learner.press(say("question_page.next"))
            expect(learner.page.locator(".st-key-question_head h2")).to_be_focused()


def between(one: Locator, other: Locator, edge: str = "top") -> float:
    first, second = (float(each.evaluate(f"each => each.getBoundingClientRect().{edge}")) for each in (one, other))
    return second - first


def reveal(learner: Learner, act: Callable[[], None] | None = None) -> None:
    """Press Space, or do what answers, again where a page that has just come doesn't hear it yet."""
    page = learner.settle().page
    skip = page.locator(".st-key-predicting-skip")
    skip.wait_for()
    for patience in (3_000, 10_000, 60_000):
        (act or partial(page.keyboard.press, "Space"))()
        with suppress(TimeoutError):
            return skip.wait_for(state="detached", timeout=patience)
    raise AssertionError("nothing is revealed")


def holds_nothing(text: str, told: set[str], asked: ChoiceQuestion) -> None:
    answers = {*told, *asked.more, asked.happened, *asked.wrong.values()} - {""}
    assert not [each for each in answers if each in text]


def seen(learner: Learner, scenario: Scenario) -> tuple[str, dict[str, float]]:
    """Return all text of the page and the numbers of its cells, once these are those of a scenario."""
    seen: Any = {}

    def others() -> list[str]:
        seen.update(learner.page.evaluate(ALL))
        return [at for at, value in seen["cells"].items() if not _is(traced(scenario), at, value)]

    eventually(others, [])
    return str(seen["text"]), dict(seen["cells"])


def _holds(learner: Learner, question: Question, scenario: Scenario, options: dict[str, str]) -> str:
    """Return all text of the page, once the cells of its board are those of an example."""
    made = question.drawn_trace(scenario, options)
    text, cells = seen(learner, question.makes(scenario, {**question.defaults, **options}))
    assert bool(cells) == bool({*question.board_matrices(options)} & {*made.for_head(0).stages})
    return text


def _is(made: AttentionTrace, at: str, value: float) -> bool:
    name, *head, row, column = at.split(",")
    seen = made.for_head(int(head[0]) if head else 0)
    if name not in seen.stages:
        return False
    exact = float(seen[name].reshape(-1, seen[name].shape[-1])[int(row), int(column)])
    return exact == value or abs(exact - value) < 1e-3


def _look(learner: Learner, name: str, wide: bool) -> None:
    """Wait until what has just been drawn stands as it should."""
    learner.settle()
    slug, _, stage = name.partition(", ")

    def wrong() -> dict[str, Any]:
        seen = look_at(learner.page)
        ordered, drawn, scrolls = learner.page.evaluate(_SPINE, "left" if wide else "top")
        limits = seen.trouble | {"undrawn": not drawn, "scrolls": scrolls, "table": learner.page.evaluate(_CUT)}
        limits["disorder"] = not ordered and slug != "keys-first"
        limits["much"] = seen.more_than(stage or "question", 1366 if wide else 390)
        if wide:
            limits["down"] = seen.down > 1
        return {f"{name}: {key}": bad for key, bad in limits.items() if bad}

    eventually(wrong, {})
    cells = learner.page.locator(".board .cell:visible")
    usual = (1366, 768) if wide else (390, 844)
    for sizes, scheme in zip((OTHERS * wide, (usual,)), schemes(learner.page), strict=True):
        for width, height in sizes:
            learner.page.set_viewport_size({"width": width, "height": height})
            at = (name, scheme, width, height)
            eventually(lambda: (*at, look_at(learner.page).trouble), (*at, {}))  # noqa: B023
            if height > 700 and width != 1366 and wide and not stage:  # each number of every head, below what is asked
                eventually(lambda: (*at, cells.evaluate_all(_SEEN)), (*at, True))  # noqa: B023
    if name in (QUESTIONS[0].slug, f"{QUESTIONS[0].slug}, answered"):
        nothing_is_found(learner.page)


def _tries(learner: Learner, question: Question) -> None:
    """Press the first thing to try, and see on the screen what that changes."""
    press = learner.page.locator(".st-key-questions-then button")
    if press.count() == 0:
        press = learner.page.locator(f"[class*=st-key-questions-{question.slug}-press-] button")
        if not question.presets:
            return
        learner.page.locator(".st-key-question_more summary").click()
    before, name = learner.page.evaluate(_DRAWN), press.first.inner_text()
    press.first.click()

    def is_seen() -> bool:
        now = learner.page.evaluate(_DRAWN)
        return any(in_sight and before.get(at, [""])[0] != says for at, (says, in_sight) in now.items())

    eventually(is_seen, True)
    token = re.fullmatch(r"Follow “(.+)”", name)
    if token and question.board_matrices(question.acted[1]):  # else a picture alone follows it
        expect(learner.page.locator(".chip.on").first).to_have_text(token[1])
    learner.settle()  # its run moves what can be pressed next


def test_a_button_and_a_cell_change_the_example_and_back_returns(learner: Learner) -> None:
    begun(learner, "values")
    shows_another(learner.cell("w_v", 0, 0), "0.0000")
    learner.press("W_v = zeros")
    shows_number(learner.cell("w_v", 0, 0), "0.0000")
    learner.says(f"{STAGES['context'].title}: changed by up to")
    learner.cell("w_v", 0, 0).dblclick()
    learner.page.keyboard.type("7")
    learner.page.keyboard.press("Enter")
    shows_number(learner.cell("w_v", 0, 0), "7.0000")
    eventually(lambda: "w_v.0.0.7.0" in learner.address, True)
    learner.settle()
    learner.page.go_back()
    shows_number(learner.cell("w_v", 0, 0), "0.0000")


def test_what_a_try_and_a_switch_change_is_on_the_screen(new: New) -> None:
    learner = begun(new(Learner, 1366, 768), "values")
    learner.press("W_v = zeros")
    shows_number(learner.cell("context", 0, 0), "0.0000")
    for at in (("w_v", 0, 0), ("context", 0, 0), ("context", 3, 1)):
        expect(learner.cell(*at)).to_be_in_viewport(ratio=1)
    learner.go("/", example="fluffy-cat")
    learner.press(say("board.views.what_if"))
    score = learner.cell("scores", 1, 2)
    before = score.get_attribute("data-value")
    choice = learner.page.get_by_text(say("what_if.projections.exchanged.choice"), exact=True)
    box_of(choice)  # Playwright scrolls the page to click what still unfolds, as no hand does
    choice.click()
    reveal(learner)  # what is predicted of it
    expect(score).not_to_have_attribute("data-value", before or "")
    shows_rows(learner.page.locator(".board"))
    words, name = learner.page.locator(".sentence"), learner.page.locator(".matrix[data-matrix=x] .title").first
    high = words.evaluate("each => each.getBoundingClientRect().height")
    assert between(words, name) > high - 4, "X's name loses more than the space above it"


def test_a_token_is_followed_by_the_marked_row_and_nothing_is_changed_before_a_prediction(learner: Learner) -> None:
    learner.questions(question="values")
    followed = re.compile(r"\bquery\b")
    expect(learner.cell("attention_weights", 0, 0)).to_have_class(followed)
    learner.page.get_by_role("radio", name="mouse").click()
    expect(learner.cell("attention_weights", 3, 0)).to_have_class(followed)
    expect(learner.cell("attention_weights", 0, 0)).not_to_have_class(followed)
    learner.cell("w_v", 0, 0).dblclick()
    learner.page.keyboard.type("7")
    learner.page.keyboard.press("Enter")
    shows_number(learner.cell("w_v", 0, 0), "1.0000")
    expect(learner.page.locator(".st-key-predict-same")).to_be_visible()


def test_the_door_of_questions_leads_from_one_back_to_the_list(new: New) -> None:
    reader = new(Learner).go("/questions", question="axis")
    expect(reader.page.locator(".st-key-question_head")).to_be_visible()
    menu = reader.page.get_by_test_id("stTopNav")
    menu.get_by_text("Learn", exact=True).click()
    reader.page.get_by_test_id("stTopNavPopover").get_by_role("menuitem", name="Questions").click()
    expect(reader.page.locator(".st-key-question_head")).to_have_count(0)
    eventually(lambda: "question=" in reader.page.url, False)
    reader.page.go_back()
    expect(reader.page.locator(".st-key-question_head")).to_be_visible()
