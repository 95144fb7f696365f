"""Whoever waits for a training is told for what and how long; what breaks off is told, and can be tried again."""

import threading
from collections.abc import Iterator

import pytest

from attnviz.features.learn.page import pool as pools
from attnviz.features.learn.page.extra_runs import MANY, ManySeeds
from attnviz.features.learn.page.pool import RUNNING, Job
from attnviz.features.learn.page.running import shared
from attnviz.words import plural, say
from tests.features.learn.pages.test_learn import FEW, PAGE, SOON, beside, job_in, opened, part
from tests.pages.reader import Reader
from tests.unit.helpers import until

MANY_STEPS = 5000


class Blocking:
    """Work that lasts until it may end."""

    def __init__(self) -> None:
        self.may = threading.Event()

    @property
    def done(self) -> bool:
        return self.may.is_set()

    def advance(self) -> None:
        self.may.wait(SOON)


@pytest.fixture
def others() -> Iterator[list[Job]]:
    """As many trainings of others as there are workers: whoever comes now must wait."""
    jobs = [Job(Blocking()) for _ in range(shared().pool._most)]
    for job in jobs:
        shared().pool.go_on(job)
    until(lambda: all(job.state == RUNNING for job in jobs))
    yield jobs
    for job in jobs:
        job.work.may.set()  # type: ignore[attr-defined]
    until(lambda: not any(job.active for job in jobs))


def test_a_page_says_how_many_are_before_it_and_then_shows_how_far_it_is(others: list[Job]) -> None:
    reader = Reader(PAGE).set("learn.steps", MANY_STEPS).press_key("learn.start")
    assert say("learn.waiting", n=len(others)) in reader.texts
    for job in others:
        job.work.may.set()  # type: ignore[attr-defined]
    job = job_in(reader)
    until(lambda: job.work.step > 0)
    reader.run()
    assert say("learn.learning") in reader.texts
    until(lambda: len(job.work.progress[1]) > 2)
    before = reader.sent("learn_kept")
    came = reader.run().sent("learn_kept")
    assert came["since"] <= before["since"] + len(before["float32"])  # none is left out
    assert reader.sent("learn_time")["active"]
    reader.press(say("learn.pause"))
    assert not job.active
    assert reader.sent("learn_kept")["since"] == 0


def test_who_comes_when_the_line_is_full_is_told_to_try_later(
    others: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "MOST_IN_LINE", 0)
    reader = Reader(PAGE).set("learn.steps", 20).press_key("learn.start")
    assert reader.messages == [say("learn.full")]
    assert not job_in(reader).active
    assert reader.can_press(say("learn.start", steps=plural(20, "step")))


def test_seeds_that_break_off_are_told_and_can_be_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = part(opened(learn=FEW), "seeds").set("learn.seeds.n", 3)
    label = say("learn.seeds.start")
    with monkeypatch.context() as broken:
        broken.setattr(ManySeeds, "advance", lambda _: 1 / 0)
        reader.press(label)
        until(lambda: not beside(reader, MANY).active)
    assert reader.run().errors == [say("learn.closer.failed", again=label)]
    reader.press(label)
    until(lambda: not beside(reader, MANY).active)
    assert reader.run().errors == []
    assert len(reader.sent("learn_seeds")["seeds"]) == 3
