"""Every way to train that the page offers teaches what its text says: each is trained, and held to its law."""

from collections.abc import Callable
from typing import Any

import pytest

from attnviz.features.learn.page.controls import VARIATIONS
from attnviz.features.learn.page.moment_view import _ALIKE
from attnviz.features.learn.page.step_details import SATURATED, VANISHED
from attnviz.features.learn.training import Training, train
from attnviz.words import say
from tests.features.learn.unit.test_training import TEACHES, trained


def learns(training: Training) -> None:
    accuracy, (figure, share) = TEACHES[training.settings.task]
    assert training.moments[-1].accuracy >= accuracy
    assert training.moments[-1].figures[figure] >= share


def sticks(training: Training) -> None:
    """It agrees with the noun beside the verb: of the sentences held out, half have nouns of different numbers."""
    last = training.moments[-1]
    assert last.accuracy == 0.5
    assert last.figures["subject"] < 0.1


def saturates(training: Training) -> None:
    last = len(training.losses)
    assert last == training.settings.steps
    weights = training.trace(last).attention_weights[1:]
    assert float(weights.max(-1).values.mean()) >= SATURATED
    sizes = {name: float(each.norm()) for name, each in training.gradients(last).of.items()}
    assert max(sizes["w_q"], sizes["w_k"]) <= VANISHED * sizes["w_v"]


def cannot(training: Training) -> None:
    """At no moment it has found the law, as two layers do."""
    accuracy, (figure, share) = TEACHES[training.settings.task]
    assert max(moment.accuracy for moment in training.moments) < 0.5 < accuracy
    assert max(moment.figures[figure] for moment in training.moments) < share / 2


def stays_alike(training: Training) -> None:
    """What the board says then, at every moment that the slider has."""
    for moment in training.moments:
        for layer in training.trace(moment.step).layers:
            assert float((layer.attention_weights - layer.attention_weights[:1]).abs().max()) < _ALIKE
    assert training.moments[-1].loss < training.moments[0].loss


def has_half_at_most(training: Training) -> None:
    """Of each two sentences with the same words, one answer at most is right, at every moment."""
    assert max(moment.accuracy for moment in training.moments) <= 0.5


LAWS: dict[str, Callable[[Training], None]] = {
    "learns": learns, "sticks": sticks, "saturated": saturates, "two_layers": learns, "one_layer": cannot,
    "alike": stays_alike, "with_positions": learns, "no_positions": has_half_at_most,
}  # fmt: skip
OFFERED = [(task, name, changed) for task, kinds in VARIATIONS.items() for name, changed in kinds.items()]


@pytest.mark.parametrize(("task", "name", "changed"), OFFERED, ids=lambda each: each if isinstance(each, str) else "")
def test_what_is_one_click_away_teaches_what_its_button_says(task: str, name: str, changed: dict[str, Any]) -> None:
    LAWS[name](trained(task, **changed))


def test_every_button_has_a_law() -> None:
    assert set(LAWS) == {name for _, name, _ in OFFERED}


def test_the_text_that_stands_there_first_is_learned_and_has_the_head_to_look_for() -> None:
    training = train("text", text=say("learn.own.example"))
    first, last = training.moments[0], training.moments[-1]
    assert first.accuracy < 0.2
    assert last.accuracy > 0.7
    assert min(moment.loss for moment in training.moments) < first.loss / 4
    assert first.figures["previous"] < 0.3
    assert max(moment.figures["previous"] for moment in training.moments) > 0.6
    early, late = ("".join(training.generate(step, "the ", 120)).split()[1:-1] for step in (0, 600))
    words = set(say("learn.own.example").split())
    assert sum(word in words for word in early) < 0.2 * len(early)
    assert sum(word in words for word in late) > 0.8 * len(late)
