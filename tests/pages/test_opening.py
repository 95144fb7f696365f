"""What the app opens with, and that an address which says anything still means what it said."""

import json

import pytest

from attnviz import Scenario
from attnviz.published import OPENING, starting_points
from tests.pages.playground import Playground
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
    said = "Numbers made by hand to mean something: features noun, adjective, verb."
    assert any(said in each for each in (*reader.captions, *reader.texts, json.dumps(board)))


def test_what_is_changed_there_is_in_the_address_and_comes_back_with_it() -> None:
    first = Reader(**NOTHING).set("causal", True)
    again = Reader(text=first.value("text"), causal="true", edits=in_address(first.at, "edits") + "*w_q.1.0.-2.0")
    assert "mask" in {stage["name"] for stage in again.boards[0]["stages"]}
    assert in_address(again.at, "edits") == f"{EDITS}*w_q.1.0.-2.0"
    assert Reader(view="").value("text") == PUBLISHED.text  # a blank view is a word of the app's all the same


@pytest.mark.parametrize("address", [{"d_in": "3"}, {"d_in": "abc"}, {"example": "journey"}, {"example": "published"}])
def test_the_published_example_is_named_where_nothing_else_is_said(address: dict[str, str]) -> None:
    reader = Reader(**address)
    assert reader.value("text") == PUBLISHED.text
    assert in_address(reader.at, "edits") == ""
    assert in_address(reader.at, "example") == "published"
    assert in_address(reader.set("seed", 7).at, "example") == ""
    assert in_address(reader.set("seed", 123).at, "example") == "published"


def test_starting_over_leads_back_to_the_opening_example() -> None:
    playground = Playground(seed="7", causal="true", edits="w_q.0.1.0.9", query="3", digits="2").press("Start over")
    assert playground.shows(CAT)
    assert not playground.can_press("Bring back")
    assert playground.value("digits") == 4
    assert in_address(playground.at, "query") == ""


def test_the_published_sentence_stands_first_under_examples_and_the_opening_one_second() -> None:
    reader = Reader(**NOTHING)
    labels = [button.label for button in reader.at.button]
    first = labels.index(PUBLISHED.text)
    assert labels[first + 1] == starting_points()[OPENING].title
    assert labels.count(PUBLISHED.text) == 1
    reader.press(PUBLISHED.text)
    assert in_address(reader.at, "example") == "published"
    assert reader.boards[0]["features"] is None
    reader.press(starting_points()[OPENING].title)
    assert in_address(reader.at, "edits") == EDITS


def test_check_my_numbers_opens_no_tables_of_an_example_that_was_not_published() -> None:
    for address in ({"example": OPENING}, {"example": "published"}, NOTHING):
        assert Reader("pages/check.py", **address).value("check.mode") == "check"


def test_what_is_said_of_a_link_of_which_nothing_is_left_stands_on_the_next_run() -> None:
    reader = Reader(query="77", d_in="abc")
    (said,) = reader.messages
    assert "were ignored" in said
    assert reader.run().messages == [said]  # as the browser asks for it where its connection broke
