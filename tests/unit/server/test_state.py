"""What a query stands for: the same whoever reads it, and the same once it is written as it is used."""

from typing import Any
from urllib.parse import parse_qsl, urlencode

from hypothesis import example, given
from hypothesis import strategies as st

from attnviz import Scenario
from attnviz.core.limits import MAX_TOKENS
from attnviz.link.changes_text import encode_changes
from attnviz.link.parameter_table import texts
from attnviz.link.set_up import parameters, query_of, scenario_from_query
from attnviz.link.state import MOST_CHARACTERS, read_link, state_of
from attnviz.published import OPENING, starting_points
from tests.rubbish import RUBBISH
from tests.unit.server.test_link import changes

NAMES = [*parameters(), *texts(), "edits", "utm_source", "colour"]
SOME = [*RUBBISH.values(), "true", "0", "1", "2", "7", "a b", "", "scores.1.1", "w_q.0.1.0.9"]
VALUES = st.sampled_from(SOME) | st.text()


@given(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6), changes())
@example({"text": " "}, None)
@example({"n_heads": "3"}, None)
def test_a_query_as_it_is_used_is_the_same_state(said: dict[str, str], changed: Any) -> None:
    given = said | ({"edits": encode_changes(changed)} if changed else {})
    state = state_of(urlencode(given, errors="surrogatepass"))
    again = state_of(state.query)
    assert (again.query, again.scenario, again.values) == (state.query, state.scenario, state.values)
    read = dict(parse_qsl(state.query, keep_blank_values=True, errors="surrogatepass"))
    assert read_link(read, repr, lambda name: "").messages == (), "or a page would open for ever"
    assert state_of(state.query, []).scenario == state.scenario, "of the texts, only the changes make it"
    scenario, ignored = scenario_from_query(urlencode(given, errors="surrogatepass"))  # as where a link holds another
    assert all(len(each) < 400 for each in ignored)
    assert scenario_from_query(query_of(scenario)) == (scenario, [])


def test_a_bare_query_is_the_opening_example_and_one_that_says_little_is_the_published_one() -> None:
    assert state_of("").scenario == state_of("utm_source=mail").scenario == starting_points()[OPENING].scenario
    for query in ("example=published", "view=heatmaps", "step=softmax"):
        assert state_of(query).scenario == state_of(query, []).scenario == Scenario(embedding="published"), query
    assert state_of("seed=abc").query == "example=published"


def test_what_cannot_be_read_is_told_and_a_query_beyond_all_limits_says_nothing() -> None:
    assert len(state_of("d_in=abc&cell=scores.9.9&edits=w_q.9.9.1&n_heads=3&colour=red").messages) == 5
    assert state_of("d_in=3&present=on").messages == ("present = 'on' should be 1; none is used.",)
    assert state_of("text=" + "word+" * (MAX_TOKENS + 1)).messages[-1].endswith(".")
    blank = state_of("text=+&edits=w_q.0.1.0.9&cell=scores.1.1")
    assert (blank.scenario, blank.query) == (None, "text=+&edits=w_q.0.1.0.9&cell=scores.1.1"), "waits for a sentence"
    for query in ("seed=7&pinned=" + "a" * MOST_CHARACTERS, "&".join(["seed=7"] * 1001)):
        assert state_of(query) == state_of("")
