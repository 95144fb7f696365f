"""A link of Watch it learn opens what its sender saw, to the last bit: of a training that didn't end, too."""

from typing import Any

import numpy as np

from attnviz import train
from attnviz.app.learn.running import shared
from attnviz.words import plural, say
from tests.pages.learn.test_learn import FEW, PAGE, matches, opened, part, switch_off, trained, weights_of
from tests.pages.reader import Reader, in_address

STEPS = plural(20, "step")


def paused() -> Reader:
    """A reader who has done three steps of twenty, the last at another rate."""
    reader = trained(Reader(PAGE).set("learn.steps", 20).press(say("learn.one_step")))
    trained(reader.press(say("learn.one_step"))).set("learn.rate", 0.5)
    return trained(reader.press(say("learn.one_step")))


def shown_in(reader: Reader) -> tuple[Any, ...]:
    """What the page draws: the head's numbers, the curves, and every number of every moment."""
    time, kept = reader.sent("learn_time"), reader.sent("learn_kept")
    return time["model"]["table"], time["charts"], time["steps"], kept


def test_the_link_of_a_training_that_did_not_end_trains_it_up_to_there() -> None:
    reader = paused()
    link = in_address(reader.at, "learn")
    assert link == f"{FEW}*rates.2:0.5*until.3"
    part(reader, "home")
    assert say("learn.home.address") in reader.captions
    shared.cache_clear()  # as in another process
    other = opened(learn=link)
    assert other.messages == []
    assert shown_in(other) == shown_in(reader)
    training = train("agreement", seed=5, steps=20, rates=((2, 0.5),))
    assert matches(other, training, 3)
    assert say("learn.stopped", done=3, steps=STEPS) in other.captions


def test_heads_that_are_off_stand_in_the_link() -> None:
    asked = {"learn": "task.repeat*steps.3", "learn_step": "2", "learn_head": "1.0"}
    reader = switch_off(opened(**asked), [(0, 0)], "2.1")
    link = in_address(reader.at, "learn_off")
    assert link == "0-0"
    other = part(opened(**asked, learn_off=link), "numbers")
    assert other.messages == []
    (board,) = other.boards
    without = train("repeat", steps=3).trace(2, without=[(0, 0)]).layers[1].attention_weights
    assert np.array_equal(weights_of(board), without.numpy().ravel())
    assert other.sent("learn_time")["model"]["off"] == reader.sent("learn_time")["model"]["off"]
    other.press(say("learn.off.on"))
    assert in_address(other.at, "learn_off") == ""
    assert other.sent("learn_time")["model"]["off"] == []


def test_a_head_that_no_model_has_is_told() -> None:
    reader = opened(learn=FEW, learn_off="0-0.7-1")
    assert len(reader.messages) == 1
    assert say("learn.link.off", names="`7-1`") in reader.messages[0]
    assert in_address(reader.at, "learn_off") == "0-0"
    assert reader.sent("learn_time")["model"]["off"] != []
    other = opened(learn=FEW, learn_off="2-3")  # another model has it
    assert other.messages == [say("learn.off.gone", heads="layer 2, head 3")]
    assert in_address(other.at, "learn_off") == ""
