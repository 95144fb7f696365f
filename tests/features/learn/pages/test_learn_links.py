"""A link of Watch it learn opens what its sender saw, to the last bit: while a training goes on and after, too."""

import re
from typing import Any

from attnviz import train
from attnviz.features.learn.page.running import shared
from attnviz.words import plural, say
from tests.features.learn.pages.test_learn import FEW, PAGE, job_in, matches, opened, own, part, trained
from tests.pages.reader import Reader, in_address
from tests.unit.helpers import until


def shown_in(reader: Reader) -> tuple[Any, ...]:
    """What the page draws: the head's numbers, the curves, and every number of every moment."""
    time, kept = reader.sent("learn_time"), reader.sent("learn_kept")
    return time["model"]["table"], time["charts"], time["steps"], kept


def test_the_link_of_a_training_that_did_not_end_trains_it_up_to_there() -> None:
    """Three steps of twenty, the last at another rate."""
    reader = trained(Reader(PAGE).set("learn.steps", 20).press(say("learn.one_step")))
    trained(reader.press(say("learn.one_step"))).set("learn.rate", 0.5)
    trained(reader.press(say("learn.one_step")))
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
    assert say("learn.stopped", done=3, steps=plural(20, "step")) in other.captions


def test_while_a_training_goes_on_its_address_names_the_rates_so_far() -> None:
    reader = trained(Reader(PAGE).set("learn.steps", 5000).press(say("learn.one_step"))).set("learn.rate", 0.5)
    reader.press_key("learn.start")
    job = job_in(reader)
    assert job.active
    assert in_address(reader.at, "learn") == "task.agreement*seed.5*steps.5000*rates.1:0.5"
    until(lambda: job.work.step > 1)  # another rate before any further step is in place of the one before
    reader.set("learn.rate", 0.1)
    until(lambda: len(job.work.settings.rates) > 1)
    assert job_in(reader.run()) is job
    reader.press(say("learn.pause"))
    (first, second) = job.work.settings.rates
    assert in_address(reader.at, "learn").startswith(
        f"task.agreement*seed.5*steps.5000*rates.1:0.5,{second[0]}:0.1*until."
    )
    assert first == (1, 0.5)


def test_the_text_of_a_link_that_holds_none_opens_its_moment() -> None:
    text = "ab ba " * 1000
    link = f"task.text*steps.3*until.2*text.{len(text)}"
    reader = opened(learn=link, learn_step="1", learn_sentence="ab")
    assert own(reader).job is None
    trained(reader.set("learn.typed", text))
    assert part(reader, "numbers").sent("board")["moment"] == 1
    assert re.fullmatch(re.escape(link) + "-[0-9a-f]{12}", in_address(reader.at, "learn"))
    assert in_address(reader.at, "learn_step") == "1"
    assert in_address(reader.at, "learn_sentence") == "ab"
    assert say("learn.stopped", done=2, steps=plural(3, "step")) in reader.captions


def test_a_head_that_no_model_has_is_told() -> None:
    reader = opened(learn=FEW, learn_off="0-0.7-1")
    assert len(reader.messages) == 1
    assert say("learn.link.off", names="`7-1`") in reader.messages[0]
    assert in_address(reader.at, "learn_off") == "0-0"
    assert reader.sent("learn_time")["model"]["off"] != []
    other = opened(learn=FEW, learn_off="2-3")  # another model has it
    assert other.messages == [say("learn.off.gone", heads="layer 2, head 3")]
    assert in_address(other.at, "learn_off") == ""
