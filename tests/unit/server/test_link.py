"""Links: whole scenarios and changes of matrices as parts of a URL, and what becomes of those that are damaged."""

import base64
import math
import time
import tracemalloc
import zlib
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnviz import Edit, Scenario
from attnviz.core import limits
from attnviz.core.changes import Changes
from attnviz.core.stages import EDITABLE, MASK
from attnviz.link.changes_text import decode_changes, encode_changes
from attnviz.link.codecs import VERSION, Choice, Number, Whole, pack, unpack
from attnviz.link.set_up import MAX_QUERY_CHARACTERS, Control, parameters, query_of, scenario_from_query
from attnviz.words import say
from tests.examples import examples
from tests.node import PageScript

finite = st.floats(width=32, allow_nan=False, allow_infinity=False) | st.sampled_from((0.0, -0.5, 1e30, 1e-30, 0.1))
edits = st.builds(Edit, st.sampled_from(EDITABLE), st.integers(0, 1023), st.integers(0, 1023), finite)
on_board = edits | st.builds(
    Edit,
    st.sampled_from(("layers.1.w_q", "layers.3.b_v", "w_o")), st.integers(0, 3), st.integers(0, 3),
    finite | st.floats(allow_nan=False, allow_infinity=False, max_value=1e37, min_value=-1e37),
) | st.builds(Edit, st.just(MASK), st.integers(0, 3), st.integers(0, 3), st.just(-math.inf))  # fmt: skip
fills = st.sampled_from(("identity", "zeros")) | st.integers(0, limits.MAX_SEED).map(lambda seed: f"random:{seed}")


@st.composite
def changes(draw: st.DrawFn) -> Changes:
    cells = {edit[:3]: edit for edit in draw(st.lists(edits, max_size=8))}
    return Changes(tuple(cells.values()), tuple(draw(st.dictionaries(st.sampled_from(EDITABLE), fills)).items()))


@pytest.mark.parametrize("packs", [False, True])
@given(made=changes(), rounds=st.lists(st.lists(st.tuples(st.integers(0, 9), on_board), max_size=4), max_size=4))
def test_what_the_board_adds_to_a_text_is_what_was_done_on_it(
    script: PageScript, packs: bool, made: Changes, rounds: list[list[tuple[int, Edit]]]
) -> None:
    plain = encode_changes(made)
    text, cells = pack(plain) if packs else plain, {edit[:3]: edit for edit in made.edits}
    for done in rounds:
        told = []
        for which, edit in done:
            old = dict(enumerate(cells.values())).get(which)
            if old is not None and math.isfinite(edit.value):  # it is edited again, or given back as it was drawn
                edit = Edit(*old[:3], edit.value)
            back = which % 2
            cells[edit[:3]] = edit
            if back:
                del cells[edit[:3]]
            told.append({**edit._asdict(), "value": None if back else str(edit.value).replace("inf", "Infinity")})
        text = script.run(
            """({ sender }, [text, told]) => sender.partsOf(text, told.map(({ value, ...place }) => (
              { ...place, value: value === null ? null : Number(value) })))""",
            [text, told],
        )
    read, ignored = decode_changes(text)
    assert (set(read.edits), read.replaced, ignored) == (set(cells.values()), made.replaced, [])


# Parameters


def test_every_control_is_called_otherwise_and_explains_each_of_its_choices() -> None:
    labels = [parameter.label for parameter in parameters().values()]
    assert len(set(labels)) == len(labels)
    for parameter in parameters().values():
        if isinstance(parameter.codec, Choice) and parameter.name != "device":
            choices = parameter.codec.choices
            assert [choice for choice in choices if not parameter.meaning(choice)] == []
            called = {parameter.called(choice) for choice in choices}
            assert len(called - {*choices} - {"ReLU", "GELU"}) >= len(choices) - 2


NUMBERS = [control for control in parameters().values() if isinstance(control.codec, Whole | Number)]


@given(st.sampled_from(NUMBERS), st.text() | st.integers().map(str) | st.floats().map(str))
def test_what_a_parameter_accepts_a_scenario_takes(control: Control, raw: str) -> None:
    value, error = control.read(raw)
    assert isinstance(control.codec, Whole | Number)
    if error is None and value is not None:
        assert control.codec.low <= value <= control.codec.high
    if control.name in Scenario.__dataclass_fields__:
        assert getattr(Scenario(**{control.name: value}), control.name) == value


