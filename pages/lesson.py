"""The lesson: self-attention step by step, with the current scenario's numbers."""

from attnviz.app.parts.examples import show_blank, show_second_sentence
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import is_presenting, picked_query, traced_in_view
from attnviz.core.scenario import Scenario
from attnviz.features.lesson.page.lesson import (
    current_step,
    show_challenges,
    show_head,
    show_lit_board,
    show_questions,
    to_predict,
)
from attnviz.features.lesson.steps import STEPS


def show_lesson(scenario: Scenario) -> None:
    """Draw the current step, told with this scenario."""
    query = picked_query(scenario)
    computed = traced_in_view(scenario)
    number = current_step()
    asked = to_predict(number, scenario, computed, query)
    show_head(number, asked)
    show_lit_board(number, scenario, computed, query, asked)
    show_questions(number)
    if number == len(STEPS) and not is_presenting():
        show_challenges(scenario, computed)


scenario = this_session().scenario
if scenario is None:
    show_blank("lesson.blank")
elif scenario.reads_others:
    show_second_sentence(f"lesson.{scenario.reads}")
else:
    show_lesson(scenario)
