"""Torch's numbers for an edit before the page has run: what the run draws, told to the page that may ask alone."""

import gc
import json
import threading
import time
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from attnviz.app.components import at_once, rest_of_page
from attnviz.app.components.drawing import Drawing
from attnviz.app.components.rest_of_page import LATER, LIST, SOON
from attnviz.app.parts.own_share import SHARE
from attnviz.app.server import asked, middleware, numbers, routes
from attnviz.app.session import pace, state
from tests.pages.reader import Reader, boards_of

HERE = {"origin": "http://testserver"}
EDIT = {"matrix": "w_q", "row": 0, "column": 1, "value": 0.9}
# What the session itself adds to what is drawn.
BESIDE = ("answered", "picked", "asks")
TWELVE = " ".join(f"word{i}" for i in range(12))


@pytest.fixture
def server() -> Iterator[TestClient]:
    with TestClient(Starlette(routes=routes(), middleware=middleware())) as client:
        yield client


def asked_by(reader: Reader, *edits: Mapping[str, Any], **other: Any) -> dict[str, Any]:
    """What a reader's board asks once it is edited so."""
    (board,) = reader.boards
    return {"word": board["asks"]["word"], "key": board["key"], "of": board["numbersOf"], "edits": edits} | other


def post(server: TestClient, sent: Any, headers: Mapping[str, str] = HERE, base: str = "") -> Any:
    return server.post(f"{base}/{at_once.AT}", content=json.dumps(sent), headers=dict(headers))


def run_with(reader: Reader, number: float, *edits: Mapping[str, Any]) -> dict[str, Any]:
    """Tell Python of edits, as the browser does; return what the board is drawn with then."""
    return tell(reader, number, {"edits": edits, "pinned": None})


