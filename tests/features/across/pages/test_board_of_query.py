"""Torch's numbers by the query of a page: what a run of that page draws, whoever asks, and whichever server."""

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Semaphore
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from attnviz.app.server import boards, middleware, numbers, routes
from attnviz.features.lesson.steps import STEPS
from attnviz.features.questions.questions import QUESTIONS
from attnviz.link.state import MOST_CHARACTERS
from tests.pages.playground import Playground
from tests.pages.reader import HERE, Reader

# What is of one session alone.
OF_SESSION = {"key", "from", "picks", "store", "numbers", "play"}
HEADS = {"text": "to be or not", "d_in": "4", "d_out": "4", "n_heads": "2", "n_layers": "2", "d_v": "4"}
ASKED: dict[str, tuple[str, dict[str, str]]] = {
    "bare": ("playground", {}),
    "an edit": ("playground", {"example": "fluffy-cat", "edits": "w_q.0.1.0.9"}),
    "picked": ("playground", {"causal": "true", "query": "3", "cell": "scores.1.0", "digits": "2"}),
    "heads and layers": ("playground", HEADS | {"head": "1", "layer": "1", "edits": "layers.1.w_q.0.0.3"}),
    "to be mended": ("playground", {"d_in": "many", "n_heads": "3", "query": "77", "edits": "w_q.9.9.1*w_q.0.0.2"}),
    "with more of other pages": ("playground", {"view": "board", "step": "softmax", "question": "axis"}),
    "a step": ("lesson", {"example": "fluffy-cat", "step": "one-score", "edits": "w_q.0.1.0.9"}),
    "a later step": ("lesson", {"step": "context", "query": "0"}),
    "a step that is yet to be predicted": ("lesson", HEADS | {"step": "softmax"}),
    "heatmaps": ("heatmaps", {"causal": "true", "query": "3", "cell": "scores.1.0", "view": "heatmaps"}),
    "heatmaps of a head": ("heatmaps", HEADS | {"head": "1", "layer": "1", "view": "heatmaps"}),
    "a question": ("questions", {"question": "axis", "numbers": "axis=whole&query=0"}),
    "a question that is yet to be predicted": ("questions", {"question": "axis"}),
}
# What asks for a prediction beside a board, by what links call it.
TO_PREDICT = {f"step-{step.name}": ("lesson", HEADS | {"step": step.name, "layer": "1"}) for step in STEPS[1:]} | {
    each.slug: ("questions", {"question": each.slug}) for each in QUESTIONS if each.board_matrices(each.defaults)
}


def ask(server: TestClient, sent: Any, headers: Mapping[str, str] = HERE) -> Any:
    return server.post("/numbers", content=json.dumps(sent), headers=dict(headers))


@pytest.mark.parametrize(("page", "address"), ASKED.values(), ids=ASKED)
def test_a_run_of_the_page_draws_the_same(server: TestClient, page: str, address: dict[str, str]) -> None:
    answer = ask(server, {"page": page, "query": urlencode(address)})
    assert answer.status_code == 200
    told = answer.json()
    if page == "heatmaps":
        drawn = Playground(**address).heatmaps
        assert {**drawn, **told} == drawn
        assert set(drawn) - set(told) == {"from", "numbers"}
        return
    reader = Reader(f"pages/{page}.py", **address) if address else Reader(utm_source="mail")
    (drawn,) = reader.boards
    if page == "questions":  # whose own cell isn't in the address
        del told["picked"]
    assert {name: drawn[name] for name in told} == told | {"play": drawn["play"]}
    assert set(drawn) - set(told) <= OF_SESSION, "whatever else a board draws would be missing"


@pytest.mark.parametrize("about", TO_PREDICT)
def test_before_a_prediction_no_number_is_sent_that_is_yet_to_come(server: TestClient, about: str) -> None:
    """The page's script holds what is seen and what that is made of, and nothing else that could be read there."""
    page, address = TO_PREDICT[about]
    asked, told = (ask(server, {"page": page, "query": urlencode(address | made)}).json()
                   for made in ({}, {"predicted": f"{about}.skipped"}))  # fmt: skip
    seen, only = {*asked["shown"]} - {*asked["ghosts"]}, asked["only"]
    for stage in reversed(asked["stages"]):
        name, base = stage["name"], stage["name"].rpartition(".")[2]
        if name in seen or (base in seen and not (only and base == only["matrix"])):
            seen |= {name, *stage["sources"]}
    for stage in asked["stages"]:
        name, matrix = stage["name"], asked["matrices"][stage["name"]]
        numbers = matrix.keys() - {"rows", "columns"}
        assert bool(numbers) == (name in seen or stage["rule"] == "given"), name
        if only and name == only["matrix"]:
            assert sum(count for count, number in matrix["runs"] if number) == 1
        assert numbers or asked["limits"][name] == [0, 1]
        assert not numbers or asked["limits"][name][1] <= 1.25 * _largest(asked, stage["role"]) + 1e-6, name
    assert any(each["short"] for each in asked["heads"]) <= ("attention_weights" in seen)
    assert all(len(told["matrices"][name]) > 2 for name in {*told["shown"]} - {*told["ghosts"]})


