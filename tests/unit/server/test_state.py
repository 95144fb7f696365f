"""What a query stands for: the same whoever reads it, and once it is written as it is used; and what a bare one is."""

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.app.session.page_record import mark_of, query_after_run
from attnviz.core.limits import MAX_TOKENS
from attnviz.core.matrix_input import Edit
from attnviz.core.stages import EDITABLE
from attnviz.explanation.numbers_from import numbers_in_words
from attnviz.link.changes_text import encode_changes
from attnviz.link.parameter_table import texts
from attnviz.link.set_up import EXAMPLE, PUBLISHED, parameters, query_of, scenario_from_query, with_example
from attnviz.link.state import MOST_CHARACTERS, naming_its_example, read_link, read_query, state_of
from attnviz.published import OPENING, starting_points
from tests.node import PageScript
from tests.rubbish import RUBBISH
from tests.unit.server.test_link import changes

NAMES = [*parameters(), *texts(), "edits", "utm_source", "colour"]
SOME = [*RUBBISH.values(), "true", "0", "1", "2", "7", "a b", "", "scores.1.1", "w_q.0.1.0.9"]
VALUES = st.sampled_from(SOME) | st.text()
PIECES = (
    *EDITABLE, "scores", "given", "example", "love-ai", "_", "__", "*", "3", "0", "1", "-1", "0.5", "nan", "inf",
    "1e999", "random", "identity", "zeros", "٣", "9" * 5000, "99999999999", "", " ", "\0", "\ud800", "é", "_1", "1_0",
)  # fmt: skip
ALMOST = st.lists(st.lists(st.sampled_from(PIECES), max_size=5).map(".".join), max_size=5).map("*".join)


@given(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6), changes().map(encode_changes) | ALMOST)
@example({"text": " "}, "")
@example({"n_heads": "3"}, "")
@example({}, "w_q.0.0." + "9" * 5000)
@example({}, "w_q.random." + "9" * 5000)
@example({}, "w_q." + "9" * 5000 + ".0.1")
@example({}, "*" * 100)
@example({}, "w_q.-1.0.5*w_q.0.0.nan*x.0.0.1e39*b_q.zeros")
def test_a_query_as_it_is_used_is_the_same_state(said: dict[str, str], edits: str) -> None:
    given = said | ({"edits": edits} if edits else {})
    state = state_of(urlencode(given, errors="surrogatepass"))
    again = state_of(state.query)
    assert (again.query, again.scenario, again.values) == (state.query, state.scenario, state.values)
    read = dict(parse_qsl(state.query, keep_blank_values=True, errors="surrogatepass"))
    assert read_link(read, repr, lambda name: "").messages == (), "or a page would open for ever"
    assert state_of(state.query, []).scenario == state.scenario, "of the texts, only the changes make it"
    scenario, ignored = scenario_from_query(urlencode(given, errors="surrogatepass"))  # as where a link holds another
    assert all(len(each) < 400 for each in ignored)
    assert scenario_from_query(query_of(scenario)) == (scenario, [])


CAT = starting_points()[OPENING].scenario
PLACES = (
    "", "utm_source=mail", "fbclid=", "embed=true&foo=1", "step=one-score", "step=softmax&query=2", "present=1",
    "question=root", "view=heatmaps&present=1", "predicted=step-mix.v&utm_source=mail", "moment=2&query=1",
    "view=heatmaps", "query=3", "cell=scores.1.1&present=1", "sweep=dims.2-4",
)  # fmt: skip
WITH_NUMBERS = ("example=published", "d_in=3&step=softmax", "present=1&text=Your+journey+starts+with+one+step")


@pytest.mark.parametrize("query", PLACES)
def test_a_query_that_says_at_most_a_place_is_the_opening_example(query: str) -> None:
    state = state_of(query)
    assert state.scenario == state_of(query, []).scenario == CAT
    assert state_of(state.query).scenario == CAT
    assert (
        dict(parse_qsl(query)).items() - {("foo", "1")} <= dict(parse_qsl(state.query, keep_blank_values=True)).items()
    )


@pytest.mark.parametrize("query", WITH_NUMBERS)
def test_a_query_with_numbers_is_the_published_example_under_what_it_says(query: str) -> None:
    state = state_of(query)
    assert state.scenario == state_of(query, []).scenario == Scenario(embedding="published")
    # Written as it is used, by names, it'd be a link of today: so it names its example.
    assert dict(parse_qsl(state.query))["example"] == "published"
    assert state_of(state.query).scenario == state.scenario
    assert state_of({**dict(parse_qsl(state.query)), "present": "1"}).scenario == state.scenario


