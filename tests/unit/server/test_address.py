"""What tells a query from others is the same to the page and to the server: else each held the other to be late."""

from urllib.parse import urlencode

from hypothesis import example, given
from hypothesis import strategies as st

from attnviz.app.session.memory import becomes, mark_of
from attnviz.link.state import read_query
from tests.node import PageScript

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
queries = st.dictionaries(texts, texts, max_size=6)
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
    made = becomes({"seed": "x", "nonsense": "1", **others}, {"seed": "7"}, {"edits": "w_q.0.0.1"})
    assert made == others | {"seed": "7", "edits": "w_q.0.0.1"}


def test_a_query_of_defaults_alone_opens_no_other_example() -> None:
    assert becomes({"utm_source": "1", "seed": "123"}, {}, {}) == {"utm_source": "1", "example": "published"}
