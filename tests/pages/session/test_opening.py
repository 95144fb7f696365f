"""What the app opens with, and that an address which says anything still means what it said."""

import json

import pytest

from attnviz import Scenario
from attnviz.core.limits import MAX_SEED
from attnviz.published import OPENING, starting_points
from tests.pages.reader import PAGES, Reader, in_address

CAT = starting_points()[OPENING].scenario
PUBLISHED = Scenario(embedding="published")
EDITS = "*".join(f"{name}.example.{OPENING}" for name in ("x", "w_q", "w_k", "w_v"))
NOTHING = {"utm_source": "mail"}  # an address that says nothing of the app's


@pytest.mark.parametrize("page", PAGES)
def test_a_bare_address_opens_the_example_made_by_hand_on_every_page(page: str) -> None:
    reader = Reader(page, **NOTHING)
    assert reader.value("text") == CAT.text
    assert in_address(reader.at, "edits") == EDITS
    assert in_address(reader.at, "example") == ""
    assert reader.messages == []


def test_the_opening_page_shows_whom_fluffy_reads_and_says_that_the_numbers_are_made_by_hand() -> None:
    reader = Reader(**NOTHING)
    (board,) = reader.boards
    assert board["query"] == CAT.tokens.index("fluffy")
    assert board["features"] == ["noun", "adjective", "verb"]
    said = "Numbers made by hand: X's columns are noun, adjective and verb."
    assert any(said in each for each in (*reader.captions, *reader.texts, json.dumps(board)))
    hides = ["st-key-setup_drawn" in each.proto.body for each in reader.at.get("html")]
    assert any(hides), "a seed that draws nothing is out of sight"
    own = reader.set("text", "the fluffy dog")
    assert not any("st-key-setup_drawn" in each.proto.body for each in own.at.get("html"))
    assert Reader(seed=str(MAX_SEED)).boards  # there is no seed after the last to compare with


@pytest.mark.parametrize("address", [{"d_in": "3"}, {"d_in": "abc"}, {"example": "journey"}, {"example": "published"}])
def test_the_published_example_is_named_where_nothing_else_is_said(address: dict[str, str]) -> None:
    reader = Reader(**address)
    assert reader.value("text") == PUBLISHED.text
    assert in_address(reader.at, "edits") == ""
    assert in_address(reader.at, "example") == "published"
    assert in_address(reader.set("seed", 7).at, "example") == ""
    assert in_address(reader.set("seed", 123).at, "example") == "published"