def test_many_changes_are_packed_into_less() -> None:
    edits = tuple(Edit("w_q", i // 64, i % 64, round(i * 0.37 % 5, 4)) for i in range(limits.MAX_EDITS))
    scenario = Scenario(d_in=64, d_out=64, edits=edits)
    query = query_of(scenario)
    assert len(query) < 25_000
    assert scenario_from_query(query) == (scenario, [])


# Damaged, foreign, hostile

DAMAGED, NEWER = (say(f"links.unreadable.{why}", what=say("links.unreadable.changes")) for why in ("damaged", "newer"))


@pytest.mark.parametrize(
    ("query", "ignored"),
    [
        ("seed=-1&d_out=4", "seed = '-1' should be a whole number from 0 to 4294967295; 123 is used."),
        ("d_out=4&utm_source=x&edits=w_q.9.9.1", say("links.changes.misfit", n=1, first="'w_q.9.9.1.0'")),
        ("d_out=4&edits=w_q.0.0.abc", say("links.changes.number", n=1, value="'abc'", first="'w_q.0.0.abc'")),
        ("d_out=4&edits=w_q.0.0.nan", say("links.changes.number", n=1, value="'nan'", first="'w_q.0.0.nan'")),
        ("d_out=4&edits=w_q.0.0.1e39", say("links.changes.too_large", n=1, value="'1e39'", first="'w_q.0.0.1e39'")),
        ("d_out=4&edits=zzz", say("links.changes.unreadable", n=1, first="'zzz'")),
        ("d_out=4&edits=z.AAAA", say("links.changes.unreadable", n=1, first="'z.AAAA'")),
        ("d_out=4&edits=~eJx", say("links.changes.unreadable", n=1, first="'~eJx'")),
        ("d_out=4&edits=w_q.0.0.", say("links.changes.unreadable", n=1, first="'w_q.0.0.'")),
        ("d_out=4&edits=w_x.0.0.1", say("links.changes.misfit", n=1, first="'w_x.0.0.1'")),
        ("d_out=4&edits=w_x.0.0.1*zzz", say("links.changes.unreadable", n=2, first="'zzz'")),
        ("d_out=4&edits=z9.abc", NEWER),
        (f"d_out=4&edits={pack('w_q.0.0.1')[:-3]}", DAMAGED),
        ("d_out=4&edits=z1.%00", DAMAGED),
        ("d_out=4&edits=z0.abc", DAMAGED),
        ("d_out=4&text=", say("links.tokens", most="1,024")),
        ("d_out=4&edits=w_q.given.1_nan__2_3", say("links.changes.misfit", n=1, first="'w_q.given.1.0_nan__2.0_3.0'")),
        ("d_out=4&edits=w_q.given.1_2__3", say("links.changes.misfit", n=1, first="'w_q.given.1.0_2.0__3.0'")),
    ],
)
def test_what_a_link_cannot_be_is_named_and_the_rest_opens(query: str, ignored: str) -> None:
    scenario, said = scenario_from_query(query)
    assert said == [ignored]
    assert scenario == Scenario(embedding="published", d_out=4)


def test_of_more_chosen_words_than_there_may_be_the_first_are_kept_and_it_is_said() -> None:
    query = "seed=7&word_classes=" + "+".join(f"w{n:02}:noun" for n in range(70))
    scenario, said = scenario_from_query(query)
    assert scenario.word_classes == " ".join(f"w{n:02}:noun" for n in range(64))
    assert scenario.seed == 7
    assert said == [say("links.classes", told=70, most=64)]
    again = "+".join(["w00:verb"] * 2 + [f"w{n:02}:noun" for n in range(64)])
    assert scenario_from_query(f"word_classes={again}")[1] == []


def test_a_link_of_a_megabyte_is_refused_at_once() -> None:
    start = time.process_time()
    scenario, said = scenario_from_query("seed=7&text=" + "a" * MAX_QUERY_CHARACTERS)
    assert time.process_time() - start < 5  # bounded; not a measurement
    assert said[0] == say("links.query_too_long")
    assert scenario.seed == 7


def test_a_decompression_bomb_does_not_go_off() -> None:
    bomb = f"z{VERSION}." + base64.urlsafe_b64encode(zlib.compress(b"\0" * 30_000_000, 9)).decode()
    tracemalloc.start()
    changes, ignored = decode_changes(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert not changes
    assert len(ignored) == 1
    assert peak < 8_000_000


BASE64 = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+/ .*%"
damaged = st.builds(
    lambda text, at, by: pack(text)[:at] + by + pack(text)[at + len(by) :],
    st.text(max_size=40), st.integers(0, 60), st.text(BASE64, max_size=3),
)  # fmt: skip
packed = st.binary(max_size=60).map(lambda raw: f"z{VERSION}." + base64.urlsafe_b64encode(raw).decode())


@settings(max_examples=examples(400))
@given(packed | damaged | st.text(BASE64).map("z1.".__add__) | st.text().map("z".__add__))
def test_whatever_is_packed_is_read_or_refused(text: str) -> None:
    with suppress(ValueError):
        assert len(unpack(text, 1000)) <= 1000


@given(st.text())
@example("\ud800")
def test_a_text_comes_back_from_its_packing(text: str) -> None:
    assert unpack(pack(text), 10_000) == text