def _largest(asked: dict[str, Any], role: str) -> float:
    """The largest number that is sent of a role, without its sign."""
    matrices = [asked["matrices"][each["name"]] for each in asked["stages"] if each["role"] == role]
    sent = [number for each in matrices for number in (*each.get("values", ()), *(n for _, n in each.get("runs", ())))]
    return max((abs(number) for number in sent if isinstance(number, float)), default=0) or 1


def test_of_a_presentation_it_is_told_as_it_is_shown(server: TestClient) -> None:
    reader = Reader("pages/lesson.py", step="softmax").press("Presentation")
    told, plain = (
        ask(server, {"page": "lesson", "query": each}).json() for each in ("step=softmax&present=1", "step=softmax")
    )
    assert {name: reader.boards[0][name] for name in told} == told != plain
    explored = ask(server, {"page": "playground", "query": "seed=7&present=1"}).json()
    assert (explored["chance"], explored["about"]) == ("all", "")  # the headline says it


def test_no_session_and_no_cookie_has_part_in_it_and_nothing_else_of_a_message(server: TestClient) -> None:
    asked = {"query": "seed=7"}
    first = ask(server, asked)
    with TestClient(Starlette(routes=routes(), middleware=middleware()), cookies={"a": "b"}) as another:
        assert ask(another, asked | {"page": "playground", "more": 5}).content == first.content
    assert "set-cookie" not in first.headers
    assert first.headers["cache-control"] == "no-store"


def test_a_stranger_and_what_is_no_question_are_refused(server: TestClient) -> None:
    assert ask(server, {"query": ""}, {}).status_code == 403
    assert ask(server, {"query": ""}, {"origin": "https://elsewhere.example.org"}).status_code == 403
    for message in ({"query": 5}, {"page": "lesson"}, {"query": "", "page": "model"}, {"query": "", "page": [1]}):
        assert ask(server, message).status_code == 400, message
    assert ask(server, {"query": "a" * (MOST_CHARACTERS + 2000)}).status_code == 413
    assert ask(server, {"query": "seed=7&pinned=" + "a" * (MOST_CHARACTERS - 14)}).status_code == 200


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("playground", "text=+"),
        ("playground", "text=" + "word+" * 17),
        ("heatmaps", "text=" + "word+" * 17),
        ("playground", "d_in=1024&d_out=1024&n_layers=4"),
        ("lesson", "reads=second&second=a+b"),
        ("questions", ""),
        ("questions", "question=nonsense"),
    ],
)
def test_of_what_has_no_such_board_the_run_tells(server: TestClient, page: str, query: str) -> None:
    answer = ask(server, {"page": page, "query": query})
    assert (answer.status_code, answer.content) == (204, b"")


def test_what_was_told_is_kept_and_is_made_once_though_many_ask(
    server: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    original = boards.board_of

    def counted(page: str, query: str, **more: Any) -> Any:
        made.append(query)
        return original(page, query, **more)

    monkeypatch.setattr(numbers, "board_of", counted)
    with ThreadPoolExecutor(8) as many:
        answers = list(many.map(lambda _: ask(server, {"query": "seed=8"}).content, range(16)))
    assert made == ["seed=8"]
    assert len(set(answers)) == 1
    assert answers[0]


def test_what_fails_is_told_by_the_run_and_stands_in_the_log(
    server: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(page: str, query: str, **more: Any) -> None:
        raise ZeroDivisionError(query)

    monkeypatch.setattr(numbers, "board_of", fail)
    numbers._LOG.addHandler(caplog.handler)
    assert ask(server, {"query": "seed=8"}).status_code == 204
    numbers._LOG.removeHandler(caplog.handler)
    assert "a board could not be told its numbers" in caplog.text


def test_one_address_is_answered_no_more_at_once_than_its_share_and_others_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, done = Semaphore(0), Event()

    def slow(page: str, query: str) -> bytes:
        begun.release()
        done.wait(60)
        return b"{}"

    monkeypatch.setattr(numbers, "MOST_OF_ADDRESS", 2)
    monkeypatch.setattr(numbers, "board_of", slow)
    app = Starlette(routes=routes(), middleware=middleware())
    with (
        TestClient(app, client=("192.0.2.7", 5)) as one,
        TestClient(app, client=("192.0.2.8", 5)) as another,
        ThreadPoolExecutor(8) as many,
    ):
        told = [many.submit(ask, one, {"query": f"seed={n}"}) for n in range(2)]
        assert all(begun.acquire(timeout=60) for _ in told)
        assert ask(one, {"query": "seed=8"}).status_code == 204
        told.append(many.submit(ask, another, {"query": "seed=9"}))
        done.set()
        assert [each.result().status_code for each in told] == [200] * 3


def test_every_page_that_has_a_board_of_the_set_up_is_one_that_can_be_asked() -> None:
    assert set(boards.boards()) == {page for page, _ in ASKED.values()}
