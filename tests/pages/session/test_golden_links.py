"""Links of before restore what only pages can: what is picked, pinned, hidden, typed and drawn."""

from typing import Any

import pytest
import torch

from attnviz.app.server.page_html import moved_to
from attnviz.features.lesson.steps import STEPS
from attnviz.features.questions.parameters import question_of
from attnviz.link.set_up import parameters
from tests.golden import SETTINGS, golden_links, other_numbers, parameters_of
from tests.pages.packed import numbers_in
from tests.pages.playground import Playground
from tests.pages.reader import in_address

LINKS = golden_links()
ON_THE_PLAYGROUND = (
    "every control at once", "an edit of each matrix", "100,000 characters", "4096 edits, packed", "example=love-ai",
    "a worked example with more on top", "positions, given as X", "all of a playground", "hidden controls",
    "a parameter that comes twice", "text: emoji",
    "a kept sentence with added positions and the factor, and edits of E_y and P_y",
)  # fmt: skip


def opened(name: str) -> Playground:
    """Open a link, and nothing beside it."""
    link = LINKS[name]
    query = link["query"]
    page_of_link = (moved_to(link["page"], query.encode()) or link["page"]).partition("?")[0]
    page = Playground(f"pages/{page_of_link}.py", **{"view": ""} | parameters_of(query))
    assert len(page.messages) == link["restores"].get("messages", 0), page.messages
    return page


def drawn(page: Playground) -> dict[str, torch.Tensor]:
    """Return the matrices that a page draws, on a board or as heatmaps."""
    for board in page.boards:
        return {name: _table(board["matrices"], name) for name in board["matrices"]}
    return {name: heatmap(page, name) for name in page.charts}


def _table(given: dict[str, Any], name: str) -> torch.Tensor:
    sent = given[name]
    return torch.from_numpy(numbers_in(given, name).copy()).double().reshape(sent["rows"], sent["columns"])


def heatmap(page: Playground, name: str) -> torch.Tensor:
    return torch.from_numpy(page.matrix(name)).double()


def restores(page: Playground, expected: Any) -> None:
    """Assert that the playground's controls and heatmaps are as the corpus says."""
    for setting in SETTINGS:
        if setting != "text":
            assert page.value(setting) == expected["settings"][setting], setting
    matrices = drawn(page)
    assert {"x", "context"} <= matrices.keys()
    for name in expected["matrices"].keys() & matrices.keys():
        assert list(other_numbers(name, expected["matrices"][name], matrices[name])) == []


def shows_what_is_picked(page: Playground, expected: Any) -> None:
    if "picked" in expected:
        assert page.sent("token_picker")["picked"] == expected["picked"]
    if "cell" in expected:
        keys = [f"playground.cell.{part}" for part in ("matrix", "row", "column")]
        assert [page.value(key) for key in keys] == expected["cell"]


def shows_question(page: Playground, expected: Any) -> None:
    question = question_of(expected["slug"])
    assert question is not None
    assert f"## {question.title}" in [each.value for each in page.at.markdown]
    for name, chosen in expected["options"].items():
        assert str(page.at.session_state[f"questions.{question.slug}.{name}"]) == chosen
    matrices = drawn(page) if page.boards else {}
    for name in expected["scenario"]["matrices"].keys() & matrices.keys():
        assert list(other_numbers(name, expected["scenario"]["matrices"][name], matrices[name])) == []


@pytest.mark.parametrize("name", ON_THE_PLAYGROUND)
def test_a_link_restores_the_playground(name: str) -> None:
    page, expected = opened(name), LINKS[name]["restores"]
    restores(page, expected["scenario"])
    shows_what_is_picked(page, expected)
    if "digits" in expected:
        assert page.value("digits") == expected["digits"]
    hidden = [each.proto.body for each in page.at.get("html") if "display: none" in each.proto.body]
    for control in set(parameters()) - {"text"}:
        assert any(f".st-key-{control} " in each or f".st-key-{control}," in each for each in hidden) == (
            control in expected.get("hide", ())
        )
    assert page.can_press("Show all controls") == ("hide" in expected)


def test_a_link_with_a_long_text_opens_with_all_that_the_app_takes() -> None:
    """When the link was made the app took 512 of its 700 tokens; it takes 1024 now."""
    link = LINKS["a text that is cut to 512 tokens"]
    page = Playground(**parameters_of(link["query"]))
    assert page.value("text") == parameters_of(link["query"])["text"]
    assert " 700 by 700" in page.charts["scores"].alt
    assert page.messages == []


def test_one_link_restores_every_page() -> None:
    name = "everything at once"
    page, expected = opened(name), LINKS[name]["restores"]
    restores(page, expected["scenario"])
    shows_what_is_picked(page, expected)
    shows_question(page.visit("pages/questions.py"), expected["question"])
    page.visit("pages/lesson.py")
    number = 1 + [step.name for step in STEPS].index(expected["step"])
    assert [each.value for each in page.at.markdown if each.value.startswith(f"## {number}. ")]
    page.visit("pages/scaling.py")
    assert page.at.session_state["scaling.trials"] == expected["sweep"]["trials"]
    page.visit("pages/exercises.py")
    assert page.at.session_state["check.ex.seed"] == expected["exercise"]["seed"]
    page.visit("pages/compare.py")
    wanted = expected["pinned"]["matrices"]["context"]
    assert list(other_numbers("context", wanted, torch.from_numpy(page.compared("context", "A")).double())) == []
    assert in_address(page.at, "pinned") == parameters_of(LINKS[name]["query"])["pinned"]
