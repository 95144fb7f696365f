"""No step of the lesson holds its answer in the page before it is predicted, as no question does."""

from itertools import pairwise

import pytest
from playwright.sync_api import expect

from attnviz import Scenario
from attnviz.core.scenario import traced
from attnviz.features.lesson.asking import prediction_of
from attnviz.features.lesson.steps import STEPS, reached_matrices
from tests.browser.accessibility import nothing_is_found
from tests.browser.lesson import Learner
from tests.browser.playground import at_rest
from tests.browser.readers import New
from tests.features.questions.browser.test_questions import ALL, between, holds_nothing, reveal, seen


def test_no_step_of_the_lesson_holds_its_answer_before_a_prediction(new: New) -> None:
    """Nothing that is told afterwards is in the page's text, and no cell has a number of its own; a choice shows what
    happened, or a press on the row or the cell that it's of."""
    learner = new(Learner, 1366, 768).open("/lesson", step=STEPS[1].name, example="published")
    usual = Scenario(embedding="published")
    trace = traced(usual)
    shown, words, rows = (
        learner.page.locator(each).first for each in ("[class*=st-key-predict-] button", ".chip", ".spine .name")
    )
    below = [at_rest(learner.page, lambda: between(words, rows))]
    assert between(shown, shown.locator("p"), "left") < 30, "a choice is read from its left on"
    for before, step in pairwise(STEPS):
        asked = prediction_of(step.name, trace, 1, 4)
        assert asked is not None
        expect(learner.page.get_by_text(asked.act, exact=True)).to_be_visible()
        text, cells = seen(learner, usual)
        holds_nothing(text, {*before.says(trace, 1, 4), *step.says(trace, 1, 4), step.analogy}, asked)
        assert not {*learner.page.evaluate(ALL)["places"]} - {*reached_matrices(STEPS.index(before) + 1, trace)}
        assert step.finding or "%" not in text, "shares that aren't made yet"
        assert not before.one_cell or sum(at.startswith("scores") for at in cells) == 1
        if before is STEPS[0]:
            nothing_is_found(learner.page)
        if asked.cells:  # a row of it is a choice
            at, choice = list(asked.cells.items())[-1]
            reveal(learner, learner.page.locator(f"[data-at='{at},0']").first.click)
            learner.says(asked.outcome(choice)[0])
        else:
            wrong = next(iter(asked.wrong))
            learner.page.locator(f".st-key-predict-{wrong} button").click()
            learner.says(asked.outcome(wrong)[0])
            assert f"step-{step.name}.{wrong}" in learner.address
            expect(learner.page.locator(".telling .outcome")).to_be_focused()
            if before is STEPS[0]:
                nothing_is_found(learner.page)
            below.append(between(words, rows))
            learner.page.locator(".st-key-lesson-next button").click()
            expect(learner.page.locator(".st-key-lesson_head h2")).to_be_focused()
    embeddings, others = below[:2], below[2:]  # vectors that stand alone have the whole screen
    for of_step in (embeddings, others):
        assert of_step == pytest.approx([of_step[0]] * len(of_step), abs=0.5), "nothing moves from step to step"
