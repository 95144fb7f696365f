"""What is changed on the way of a training: its address names what it is, and nothing runs on that nobody sees."""

import re

from attnviz import train
from attnviz.app.learn.beside import MANY
from attnviz.app.learn.running import shared
from attnviz.words import plural, say
from tests.pages.learn.test_learn import FEW, PAGE, SOON, beside, job_in, matches, opened, own, part, trained
from tests.pages.reader import Reader, in_address
from tests.unit.helpers import until


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


def seeds_under_way(n: int) -> Reader:
    return part(opened(learn=FEW), "seeds").set("learn.seeds.n", n).press(say("learn.seeds.start"))


def test_seeds_that_are_no_longer_asked_for_do_not_run_on() -> None:
    reader = seeds_under_way(200)
    job = beside(reader, MANY)
    assert job.active
    reader.set("learn.seeds.n", 20)
    assert not job.active
    assert reader.can_press(say("learn.seeds.start"))


def test_so_many_seeds_are_trained_as_are_typed_though_the_press_comes_before_that_is_drawn() -> None:
    reader = part(opened(learn=FEW), "seeds")
    reader.at.number_input(key="learn.seeds.n").set_value(3)
    reader.press(say("learn.seeds.start"))
    assert len(beside(reader, MANY).work.asked) == 3


def click(reader: Reader, seed: int) -> Reader:
    """Click the picture of a seed, as the browser tells it."""
    return trained(reader.tell("learn.seeds", "seed", seed))


def test_the_picture_of_a_seed_opens_what_it_is_of() -> None:
    reader = seeds_under_way(2)
    assert shared().pool.settled(beside(reader, MANY), SOON)
    click(reader.run(), 1)
    assert in_address(reader.at, "learn") == "task.agreement*seed.1*steps.20"
    assert matches(reader, train("agreement", steps=20, seed=1), 20)
    own(reader).part = None
    trained(reader.set("learn.seed", 9).press(say("learn.one_step")))
    part(reader, "seeds")
    trained(reader.press(say("learn.seeds.start")) if reader.can_press(say("learn.seeds.start")) else reader)
    click(reader, 1)  # in place of what is paused
    assert reader.messages == []
    assert own(reader).job is None
    assert not own(reader).start_now
    assert matches(reader, train("agreement", steps=20, seed=1), 20)
