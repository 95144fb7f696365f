"""Whoever waits for a training is told for what and how long; what breaks off is told, and can be tried again."""

import re
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from attnviz.app.learn.running import pool as pools
from attnviz.app.learn.running.pool import LEFT, RUNNING, Job
from attnviz.app.learn.running.shared import JOB, MANY, STEP, shared
from attnviz.app.learn.running.works import ManySeeds, OneStep
from attnviz.training import train_many
from attnviz.words import plural, say
from tests.pages.reader import Reader
from tests.pages.test_learn import FEW, PAGE, SOON, data_of, opened, part

MANY_STEPS = 5000
TIME_LEFT = re.compile(r"([\d,]+) of .*, about (.+) left")


class Blocking:
    """Work that lasts until it may end."""

    def __init__(self) -> None:
        self.may = threading.Event()

    @property
    def done(self) -> bool:
        return self.may.is_set()

    def advance(self) -> None:
        self.may.wait(SOON)


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture(autouse=True)
def _own_shelf() -> Iterator[None]:
    shared.cache_clear()
    yield
    shared.cache_clear()


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


def progress(reader: Reader) -> str:
    (bar,) = reader.at.get("progress")
    return str(bar.proto.text)


def test_a_page_says_how_many_are_before_it_and_then_how_far_it_is(others: list[Job]) -> None:
    reader = Reader(PAGE).set("learn.steps", MANY_STEPS).press(say("learn.start"))
    assert progress(reader) == say("learn.waiting", n=len(others))
    for job in others:
        job.work.may.set()  # type: ignore[attr-defined]
    job = reader.at.session_state[JOB]
    until(lambda: job.work.step > 0)
    steps = plural(MANY_STEPS, "step")
    until(lambda: TIME_LEFT.fullmatch(progress(reader.run())) is not None)
    done, left = TIME_LEFT.fullmatch(progress(reader)).groups()  # type: ignore[union-attr]
    assert progress(reader) == say("learn.left", done=say("learn.progress", done=done, steps=steps), left=left)
    assert 0 < int(done.replace(",", "")) <= job.work.step
    reader.press(say("learn.stop"))
    assert JOB not in reader.at.session_state


def test_who_comes_when_the_line_is_full_is_told_to_try_later(
    others: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "MOST_IN_LINE", 0)
    reader = Reader(PAGE).set("learn.steps", 20).press(say("learn.start"))
    assert reader.messages == [say("learn.full")]
    assert not reader.at.session_state[JOB].active
    assert reader.can_press(say("learn.go_on"))


def test_a_step_that_breaks_off_is_told_and_can_be_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = part(opened(learn=FEW, learn_step="7"), "glass")
    label = say("learn.glass.look")
    with monkeypatch.context() as broken:
        broken.setattr(OneStep, "advance", lambda _: 1 / 0)
        reader.press(label)
        until(lambda: not reader.at.session_state[STEP].active)
    assert reader.run().errors == [say("learn.closer.failed", again=label)]
    reader.press(label)
    until(lambda: not reader.at.session_state[STEP].active)
    assert reader.run().errors == []
    assert any("m̂" in each.value for each in reader.at.code)


def test_seeds_that_break_off_are_told_and_can_be_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = part(opened(learn=FEW), "seeds").set("learn.seeds.n", 3)
    label = say("learn.seeds.start")
    with monkeypatch.context() as broken:
        broken.setattr(ManySeeds, "advance", lambda _: 1 / 0)
        reader.press(label)
        until(lambda: not reader.at.session_state[MANY].active)
    assert reader.run().errors == [say("learn.closer.failed", again=label)]
    reader.press(label)
    until(lambda: not reader.at.session_state[MANY].active)
    assert reader.run().errors == []
    assert len(data_of(reader, "attnviz_learn_seeds")["seeds"]) == 3


def test_seeds_that_were_stopped_go_on_where_they_were() -> None:
    reader = part(opened(learn=FEW), "seeds").set("learn.seeds.n", 3)
    reader.press(say("learn.seeds.start"))
    job = reader.at.session_state[MANY]
    shared().pool.pause(job, LEFT)
    assert shared().pool.settled(job, SOON)
    if not job.work.done:
        reader.run().press_key(f"{MANY}.start")
        assert reader.at.session_state[MANY] is job
    until(lambda: job.work.done)
    assert job.work.outcomes == [each._replace(losses=()) for each in train_many("agreement", range(3), steps=20)]
