"""Whatever a link says is taken or told, whichever page opens: each parameter and kind of rubbish is in tests/unit."""

from typing import Any

import pytest

from attnviz.link.parameter_table import texts
from attnviz.link.set_up import EXAMPLE, parameters
from tests.pages.reader import PAGES, Reader

NAMES = (*parameters(), *texts())
SENTENCES = ("text", "second")


@pytest.mark.parametrize("page", PAGES[::4])
def test_all_at_once_are_told_on_each_page_and_not_on_the_next(page: str) -> None:
    reader = Reader(page, **dict.fromkeys(set(NAMES) - {"text", "learn_sentence"}, "garbage"))
    told = " ".join(reader.messages)
    assert [name for name in parameters() if name not in SENTENCES and f"{name} = " not in told] == []
    for name in ("query", "view", "cell", "step", "question", "check"):
        assert f"{name} = " in told
    for words in (
        "`garbage` isn't written as a change",
        "the set-up kept as A",
        "in the sweep, ",
        "it hides `garbage`",
        "the tables to check",
    ):
        assert words in told
    assert "numbers = " in told
    for other in PAGES:
        if other != page:
            assert reader.visit(other).messages == []
    assert reader.visit(page).messages == []


@pytest.mark.parametrize("name", [*NAMES[::6], EXAMPLE])
def test_blank_and_repeated_parameters_open_the_page(name: str) -> None:
    reader = Reader(**{name: ""})
    blank_means_none = name in parameters() and parameters()[name].default in (None, "")
    told = (name in parameters() and name not in SENTENCES and not blank_means_none) or name == EXAMPLE
    assert len(reader.messages) == told
    twice: Any = {name: ["garbage", "garbage"]}
    Reader(**twice)


@pytest.mark.parametrize("link", [{"edits": "garbage"}, {"query": "77", "d_in": "abc"}])  # of which nothing is left
def test_what_is_said_of_a_link_stands_until_something_is_changed(link: dict[str, str]) -> None:
    reader = Reader(**link)
    told = reader.messages
    assert len(told) == 1
    # As where the connection broke during the first run: the browser asks for another, and has seen nothing yet.
    assert reader.run().messages == told
    assert reader.set("seed", 7).messages == []
    assert reader.set("seed", 123).messages == []
