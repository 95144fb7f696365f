"""The board of a question, drawn from its link."""

from collections.abc import Mapping

from attnviz.app.components.board import drawn_data
from attnviz.app.server.boards import Board, is_presented
from attnviz.board.drawn import packed
from attnviz.features.questions.page.question import looks_of
from attnviz.features.questions.parameters import NUMBERS, QUESTION, example_from_text, question_of
from attnviz.link import parameter_table as rows
from attnviz.link.page_texts import TRIED
from attnviz.link.state import State


def boards() -> Mapping[str, Board]:
    """Return the questions' only board, by the page's name."""
    return {"questions": Board((QUESTION, NUMBERS, rows.PREDICTED, rows.PREDICTIONS), _board)}


def _board(state: State) -> bytes | None:
    question = question_of(state.values[QUESTION])
    if question is None:
        return None
    example, _ = example_from_text(question, state.values[NUMBERS])
    made = TRIED if state.values[rows.PREDICTIONS] == rows.OFF else state.values[rows.PREDICTED].get(question.slug, "")
    looks = looks_of(question, example, made, presenting=is_presented(state))
    if not looks.names:
        return None
    scenario = question.makes(example.scenario, example.options)
    trace = question.drawn_trace(example.scenario, example.options).for_head(0)
    data = drawn_data(scenario, trace, example.query, state.values["digits"], looks, is_current=False)
    return packed(data | {"picked": None})
