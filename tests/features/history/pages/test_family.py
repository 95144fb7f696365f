"""Settings of attention's family on every page: nothing breaks, and the page History opens what it says."""

from itertools import cycle
from urllib.parse import parse_qsl

import pytest

from attnviz import trace
from attnviz.features.history.steps import STEPS, WITHOUT_PICTURE
from attnviz.link.set_up import query_of
from attnviz.words import say
from tests.pages.playground import Playground
from tests.pages.reader import PAGES, boards_of

PARTS = ("link", "code", "data", "pictures", "open")
FAMILY = {step.name: dict(parse_qsl(query_of(step.scenario))) for step in STEPS} | {
    "a second sentence in layers": {"reads": "second", "second": "der Hund", "n_layers": "2", "d_out": "3",
                                    "layer": "1"},
    "a kept sentence in layers": {"reads": "kept", "second": "der Hund", "n_layers": "2", "d_out": "3", "layer": "1",
                                  "positions": "sinusoidal", "embedding_factor": "true"},
}  # fmt: skip


# Each set-up on some of the pages, and each page with some of the set-ups.
ON_PAGES = [(page, name) for i, page in enumerate(PAGES) for j, name in enumerate(FAMILY) if (i + j) % 4 == 0]


@pytest.mark.parametrize(("page", "name"), ON_PAGES)
def test_every_page_stands_with_it(page: str, name: str) -> None:
    reader = Playground(page, **FAMILY[name])
    assert not reader.errors
    assert not reader.at.exception
    assert not reader.messages


@pytest.mark.parametrize(("name", "view"), list(zip(FAMILY, cycle(("board", "heatmaps", "heatmaps")), strict=False)))
def test_a_view_the_tables_and_what_can_be_shared_stand_with_it(name: str, view: str) -> None:
    reader, at = Playground(**FAMILY[name], view=view), [*FAMILY].index(name)
    reader.at.session_state["playground.tables"] = True
    assert not reader.run().messages
    for part in PARTS[-at % 4 :: 4]:
        reader.at.session_state["share"] = True
        reader.at.session_state["share.part"] = part
        assert not reader.run().errors


def test_the_page_history_links_each_set_up_and_each_paper() -> None:
    page = Playground("pages/history.py")
    links = [link.proto.url for link in page.at.get("link_button")]
    for step in STEPS:
        page.at.button(key=f"history.open.{step.name}").click().run()
        opened = [link.proto.url for link in page.at.get("link_button")]
        assert f"./?{query_of(step.scenario)}" in opened
        assert any(f"**{step.said('title')}**" == each.value for each in page.at.markdown)
        (board,) = boards_of(page.at)
        assert board["tokens"] == list(trace(step.scenario).tokens)
        page.at.button(key="history.all").click().run()
    assert {*links} >= {*(step.paper for step in STEPS), *WITHOUT_PICTURE.values()}
    assert f"## {say('history.heading')}" in [each.value for each in page.at.markdown]
    assert not page.at.exception
