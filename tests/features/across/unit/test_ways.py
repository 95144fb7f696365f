"""Ways from one feature to another lead somewhere."""

import pytest

from attnviz.features.lesson.steps import STEPS
from attnviz.features.questions.questions import QUESTIONS, Question
from attnviz.link.ways import way_to, ways_beside


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda each: each.name)
def test_a_question_and_a_step_lead_to_each_other(question: Question) -> None:
    there = way_to("lesson", step=question.step)
    assert there is not None
    assert there.query == {"step": STEPS[question.step - 1].name}
    back = [way.query["question"] for way in ways_beside("lesson", step=question.step)]
    assert question.slug in back
    assert (question.sweep is None) or way_to("scaling", sweep=question.sweep) is not None


def test_to_what_is_not_there_leads_no_way() -> None:
    assert way_to("nowhere") is None
    assert [*ways_beside("nowhere", step=1)] == []
