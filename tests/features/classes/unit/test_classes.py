"""Classes: every vote is counted once, whatever comes when; what is told, taken home and forgotten."""

import asyncio
import csv
import gzip
import json
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
import segno
import sqlalchemy as sql
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.testclient import TestClient

from attnviz.features.classes import store as limits
from attnviz.features.classes.questions import as_csv, as_xapi
from attnviz.features.classes.served import Classroom, stored
from attnviz.features.classes.settings import DATABASE
from attnviz.features.classes.settings import database as database_of
from attnviz.features.classes.store import AwayError, LateError, Phase, Store, Vote, who_of
from attnviz.features.classes.tables import STEPS, VERSIONS
from attnviz.predicting.asks import asked_of, drawn_of, has_board, subjects
from attnviz.words import say
from benchmarks.votes import class_of, copies
from tests.examples import examples
from tests.languages import made_up

ABOUT, OTHER = "values", "sum"
HERE = {"origin": "http://testserver"}


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'a folder' / 'classes.sqlite'}"


@pytest.fixture
def store(address: str, clock: Clock) -> Iterator[Store]:
    made = Store(address, clock)
    yield made
    made.close()


@pytest.fixture
def client(address: str) -> TestClient:
    return TestClient(Starlette(routes=Classroom(stored(address)).routes()), headers=HERE)


# What may come: a vote of one of a few people, of a round that may be over, the first or a correction, which may come
# after a later one; or the teacher leads on, from a moment that
# may have passed. None stands for the moment that it is.
_VOTES = st.tuples(st.integers(0, 3), st.sampled_from(["more", "same", "less"]), st.sampled_from([ABOUT, OTHER]),
                   st.integers(1, 3), st.integers(0, 4))  # fmt: skip
_LEADS = st.tuples(st.sampled_from(Phase), st.sampled_from(["", ABOUT, OTHER]), st.booleans())
_COMES = st.lists(st.one_of(st.lists(_VOTES, min_size=1, max_size=4), _LEADS), max_size=25)


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(comes=_COMES)
def test_what_is_counted_is_the_last_vote_of_each_person_in_each_round_while_it_is_open(
    store: Store, comes: list[Any]
) -> None:
    code, _ = store.open(ABOUT)
    about, turn, phase = ABOUT, 1, Phase.OPEN
    truth: dict[tuple[str, int, str], str] = {}
    latest: dict[tuple[str, int, str], int] = {}
    for come in comes:
        if isinstance(come, list):
            votes = [Vote(of, at, who_of(code, str(person)), choice, nth) for person, choice, of, at, nth in come]
            counted = store.vote(*((code, vote) for vote in votes))
            for vote in sorted(set(votes)):
                key = vote.about, vote.round, vote.who
                is_open = (vote.about, vote.round, phase) == (about, turn, Phase.OPEN)
                if is_open and vote.nth > latest.get(key, -1):
                    truth[key], latest[key] = vote.choice, vote.nth
            for vote, told in zip(votes, counted, strict=True):
                key = vote.about, vote.round, vote.who
                if key not in truth:
                    assert isinstance(told, LateError)
                elif vote.nth >= latest[key]:
                    assert told == truth[key]
        else:
            to, asks, passed = come
            store.move(code, (about, turn - 1 if passed else turn, phase), to, asks)
            if not passed and to == Phase.OPEN:
                voted = {at for of, at, _ in truth if of == (asks or about)}
                turn = 1 + max([0, *voted, turn if (asks or about) == about else 0])
                about, phase = asks or about, Phase.OPEN
            elif not passed:
                phase = to
        state = store.state(code)
        assert state
        assert state.moment == (about, turn, phase)
        is_current = Counter((*key[:2], choice) for key, choice in truth.items() if key[0] == about)
        assert state.counts == dict(is_current)
    before = store.votes(code)
    assert Counter((*each[:2], each.choice) for each in before) == Counter((*k[:2], v) for k, v in truth.items())
    store.end(code)
    store.end(code)
    after = store.votes(code)
    assert Counter((*each[:2], each.choice) for each in after) == Counter((*each[:2], each.choice) for each in before)
    assert {each.who for each in after} <= {""}, "of nobody"
    assert as_csv(after) == as_csv(before)
    assert isinstance(store.vote((code, Vote(about, turn, "x", "same")))[0], LateError)


