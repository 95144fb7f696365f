"""The example that the app opens with: numbers made by hand, and what a link without a sentence means beside it."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz import trace
from attnviz.core.matrix_input import Edit
from attnviz.explanation.numbers_from import numbers_in_words
from attnviz.link.parameter_table import LEFT_OUT, table
from attnviz.link.set_up import EXAMPLE, PUBLISHED, scenario_from_query, with_example
from attnviz.link.state import as_the_app_opens, read_link
from attnviz.published import OPENING, starting_points

CAT = starting_points()[OPENING].scenario
WORDS = CAT.tokens
# Who reads whom most, in whole percents.
READS = {("fluffy", "cat"): 61, ("cat", "fluffy"): 71, ("chased", "cat"): 51, ("mouse", "fluffy"): 51}


def unsaid(text: str) -> str:
    return ""


@pytest.mark.parametrize(("query", "key"), READS)
def test_its_numbers_mean_something(query: str, key: str) -> None:
    row = trace(CAT).attention_weights[WORDS.index(query)]
    assert int(row.argmax()) == WORDS.index(key)
    assert round(100 * row.max().item()) == READS[query, key]


def test_it_is_said_that_the_numbers_are_made_by_hand() -> None:
    assert numbers_in_words(CAT) == "Numbers made by hand: X's columns are noun, adjective and verb."
    changed = numbers_in_words(replace(CAT, edits=(Edit("w_q", 1, 0, -2.0),)))
    assert changed.startswith("You changed 1 number;")
    assert "noun" in changed
    partly = numbers_in_words(replace(CAT, w_v=None))
    assert "W_q and W_k were made by hand" in partly
    assert "W_v are random" in partly
    assert "noun" not in numbers_in_words(replace(CAT, text="a dog", x=None))


KNOWN = sorted(set(table()) - {LEFT_OUT, EXAMPLE})


@given(st.dictionaries(st.sampled_from(KNOWN), st.text(max_size=4), min_size=1))
def test_a_link_that_says_anything_is_not_the_opening_example(query: Mapping[str, str]) -> None:
    assert as_the_app_opens(query) == query


@given(st.dictionaries(st.sampled_from(["utm_source", "fbclid", "foo", "embed"]), st.text(max_size=4)))
def test_a_link_that_says_nothing_opens_the_opening_example(query: Mapping[str, str]) -> None:
    opened = as_the_app_opens(query)
    assert scenario_from_query("&".join(f"{name}={opened[name]}" for name in ("text", "edits")))[0] == CAT
    assert opened.items() >= query.items()


@pytest.mark.parametrize(
    "query",
    [{"d_in": "abc"}, {"d_in": "3"}, {"example": "nobody"}, {"example": "journey"}, {"example": PUBLISHED},
     {"seed": "123", "foo": "1"}],
)  # fmt: skip
def test_a_link_of_which_nothing_is_left_is_the_published_example_by_name(query: Mapping[str, str]) -> None:
    opened = read_link(query, repr, unsaid)
    assert opened.query == {EXAMPLE: PUBLISHED}
    assert read_link(opened.query, repr, unsaid).query == opened.query  # as the page runs again with it
    assert with_example(opened.query) == {}


def test_a_refused_example_is_told_all_that_there_are() -> None:
    with pytest.raises(ValueError, match=rf"'nobody' can't be example\. .*, {PUBLISHED}\.$"):
        with_example({EXAMPLE: "nobody"})
