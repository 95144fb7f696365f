"""The board of a step, drawn from its link."""

from collections.abc import Mapping

from attnviz.app.server.boards import OF_NOW, Board, drawn_now, is_presented
from attnviz.board.data import has_numbers
from attnviz.core.scenario import traced
from attnviz.features.lesson.page.lesson import looks_of_step, predicted_of
from attnviz.features.lesson.parameters import STEP
from attnviz.features.lesson.steps import STEPS
from attnviz.link import parameter_table as rows
from attnviz.link.state import State


def boards() -> Mapping[str, Board]:
    """Return the lesson's only board, by the page's name."""
    return {"lesson": Board((*OF_NOW, STEP), _board)}


def _board(state: State) -> bytes | None:
    scenario = state.scenario
    if scenario is None or not has_numbers(scenario) or scenario.reads_others:
        return None
    trace = traced(scenario).for_head(state.values[rows.HEAD], state.values[rows.LAYER])
    (step,) = [each for each in STEPS if each.name == state.values[STEP]]
    choice, digits = predicted_of(step, state.values), state.values["digits"]
    looks = looks_of_step(step, scenario, trace, state.position, digits, choice, presenting=is_presented(state))
    return drawn_now(state, scenario, trace, looks)
