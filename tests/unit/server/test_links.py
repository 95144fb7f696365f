"""Links: whole scenarios as the query of a URL, and what becomes of links that are damaged or of others."""

import base64
import time
import tracemalloc
import zlib
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnviz import Edit, Scenario
from attnviz.core import limits
from attnviz.link.changes_text import decode_changes
from attnviz.link.codecs import VERSION, pack, unpack
from attnviz.link.set_up import MAX_QUERY_CHARACTERS, query_of, scenario_from_query
from attnviz.words import say
from tests.examples import examples


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


def test_a_link_of_a_megabyte_is_refused_at_once() -> None:
    start = time.perf_counter()
    scenario, said = scenario_from_query("seed=7&text=" + "a" * MAX_QUERY_CHARACTERS)
    assert time.perf_counter() - start < 5  # bounded; not a measurement
    assert said[0] == say("links.query_too_long")
    assert scenario.seed == 7


def test_a_decompression_bomb_does_not_go_off() -> None:
    bomb = f"z{VERSION}." + base64.urlsafe_b64encode(zlib.compress(b"\0" * 300_000_000, 9)).decode()
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
