"""Two readers at once, each with their own numbers."""

import os
import subprocess
import sys
from typing import Any
from urllib.parse import urlencode

import pytest

from attnviz import Scenario
from attnviz.app.session import address
from attnviz.app.session.page_record import came_back
from attnviz.app.streamlit_internals import run_again
from attnviz.features.check.page import exercises
from attnviz.link.set_up import parameters
from tests.pages.playground import Playground
from tests.pages.reader import Reader, in_address


def test_two_sessions_do_not_see_each_others_numbers() -> None:
    one, other = Playground(seed="1"), Playground(seed="2")
    one.edit("w_q", 0, 1, 0.9)
    other.look_at("w_q").press("Zeros")
    one.type_sentence("dog bites man")
    other.edit("w_k", 0, 0, 5.0)
    one.edit("w_q", 1, 1, 8.0)
    published: dict[str, Any] = {"embedding": "published"}
    assert one.shows(Scenario("dog bites man", **published, seed=1, edits=[("w_q", 0, 1, 0.9), ("w_q", 1, 1, 8.0)]))
    assert other.shows(Scenario(**published, seed=2, w_q="zeros", edits=[("w_k", 0, 0, 5.0)]))


_THREADS_OF_A_RUN = """
from concurrent.futures import ThreadPoolExecutor
import torch
import attnviz.app
print(ThreadPoolExecutor(1).submit(torch.get_num_threads).result())
"""


def test_no_reader_waits_for_the_cores_that_others_use() -> None:
    # In a process where torch would take four: that of the tests may take one only, whatever the app does.
    four = os.environ | {"OMP_NUM_THREADS": "4", "MKL_NUM_THREADS": "4"}
    command = [sys.executable, "-c", _THREADS_OF_A_RUN]
    said = subprocess.run(command, env=four, capture_output=True, text=True, timeout=300, check=True)
    assert said.stdout.split()[-1] == "1"


def test_what_a_run_turned_that_was_overtaken_isnt_taken_for_a_move_of_the_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = Reader(embedding="stable", text="a b", seed="5")
    with monkeypatch.context() as overtaken:
        overtaken.setattr(address, "report", lambda *_: None)
        for seed in (1, 2):
            reader.say({"query": f"embedding=stable&text=a+b&seed={seed}", "taken": ""})
            reader.at.session_state["session"].address.rerun_query = None  # the page's address is another one by then
    reader.at.number_input(key="seed").set_value(1)  # what the browser had drawn by then
    reader.say({"query": "edits=w_q.0.1.0.9&embedding=stable&text=a+b&seed=2", "taken": ""})
    assert (in_address(reader.at, "seed"), in_address(reader.at, "edits")) == ("2", "w_q.0.1.0.9")
    reader.at.number_input(key="seed").set_value(parameters()["seed"].default)  # which no query says
    reader.say({"query": "embedding=stable&text=a+b&seed=2", "taken": ""})
    assert in_address(reader.at, "seed") == ""


def test_a_number_typed_while_a_run_is_overtaken_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    exercise, cell = "exercise.7.3.2.2.i.s.c", "check.answer.7.3.2.2.i.s.c.context"
    reader = Reader("pages/exercises.py", check=exercise)
    with monkeypatch.context() as overtaken:
        overtaken.setattr(address, "report", lambda *_: None)
        reader.set(f"{cell}.0.0", "5")
    (offer,) = reader.at.session_state["session"].address.offers  # which the page has taken
    reader.at.text_input(key=f"{cell}.0.1").set_value("6")
    reader.say({"query": urlencode({"check": exercise} | offer.patch), "taken": offer.id})
    assert [reader.value(f"{cell}.0.{column}") for column in (0, 1)] == ["5", "6"]


def test_a_run_that_is_overtaken_leaves_what_a_page_that_came_back_holds_to_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the next one took the page for one that a link opens, and emptied what was typed meanwhile."""
    reader, seen = Reader("pages/exercises.py", check="exercise.7.3.2.2.i.s.c"), list[bool]()

    def overtaken(_: object) -> None:
        seen.append(came_back())
        if len(seen) == 1:
            run_again("")

    monkeypatch.setattr(exercises, "take_answers", overtaken)
    reader.at.session_state["session"].address.reconnected = True
    reader.at.run()
    assert seen == [True, True]
    reader.at.run()
    assert seen == [True, True, False]
