"""What Set-up holds is reached by a question or a step of the history: nobody has to find it by luck."""

from collections.abc import Iterator

import pytest

from attnviz.core.scenario import Scenario
from attnviz.features.history.steps import STEPS
from attnviz.features.questions.questions import QUESTIONS, Option, Question
from attnviz.link.set_up import parameters

# What a sentence brings with it, what says how numbers are drawn or shown, and where they are computed.
NOT_TAUGHT = {"text", "embedding", "word_classes", "digits", "device"}


def scenarios_of(question: Question) -> Iterator[Scenario]:
    """Return all examples that a question shows: its own, what is predicted, and what its controls make."""
    yield question.start
    yield question.acted[0]
    for preset in question.presets:
        yield preset.change(question.start)
    for control in question.controls:
        yield control.change(question.start, int(control.high) if control.whole else control.high)
    for option in question.options:
        if isinstance(option, Option):
            yield from (
                question.makes(question.start, {**question.defaults, option.name: each}) for each in option.names
            )


@pytest.mark.parametrize("name", sorted(parameters().keys() - NOT_TAUGHT))
def test_each_control_of_the_set_up_is_moved_by_a_question_or_a_step(name: str) -> None:
    default = parameters()[name].default
    examples = {question.name: [*scenarios_of(question)] for question in QUESTIONS}
    examples |= {step.name: [step.scenario] for step in STEPS}
    assert [where for where, own in examples.items() if any(getattr(each, name) != default for each in own)], name
