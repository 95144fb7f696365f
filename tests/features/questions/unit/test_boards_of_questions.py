"""The boards of questions: laid out as every board is."""

import pytest

from attnviz import trace
from attnviz.board.data import board_data
from attnviz.features.questions.questions import QUESTIONS, Question
from tests.node import PageScript
from tests.unit.board.test_spine import TITLES, room, stand_apart


@pytest.mark.parametrize("question", [question for question in QUESTIONS if question.shows], ids=lambda q: q.name)
@pytest.mark.parametrize("width", [390.0, 798.0, 1310.0])
def test_some_matrices_alone_stand_apart_and_no_title_lies_on_another_or_beyond_the_board(
    script: PageScript, question: Question, width: float
) -> None:
    ends_of_sliders = (c.change(question.start, value) for c in question.controls for value in (c.low, c.high))
    for scenario in (question.start, *ends_of_sliders):
        data = board_data(scenario, trace(scenario), 0, 4, question.shows)
        layout, titles, legend = script.run(TITLES, [data, room(width, tokens=len(scenario.tokens), plane=False)])
        stand_apart(layout, titles, legend, width)