def tell(reader: Reader, number: float, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Tell Python of what was done on the board, as the browser does; return what the board is drawn with then."""
    session = reader.at._tree._runner._session_state._state  # type: ignore[union-attr]
    found = session._new_widget_state.widget_metadata
    (name,) = [each for each in found if each.endswith(f"-{reader.boards[0]['key']}__events")]
    states = reader.at._tree.get_widget_states()
    event = {"event": "changes", "value": {"number": number, **changes}}
    states.widgets.add(id=name).json_trigger_value = json.dumps([event])
    reader.at._run(states)
    (board,) = boards_of(reader.at)
    return board


def drawn(board: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in board.items() if name not in BESIDE}


def edit(matrix: str, row: int, column: int, value: Any) -> dict[str, Any]:
    return {"matrix": matrix, "row": row, "column": column, "value": value}


@pytest.mark.parametrize(
    ("page", "address", "edits"),
    [
        ("playground", {}, [[EDIT], [EDIT | {"value": 0.1 + 0.2}, edit("x", 1, 0, -2)], [EDIT | {"value": None}]]),
        ("playground", {"text": TWELVE, "d_in": "8", "d_out": "8", "n_heads": "2", "head": "1"},
         [[edit("w_q", 0, 5, 0.5)], [edit("w_v", 7, 6, 1e30)]]),
        ("playground", {"masking": "painted"}, [[edit("mask", 1, 2, "-Infinity")], [edit("mask", 1, 2, 0)]]),
        ("playground", {"causal": "true", "bias": "true", "positions": "sinusoidal", "query": "2", "digits": "2"},
         [[edit("e", 1, 1, 7)], [edit("b_q", 0, 0, -1)]]),
        ("playground", {"n_layers": "2", "d_out": "3", "output": "true", "layer": "1"},
         [[edit("layers.1.w_q", 0, 0, 3)]]),
        ("lesson", {"step": "one-score"}, [[EDIT]]),
    ],
)  # fmt: skip
def test_it_answers_what_the_run_will_draw(
    server: TestClient, page: str, address: dict[str, str], edits: list[list[dict[str, Any]]]
) -> None:
    reader = Reader(f"pages/{page}.py", **address)
    for number, each in enumerate(edits, 1):
        before = reader.boards
        sent = asked_by(reader, *each)
        answer = post(server, sent)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["cache-control"] == "no-store"
        assert post(server, sent).content == answer.content, "nothing of the session has changed"
        assert drawn(answer.json()) != drawn(before[0])
        run = run_with(reader, number, *each)
        assert run["answered"] == number
        assert drawn(answer.json()) == drawn(run)


def test_it_is_packed_for_who_takes_that(server: TestClient) -> None:
    reader = Reader()  # held: a page goes with its session
    sent = asked_by(reader, EDIT)
    plain, packed = (
        post(server, sent, HERE | {"accept-encoding": way}) for way in ("identity", "gzip, deflate, br")
    )  # fmt: skip
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < len(plain.content) / 2
    assert packed.json() == plain.json()


def test_the_run_draws_what_was_told_and_makes_it_no_second_time(
    server: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Drawing] = []
    original = Drawing.made

    def counted(self: Drawing) -> Any:
        made.append(self)
        return original(self)

    reader = Reader()
    monkeypatch.setattr(Drawing, "made", counted)
    assert post(server, asked_by(reader, EDIT)).status_code == 200
    run_with(reader, 1, EDIT)
    reader.run()
    assert len(made) == 1
    run_with(reader, 2, EDIT | {"value": 0})
    assert len(made) == 2


def pick_with(reader: Reader, number: float, query: int) -> dict[str, Any]:
    """Tell Python of a picked word, as the browser does; return what the board is drawn with then."""
    return tell(reader, number, {"edits": [], "pinned": None, "query": query})


def test_a_picked_word_makes_nothing_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Drawing] = []
    original = Drawing.made
    reader = Reader()

    def counted(self: Drawing) -> Any:
        made.append(self)
        return original(self)

    monkeypatch.setattr(Drawing, "made", counted)
    before = reader.boards[0]
    after = pick_with(reader, 1, 3)
    assert made == []
    assert (before["query"], after["query"], after["answered"]) == (1, 3, 1)
    assert before["matrices"] == after["matrices"]


def test_where_the_board_stands_on_other_numbers_by_now_nothing_is_told(server: TestClient) -> None:
    reader = Reader()
    older = asked_by(reader, EDIT)
    run_with(reader, 1, EDIT)
    assert post(server, older).status_code == 204
    assert post(server, asked_by(reader, EDIT | {"value": 0.5})).status_code == 200
    assert post(server, asked_by(reader, EDIT, key="lesson.board")).status_code == 204


def test_two_sessions_do_not_see_each_other(server: TestClient) -> None:
    one, other = Reader(seed="1"), Reader(seed="2")
    mine, theirs = asked_by(one, EDIT), asked_by(other, EDIT)
    assert mine["word"] != theirs["word"]
    assert post(server, mine).json()["matrices"] != post(server, theirs).json()["matrices"]
    assert post(server, mine | {"word": theirs["word"]}).status_code == 204
    assert post(server, theirs | {"word": theirs["word"][:-1]}).status_code == 404


def test_a_page_goes_with_its_session(server: TestClient) -> None:
    reader = Reader()
    sent = asked_by(reader, EDIT)
    assert post(server, sent).status_code == 200
    del reader
    gc.collect()
    assert post(server, sent).status_code == 404


@pytest.mark.parametrize("origin", [None, "https://elsewhere.example.org", "null"])
def test_only_a_page_of_this_server_is_answered(server: TestClient, origin: str | None) -> None:
    reader = Reader()
    sent = asked_by(reader, EDIT)
    assert post(server, sent, {} if origin is None else {"origin": origin}).status_code == 403
    assert post(server, sent).status_code == 200
    assert post(server, sent, base="/courses/attention").status_code == 200, "as behind a proxy with a folder"


REFUSED: dict[str, Any] = {
    "no matrix": [EDIT | {"matrix": "w_z"}],
    "no cell": [EDIT | {"row": 99}],
    "no number": [EDIT | {"value": "nine"}],
    "no edit": [{"matrix": "w_q"}],
    "no list": 5,
    "a list as a name": [EDIT | {"matrix": ["w_q"]}],
}


@pytest.mark.parametrize("edits", REFUSED.values(), ids=REFUSED)
def test_of_edits_that_cannot_be_made_the_run_tells(server: TestClient, edits: Any) -> None:
    reader = Reader()
    assert post(server, asked_by(reader) | {"edits": edits}).status_code == 204
    assert post(server, asked_by(reader, EDIT)).status_code == 200


def test_what_is_no_message_is_refused_and_a_long_one_is_not_read(server: TestClient) -> None:
    for body in (b"", b"{", b"[1]", b'{"word": 5}', b"[" * 9000, b"\xff"):
        assert server.post(f"/{at_once.AT}", content=body, headers=HERE).status_code == 400, body[:20]
    long = json.dumps(asked_by(Reader(), EDIT) | {"more": "a" * numbers.MOST_BYTES})
    assert server.post(f"/{at_once.AT}", content=long, headers=HERE).status_code == 413
    assert server.get(f"/{at_once.AT}", headers=HERE).status_code == 405


def test_a_whole_matrix_of_a_small_board_fits_whatever_its_numbers() -> None:
    edits = [
        {"matrix": "mask", "row": row, "column": column, "value": -1.2345678901234567e-30}
        for row in range(16)
        for column in range(16)
    ]
    assert len(json.dumps(asked_by(Reader(), EDIT) | {"edits": edits})) < asked.MOST_BYTES


def test_who_asks_faster_than_a_person_is_told_nothing(server: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    reader, now = Reader(), time.monotonic()
    sent = asked_by(reader, EDIT)
    monkeypatch.setattr(pace, "time", SimpleNamespace(monotonic=lambda: now))
    told = [post(server, sent).status_code for _ in range(int(pace.BURST) + 20)]
    assert told.count(200) <= pace.BURST
    assert told[-1] == 204


def test_a_board_with_many_tokens_is_told_of_by_the_run_alone() -> None:
    (board,) = Reader(text=" ".join(f"word{i}" for i in range(17))).boards
    assert board["asks"] is None


def test_one_page_computes_one_thing_at_a_time(server: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader()
    sent = asked_by(reader, EDIT)
    page = at_once.page_that_says(sent["word"])
    assert page is not None
    begun, goes_on, original = threading.Event(), threading.Event(), Drawing.made

    def slowly(self: Drawing) -> Any:
        begun.set()
        assert goes_on.wait(30)
        return original(self)

    monkeypatch.setattr(Drawing, "made", slowly)
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(page.answer(sent)))
    thread.start()
    assert begun.wait(30)
    assert post(server, sent).status_code == 204
    goes_on.set()
    thread.join()
    assert answers[0] is not None
    assert post(server, sent).status_code == 200


def test_after_a_whole_run_nothing_of_the_page_is_behind() -> None:
    reader = Reader()
    for board in (*reader.boards, run_with(reader, 1, EDIT), pick_with(reader, 2, 3)):
        assert (board["behind"], board["learnt"]) == ("", None)


@pytest.mark.parametrize(
    ("page", "address", "share", "after_a_pick", "after_an_edit"),
    [
        ("playground", {}, False, "", LIST),
        ("playground", {}, True, SOON, SOON),
        ("lesson", {"step": "one-score"}, False, LATER, LATER),
    ],
)
def test_after_a_run_of_its_own_the_board_says_whether_the_rest_of_its_page_is_behind(
    monkeypatch: pytest.MonkeyPatch, page: str, address: dict[str, str], share: bool, after_a_pick: str,
    after_an_edit: str,
) -> None:  # fmt: skip
    reader = Reader(f"pages/{page}.py", **address)
    if share:
        reader.at.session_state[SHARE] = True
    monkeypatch.setattr(rest_of_page, "is_fragment_run", lambda: True)
    assert pick_with(reader, 1, 3)["behind"] == after_a_pick
    picked = pick_with(reader, 2, 4)
    assert picked["behind"] == after_a_pick
    assert picked["learnt"]["answered"] == {picked["key"]: 2}
    assert picked["learnt"]["address"] == reader.expected_address
    assert run_with(reader, 3, EDIT)["behind"] == after_an_edit
    assert run_with(reader, 4, EDIT | {"value": None})["behind"] == after_a_pick, "it is as it was drawn"


def test_what_is_to_be_said_is_not_put_off(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader()
    monkeypatch.setattr(rest_of_page, "is_fragment_run", lambda: True)
    asked: list[str] = []
    monkeypatch.setattr(state, "has_messages", lambda: bool(asked))
    assert run_with(reader, 1, EDIT)["behind"] == LIST
    asked.append("a message")
    assert run_with(reader, 2, EDIT)["behind"] == SOON