def test_a_class_ends_by_itself_and_is_forgotten(store: Store, clock: Clock) -> None:
    code, secret = store.open(ABOUT)
    assert store.vote((code, Vote(ABOUT, 1, who_of(code, "one"), "same"))) == ["same"]
    clock.now += limits.LASTS - 1
    store.sweep()
    assert [each.who for each in store.votes(code)] == [who_of(code, "one")]
    clock.now += 1
    (late,) = store.vote((code, Vote(ABOUT, 1, who_of(code, "two"), "same")))
    assert isinstance(late, LateError), "even before anybody swept"
    store.sweep()
    assert store.votes(code) == [Vote(ABOUT, 1, "", "same")]
    state = store.state(code)
    assert state
    assert state.ended
    assert state.is_of(secret), "the teacher takes the counts home all the same"
    clock.now += limits.KEPT
    store.sweep()
    assert store.state(code) is None
    assert store.votes(code) == []


def test_limits_hold(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST_CLASSES", "MOST_PEOPLE", "MOST_ASKINGS"):
        monkeypatch.setattr(limits, name, 2)
    code, _ = store.open(ABOUT)
    store.open(OTHER)
    with pytest.raises(ValueError, match="there are 2 classes"):
        store.open(ABOUT)
    votes = [(code, Vote(ABOUT, 1, who, "same")) for who in "abc"]
    assert [str(each)[:18] for each in store.vote(*votes)] == ["same", "same", "2 people have vote"]
    store.move(code, (ABOUT, 1, 0), Phase.OPEN)
    with pytest.raises(ValueError, match="asked 2 times"):
        store.move(code, (ABOUT, 2, 0), Phase.OPEN)


def test_where_there_are_too_many_classes_one_that_nobody_uses_makes_room(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_CLASSES", 3)
    voted, led, unused = (store.open(ABOUT)[0] for _ in range(3))
    store.vote((voted, Vote(ABOUT, 1, "one", "same")))
    clock.now += limits.UNUSED - 1
    store.see(led)
    with pytest.raises(ValueError, match="there are 3 classes"):
        store.open(ABOUT)
    clock.now += 1
    code, _ = store.open(ABOUT)
    assert store.state(unused) is None
    assert all(store.state(each) for each in (voted, led, code))
    with pytest.raises(ValueError, match="there are 3 classes"):
        store.open(ABOUT)


def test_a_database_of_the_first_version_keeps_its_votes_and_takes_corrections(address: str, clock: Clock) -> None:
    Store(address).state("")  # makes the folder
    Path(address.removeprefix("sqlite:///")).unlink()
    with sql.create_engine(address).begin() as db:
        VERSIONS.create(db)
        db.execute(sql.insert(VERSIONS).values(version=1))
        STEPS[0](db)
        row = f"'BBBBBB', 'x', {int(clock.now) + 1000}, false, '{ABOUT}', 1, 0, 1"
        db.execute(sql.text(f"INSERT INTO classes VALUES ({row})"))
        db.execute(sql.text(f"INSERT INTO votes VALUES ('BBBBBB', '{ABOUT}', 1, 'one', 'same')"))
    store = Store(address, clock)
    assert store.votes("BBBBBB") == [Vote(ABOUT, 1, "one", "same")]
    assert store.vote(("BBBBBB", Vote(ABOUT, 1, "one", "more", 1))) == ["more"]
    store.close()


def test_the_teachers_page_keeps_a_class_in_use(client: TestClient, address: str) -> None:
    opened = client.post("/class", json={"about": ABOUT}).json()
    store = Store(address, lambda: 0.0)
    store.see(opened["code"])
    client.post(f"/class/{opened['code']}/teacher", json={"secret": opened["secret"]})
    with sql.create_engine(address).begin() as db:
        assert db.scalar(sql.text("SELECT seen FROM classes")) > 0
    store.close()


def test_a_database_is_made_once_and_one_of_a_later_version_is_left_alone(address: str) -> None:
    stores = [Store(address) for _ in range(8)]
    with ThreadPoolExecutor(len(stores)) as at_once:
        assert list(at_once.map(lambda each: each.state("BBBBBB"), stores)) == [None] * len(stores)
    with sql.create_engine(address).begin() as db:
        assert db.scalars(sql.select(VERSIONS.c.version)).all() == [*range(1, 1 + len(STEPS))]
        db.execute(sql.insert(VERSIONS).values(version=1 + len(STEPS)))
    with pytest.raises(ValueError, match="it's of a later attnviz"):
        Store(address).state("BBBBBB")


def test_files_say_what_was_voted(store: Store) -> None:
    code, _ = store.open(ABOUT)
    store.vote(
        *((code, Vote(ABOUT, 1, who_of(code, str(i)), choice)) for i, choice in enumerate(["same", "more", "same"]))
    )
    rows = list(csv.DictReader(StringIO(as_csv(store.votes(code)))))
    asked = asked_of(ABOUT)
    assert asked
    assert [(row["choice"], row["text"], row["right"], row["votes"]) for row in rows] == [
        (choice, label, str(int(choice == asked.right)), str({"same": 2, "more": 1}.get(choice, 0)))
        for choice, label in asked.choices.items()
    ]
    lines = [
        json.loads(line) for line in as_xapi(store.votes(code), f"https://a.example.org/class/{code}").splitlines()
    ]
    assert Counter(each["result"]["response"] for each in lines) == {"same": 2, "more": 1}
    assert {each["result"]["success"] for each in lines if each["result"]["response"] == asked.right} == {True}
    assert len({each["actor"]["account"]["name"] for each in lines}) == len({each["id"] for each in lines}) == 3


def test_all_that_links_name_can_be_asked() -> None:
    names = [about for each in subjects().values() for about in each]
    assert len(names) >= 24 + 8
    for about in names:
        if about != "learned":  # which trains for seconds
            asked = asked_of(about)
            assert asked, about
            assert asked.right in asked.choices
            assert max(map(len, asked.choices)) <= 20 >= len(about) - 20, "as the columns are wide"
    assert asked_of("zebra") is None


def opened(client: TestClient, about: str = ABOUT) -> tuple[str, str]:
    told = client.post("/class", json={"about": about}).json()
    return told["code"], told["secret"]


def test_people_and_teacher_are_told_no_more_than_they_may_know(client: TestClient) -> None:
    code, secret = opened(client)

    def lead(**says: Any) -> Any:
        return client.post(f"/class/{code}/teacher", json={"secret": secret, **says})

    vote = {"about": ABOUT, "round": 1, "choice": "more", "token": "t" * 32}
    for _ in range(2):
        assert client.post(f"/class/{code.lower()}/vote", json=vote).json() == {"choice": "more"}
    now = client.get(f"/class/{code}/now").json()
    assert not {"rounds", "right", "told"} & now.keys()
    assert lead().json().keys() >= {"rounds"}
    assert client.post(f"/class/{code}/teacher", json={"secret": secret[:-1] + "é"}).status_code == 403
    assert lead(wants="move", **{"from": [ABOUT, 1, 0], "to": 1}).json()["rounds"] == [[1, {"more": 1}]]
    assert "right" not in client.get(f"/class/{code}/now").json()
    late = client.post(f"/class/{code}/vote", json=vote | {"token": "u" * 32})
    assert late.status_code == 410
    assert lead(wants="move", **{"from": [ABOUT, 1, 1], "to": 2}).json()["right"] == "same"
    assert client.get(f"/class/{code}/now").json()["told"]["more"][0].startswith("You predicted")
    assert lead(wants="csv").text.startswith("question,asked,round")
    assert lead(wants="end").json()["ended"]


def test_pages_are_found_below_the_address_that_the_app_is_served_from(client: TestClient) -> None:
    told = client.post("/course/class", json={"about": ABOUT}).json()
    at = f"/course/class/{told['code']}"
    code = BytesIO()
    segno.make(f"http://testserver{at}", error="m", micro=False).save(code, kind="svg", light="#fff", omitsize=True)
    assert client.get(f"{at.lower()}/qr").content == code.getvalue()
    for path in ("/course/class", at, f"{at}/teacher"):
        page = client.get(path)
        assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
        assert told["secret"] not in page.text
        assert told["code"] not in page.text, "nothing of a class is in its pages"
    assert [client.get(f"/course/class/board?about={each}").status_code for each in (ABOUT, "root", "<b>")] == [
        200,
        204,
        204,
    ]


def test_before_it_is_told_the_board_that_people_are_sent_holds_nothing_of_the_answer(client: TestClient) -> None:
    names = [name for each in subjects().values() for name in each if has_board(name)]
    for question in (drawn_of(name) for name in names if name != "learned"):  # but one, which trains for seconds
        last = question.board_matrices(question.defaults)[-1]
        for told, made in ("", (question.start, question.defaults)), ("&told=1", question.acted):
            held = _held(client.get(f"/class/board?about={question.slug}{told}").text)
            assert not {"asked", "then"} & held.keys(), "it's one of the two boards alone"
            numbers = question.drawn_trace(*made).for_head(0)[last].flatten().tolist()
            assert held["data"]["matrices"][last]["values"] == pytest.approx(numbers), question.slug


def _held(page: str) -> dict[str, Any]:
    (found,) = re.findall(r'<div class="drawn"><script type="application/octet-stream">([^<]+)<', page)
    return dict(json.loads(gzip.decompress(b64decode(found))))


@pytest.mark.parametrize(
    ("says", "status"),
    [
        ({"choice": "<b>"}, 400), ({"choice": ["same"]}, 400), ({"about": "zebra"}, 400), ({"round": True}, 400),
        ({"round": 10**30}, 400), ({"token": "short"}, 400), ({"token": "t" * 65}, 400), ({"token": 7}, 400),
        ({"token": "t" * 600}, 413), ({"about": 7}, 400), ({"token": "\ud800" * 16}, 200),
    ],
)  # fmt: skip
def test_nothing_but_a_choice_is_taken(client: TestClient, says: dict[str, Any], status: int) -> None:
    code, _ = opened(client)
    vote = {"about": ABOUT, "round": 1, "choice": "same", "token": "t" * 32}
    sent = json.dumps(vote | says)
    assert client.post(f"/class/{code}/vote", content=sent).status_code == status
    assert client.post(f"/class/{code}/vote", json=vote, headers={"origin": ""}).status_code in (200, 410)


def test_codes_are_guessed_slowly(client: TestClient) -> None:
    found = Counter(client.get(f"/class/BBBB{a}{b}/now").status_code for a in "BCDFGHJK" for b in "BCDFGHJKLM")
    assert found[404] <= 65
    assert found.keys() == {404, 429}
    assert {client.get(f"/class/{code}/now").status_code for code in ("AAAAAA", "B", "%00")} == {404}


def test_without_a_database_all_else_works(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for database in (None, stored(f"sqlite:///{tmp_path}/file/classes.sqlite"), stored(f"sqlite:///{tmp_path}")):
        classroom = Classroom(database)
        client = TestClient(Starlette(routes=classroom.routes()), headers=HERE)
        assert asyncio.run(classroom.standing()) == ("off" if database is None else "away")
        page = client.get("/class")
        assert page.status_code == 503
        assert "has no database that answers" in page.text
        assert client.post("/class", json={"about": ABOUT}).status_code == 503
    with pytest.raises(AwayError):
        Store(f"sqlite:///{tmp_path}").state("BBBBBB")


def test_the_setting_names_what_can_be_used() -> None:
    assert database_of({DATABASE: "off"}) == ""
    assert database_of({"XDG_DATA_HOME": "/data"}) == "sqlite:////data/attnviz/classes.sqlite"
    for address, told in (
        ("mysql://a:s3cret@b/c", "of the kind 'mysql'"),
        ("s3cret", "can't be read"),
        ("sqlite://", ""),
    ):
        with pytest.raises(ValueError, match=f"{DATABASE} .*{told}.*, or off") as refused:
            database_of({DATABASE: address})
        assert "s3cret" not in str(refused.value)


def test_of_two_copies_one_dies_and_no_vote_is_lost(address: str) -> None:
    with copies(2, address) as (addresses, (dying, _)):
        rounds, wrong = asyncio.run(class_of(addresses, 60, 2.0, lambda: None, dying.kill))
    assert [len(made.choices) for made in rounds] == [60, 60]
    assert wrong == []


def test_a_classs_people_are_spoken_to_in_the_language_of_who_asks(tmp_path: Path) -> None:
    """Asked in English before, so that nothing remembers that."""
    client = TestClient(
        Starlette(routes=Classroom(stored(f"sqlite:///{tmp_path}/classes.sqlite")).routes()), headers=HERE
    )
    code = client.post("/class", json={"about": "values"}).json()["code"]

    def told() -> list[str]:
        return [client.get(f"/class/{code}/now").text, client.get("/class/board?about=values").text]

    english, other = told(), made_up(tmp_path / "language").run(told)
    assert all(map(str.__ne__, english, other))
    assert not [text for text in other if say("stages.x.plain") in text or say("questions.values.predict.act") in text]
