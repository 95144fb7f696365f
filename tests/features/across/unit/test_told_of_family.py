"""The lesson tells what steps of the history do."""

import pytest

from attnviz import Scenario, trace
from attnviz.features.history.steps import STEPS as STEPS_OF_HISTORY
from attnviz.features.lesson.steps import STEPS

OF_HISTORY = {step.name: step.scenario for step in STEPS_OF_HISTORY}


@pytest.mark.parametrize(
    ("step", "name", "key"),
    [
        ("one_score", "linear", "one_score.linear"),
        ("scale", "linear", "scale.linear"),
        ("softmax", "linear", "softmax.linear"),
        ("scale", "alibi", "scale.biased"),
        ("embeddings", "transformer", "embeddings.factor"),
    ],
)
def test_the_lesson_tells_what_the_set_up_does(step: str, name: str, key: str) -> None:
    own = next(each for each in STEPS if each.name == step.replace("_", "-"))
    keys = [getattr(told, "key", "") for told in own.tells(trace(OF_HISTORY[name]).for_head(0), 1, 4)]
    assert f"lesson.{key}" in keys
    usual = [getattr(told, "key", "") for told in own.tells(trace(Scenario()), 1, 4)]
    assert f"lesson.{key}" not in usual