def test_a_query_that_has_lost_its_set_up_names_the_published_example() -> None:
    assert state_of("seed=abc").query == "example=published"
    assert query_after_run({"utm_source": "1", "seed": "123"}, {}, {}) == {"utm_source": "1", "example": "published"}
    assert query_after_run({"seed": "123"}, {}, {"step": "scale"}) == {"step": "scale", "example": "published"}
    assert query_after_run({"example": "published"}, {"seed": "7"}, {"step": "scale"}) == {"step": "scale", "seed": "7"}


@given(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4))
def test_a_query_names_its_example_in_the_page_as_it_does_here(script: PageScript, said: dict[str, str]) -> None:
    query = urlencode(said, errors="replace")
    asked = {"query": query, "controls": [*parameters()]}
    named = script.run("({ query }, each) => query.namingItsExample(each.query, each.controls)", asked)
    assert read_query(named) == naming_its_example(read_query(query))


def test_what_cannot_be_read_is_told_and_a_query_beyond_all_limits_says_nothing() -> None:
    assert len(state_of("d_in=abc&cell=scores.9.9&edits=w_q.9.9.1&n_heads=3&colour=red").messages) == 5
    assert state_of("d_in=3&present=on").messages == ("present = 'on' should be 1; none is used.",)
    assert state_of("text=" + "word+" * (MAX_TOKENS + 1)).messages[-1].endswith(".")
    blank = state_of("text=+&edits=w_q.0.1.0.9&cell=scores.1.1")
    assert (blank.scenario, blank.query) == (None, "text=+&edits=w_q.0.1.0.9&cell=scores.1.1"), "waits for a sentence"
    for query in ("seed=7&pinned=" + "a" * MOST_CHARACTERS, "&".join(["seed=7"] * 1001)):
        assert state_of(query) == state_of("")


WORDS = CAT.tokens
# Who reads whom most, in whole percents.
READS = {("fluffy", "cat"): 61, ("cat", "fluffy"): 71, ("chased", "cat"): 51, ("mouse", "fluffy"): 51}


@pytest.mark.parametrize(("query", "key"), READS)
def test_its_numbers_mean_something(query: str, key: str) -> None:
    row = trace(CAT).attention_weights[WORDS.index(query)]
    assert int(row.argmax()) == WORDS.index(key)
    assert round(100 * row.max().item()) == READS[query, key]


def test_it_is_said_that_the_numbers_are_made_by_hand() -> None:
    assert numbers_in_words(CAT) == "Numbers made by hand: X's columns are noun, adjective and verb."
    changed = numbers_in_words(replace(CAT, edits=(Edit("w_q", 1, 0, -2.0),)))
    assert changed.startswith("You changed 1 number.")
    assert "noun" in changed
    partly = numbers_in_words(replace(CAT, w_v=None))
    assert "W_q and W_k were made by hand" in partly
    assert "W_v are random" in partly
    assert "noun" not in numbers_in_words(replace(CAT, text="a dog", x=None))


@pytest.mark.parametrize(
    "query",
    [{"d_in": "abc"}, {"d_in": "3"}, {"example": "nobody"}, {"example": "journey"}, {"example": PUBLISHED},
     {"seed": "123", "foo": "1"}],
)  # fmt: skip
def test_a_link_of_which_nothing_is_left_is_the_published_example_by_name(query: Mapping[str, str]) -> None:
    opened = read_link(query, repr, lambda name: "")
    assert opened.query == {EXAMPLE: PUBLISHED}
    assert read_link(opened.query, repr, lambda name: "").query == opened.query  # as the page runs again with it
    assert with_example(opened.query) == {}


phrases = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
queries = st.dictionaries(phrases, phrases, max_size=6)
WRITTEN = [*"&=%+?;#\0ab", "%C3%A9", "%C3", "%ff", "%2", "%26"]  # as browsers do, in ASCII


@given(st.lists(st.sampled_from(WRITTEN), max_size=12).map("".join) | queries.map(urlencode))
@example(urlencode({"\U0001f600": "1", "\uffff": "2"}))  # sorted by halves of UTF-16 in the page
@example("a=1&a=2&b&=3&&c==4")
def test_a_query_has_one_mark_here_and_in_the_page(script: PageScript, query: str) -> None:
    query = query.lstrip("?")  # which stands before a query, and is none of it
    assert script.run("({ query }, text) => query.markOf(text)", query) == mark_of(read_query(query))


@given(queries)
def test_what_others_put_into_a_query_stays_there(texts: dict[str, str]) -> None:
    others = {f"utm_{name}": text for name, text in texts.items()}
    made = query_after_run({"seed": "x", "nonsense": "1", **others}, {"seed": "7"}, {"edits": "w_q.0.0.1"})
    assert made == others | {"seed": "7", "edits": "w_q.0.0.1"}
