"""Ways from one feature to another, gone on pages."""

from attnviz.features.lesson.steps import STEPS
from attnviz.features.questions.questions import QUESTIONS
from attnviz.words import say
from tests.pages.reader import Reader, in_address


def test_a_step_leads_to_the_questions_asked_there() -> None:
    reader = Reader("pages/lesson.py", step="mix", predictions="on")
    asked = next(question for question in QUESTIONS if question.step == 8)
    reader.press(asked.title)
    assert asked.asked.asks in reader.says
    assert in_address(reader.at, "question") == asked.slug
    reader.press(say("lesson.way_back", number=8))
    assert in_address(reader.at, "step") == STEPS[7].name
    assert asked.title in [each.label for each in reader.at.button]
