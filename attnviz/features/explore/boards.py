"""The board and the heatmaps of Explore, drawn from its link."""

from collections.abc import Mapping

from attnviz.app.components.board import numbers_of
from attnviz.app.parts.predicting import predicted
from attnviz.app.server.boards import OF_NOW, Board, drawn_now, is_presented, picked_in
from attnviz.board.data import has_numbers
from attnviz.board.drawn import OF_PLAYGROUND, PRESENTING, packed
from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import Scenario, traced
from attnviz.explanation import explain
from attnviz.features.explore.page.views import drawn_heatmaps
from attnviz.features.explore.parameters import HEATMAPS
from attnviz.features.explore.switch_predictions import yet_to_predict
from attnviz.link import parameter_table as rows
from attnviz.link.state import State


def boards() -> Mapping[str, Board]:
    """Return the boards by the names that the page asks for."""
    return {"playground": Board(OF_NOW, _board), HEATMAPS: Board(OF_NOW, _heatmaps)}


def _shown(state: State) -> tuple[Scenario, AttentionTrace] | None:
    """Return the scenario and trace to draw; None without numbers."""
    if state.scenario is None or not has_numbers(state.scenario):
        return None
    head, layer = state.values[rows.HEAD], state.values[rows.LAYER]
    done = predicted(state.values[rows.PREDICTIONS], state.values[rows.PREDICTED])
    scenario, _ = yet_to_predict(state.scenario, done, state.position, head, layer)
    return scenario, traced(scenario).for_head(head, layer)


def _board(state: State) -> bytes | None:
    shown = _shown(state)
    return shown and drawn_now(state, *shown, PRESENTING if is_presented(state) else OF_PLAYGROUND)


def _heatmaps(state: State) -> bytes | None:
    shown = _shown(state)
    if shown is None:
        return None
    scenario, trace = shown
    picked, digits = picked_in(state, trace), state.values["digits"]
    explained = picked and explain(trace, *picked, digits=digits, scenario=scenario)
    seen = numbers_of(scenario, state.position, state.values[rows.HEAD], state.values[rows.LAYER], digits)
    return packed(drawn_heatmaps(trace, explained, state.position, digits) | {"numbersOf": seen})
