"""The board of a query, computed from it alone, without a session."""

from collections.abc import Mapping
from types import MappingProxyType

from attnviz.app.components.board import drawn_data, numbers_of
from attnviz.app.lesson import looks_of_step, predicted_of
from attnviz.app.parts.predicting import predicted
from attnviz.app.playground.views import drawn_heatmaps
from attnviz.app.questions.question import looks_of
from attnviz.board.data import has_numbers
from attnviz.board.drawn import IN_A_HALL, OF_PLAYGROUND, Looks, as_place, packed
from attnviz.core.attention import AttentionTrace
from attnviz.core.heads import as_seen
from attnviz.core.scenario import Scenario, traced
from attnviz.explanation import explain
from attnviz.link import parameter_table as rows
from attnviz.link.question_text import TRIED, example_from_text, question_of
from attnviz.link.state import State, state_of
from attnviz.teach.lesson import STEPS
from attnviz.teach.switched import yet_to_predict

PLAYGROUND, LESSON, QUESTIONS = "playground", "lesson", "questions"
_OF_NOW = (rows.QUERY, rows.HEAD, rows.LAYER, rows.CELL, rows.PREDICTED, rows.PREDICTIONS, rows.PRESENT)
# Pages that have a board on which numbers are changed, and what beside the set-up it depends on.
PAGES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        PLAYGROUND: _OF_NOW,
        rows.HEATMAPS: _OF_NOW,
        LESSON: (*_OF_NOW, rows.STEP),
        QUESTIONS: (rows.QUESTION, rows.NUMBERS, rows.PREDICTED, rows.PREDICTIONS),
    }
)


def board_of(page: str, query: str) -> bytes | None:
    """Return the JSON of a page's board; None if it has none.

    `query` in it is the followed token, and `picked` the picked cell. What one session alone
    has is not in it: the board's key, the last answer, and the part of Play that a step of the lesson begins with.
    """
    state = state_of(query, PAGES[page])
    return _of_question(state) if page == QUESTIONS else _of_now(state, page)


def _of_now(state: State, page: str) -> bytes | None:
    scenario = state.scenario
    if scenario is None or not has_numbers(scenario) or (page == LESSON and scenario.reads_others):
        return None
    head, layer = state.values[rows.HEAD], state.values[rows.LAYER]
    if page != LESSON:
        done = predicted(state.values[rows.PREDICTIONS], state.values[rows.PREDICTED])
        scenario, _ = yet_to_predict(scenario, done, state.position, head, layer)
    trace = traced(scenario).seen_from(head, layer)
    digits, cell = state.values["digits"], state.values[rows.CELL]
    picked = cell and as_seen(trace.stages, trace.matrices, *cell)
    if page == rows.HEATMAPS:
        explained = picked and explain(trace, *picked, digits=digits, scenario=scenario)
        seen = numbers_of(scenario, state.position, state.values[rows.HEAD], state.values[rows.LAYER], digits)
        return packed(drawn_heatmaps(trace, explained, state.position, digits) | {"numbersOf": seen})
    looks = _looks(state, page, scenario, trace)
    data = drawn_data(scenario, trace, state.position, digits, looks, of_now=True)
    return packed(data | {"picked": as_place(picked)})


def _presenting(state: State) -> bool:
    return bool(state.values[rows.PRESENT] == rows.PRESENTED)


def _looks(state: State, page: str, scenario: Scenario, trace: AttentionTrace) -> Looks:
    if page == PLAYGROUND:
        return IN_A_HALL if _presenting(state) else OF_PLAYGROUND
    (step,) = [each for each in STEPS if each.name == state.values[rows.STEP]]
    made = predicted_of(step, state.values)
    digits = state.values["digits"]
    return looks_of_step(step, scenario, trace, state.position, digits, made, presenting=_presenting(state))


def _of_question(state: State) -> bytes | None:
    question = question_of(state.values[rows.QUESTION])
    if question is None:
        return None
    example, _ = example_from_text(question, state.values[rows.NUMBERS])
    made = TRIED if state.values[rows.PREDICTIONS] == rows.OFF else state.values[rows.PREDICTED].get(question.slug, "")
    looks = looks_of(question, example, made, presenting=_presenting(state))
    if not looks.names:
        return None
    scenario = question.makes(example.scenario, example.options)
    trace = question.drawn_trace(example.scenario, example.options).seen_from(0)
    data = drawn_data(scenario, trace, example.query, state.values["digits"], looks, of_now=False)
    return packed(data | {"picked": None})
