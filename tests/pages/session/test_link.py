"""What stands in the address: changes of matrices, and what can't be used."""

import time
from typing import Any
from urllib.parse import urlencode

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx

from attnviz import Scenario
from attnviz.app.shell import opened_link, setup
from attnviz.core.changes import changes_of
from attnviz.core.limits import MAX_EDITS
from attnviz.explanation.numbers_from import projections_in_words
from attnviz.link.changes_text import encode_changes
from attnviz.published import worked_example
from attnviz.words import say
from tests.pages.playground import PUBLISHED, Playground
from tests.pages.reader import Reader, in_address


def test_an_address_carries_edits_and_replaced_matrices_which_are_edited_on_and_undone() -> None:
    given: dict[str, Any] = {"w_v": [[1.0, 2.0], [0.5, -1.0], [0.0, 1e-3]], "w_k": "random:42"}
    edits = [("w_q", 0, 1, 0.9), ("w_v", 0, 0, 3.0)]
    playground = Playground(edits=encode_changes(changes_of(Scenario(**given, edits=edits))))
    assert playground.shows(Scenario(**PUBLISHED, **given, edits=edits))
    assert playground.messages == []
    told = {"W_q[0, 1]: 0.5166 → 0.9000", "W_v: given number by number", "W_k: random, from seed 42"}
    assert told <= set(playground.texts)
    playground.edit("w_v", 2, 1, 0.25).set("causal", True).undo("W_k: random, from seed 42")
    del given["w_k"]
    assert playground.shows(Scenario(**PUBLISHED, **given, causal=True, edits=[*edits, ("w_v", 2, 1, 0.25)]))
    playground.undo("W_v: given number by number")
    assert playground.shows(Scenario(**PUBLISHED, causal=True, edits=edits[:1]))


def _overtake_the_first_run(monkeypatch: pytest.MonkeyPatch, query: str) -> None:
    """Have a click end the first run before its controls stand; the browser's address is then this query."""
    draw = setup._draw_panel

    def overtaken(*given: Any) -> None:
        monkeypatch.setattr(setup, "_draw_panel", draw)
        raise RerunException(RerunData(query_string=query))

    monkeypatch.setattr(setup, "_draw_panel", overtaken)


def test_what_is_refused_leaves_the_address_where_a_click_ends_the_first_run(monkeypatch: pytest.MonkeyPatch) -> None:
    query = {"cell": "garbage", "pinned": "zzz", "view": "heatmaps"}
    _overtake_the_first_run(monkeypatch, urlencode(query))
    playground = Playground(**query)
    assert len(playground.messages) == 1
    assert playground.messages[0].count("\n- ") == 2
    assert [in_address(playground.at, name) for name in ("cell", "pinned", "view")] == ["", "", "heatmaps"]


def test_a_link_is_kept_where_another_page_is_opened_before_the_controls_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    _overtake_the_first_run(monkeypatch, "view=heatmaps")  # the browser takes out what it knows no control for
    link = {"text": "dog bites man", "seed": "7", "causal": "true", "d_v": "3", "edits": "w_q.0.1.0.9"}
    playground = Playground(**link, d_in="5.5")
    wanted = Scenario("dog bites man", **PUBLISHED, seed=7, causal=True, d_v=3, edits=[("w_q", 0, 1, 0.9)])
    assert playground.value("text") == "dog bites man"
    assert playground.messages == [
        "Part of this link was ignored: d_in = `5.5` should be a whole number from 1 to 1024; 3 is used."
    ]
    playground.change(**link)  # the page says what it has, as that isn't what was drawn
    assert playground.shows(wanted)
    assert playground.run().shows(wanted)


def test_what_a_reader_changes_before_the_first_run_has_told_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = setup._draw_panel

    def overtaken(*given: Any) -> None:
        monkeypatch.setattr(setup, "_draw_panel", draw)
        context = get_script_run_ctx()
        assert context is not None
        switch = context.session_state._state._key_id_mapper.get_id_from_key("scaling.dots")
        states = WidgetStates(widgets=[WidgetState(id=str(switch), bool_value=True)])
        raise RerunException(RerunData("sweep=trials.40", states, context.page_script_hash))

    monkeypatch.setattr(setup, "_draw_panel", overtaken)
    page = Reader("pages/scaling.py", sweep="trials.40")
    assert page.value("scaling.dots")
    assert "trials.40" in in_address(page.at, "sweep")


def test_more_edits_than_are_allowed_get_a_message() -> None:
    edits = "*".join(f"w_q.{row}.{column}.1" for row in range(70) for column in range(70))
    playground = Playground(d_in="70", d_out="70", edits=edits)
    (message,) = playground.messages
    n_left, first = 70 * 70 - MAX_EDITS, f"`w_q.{MAX_EDITS // 70}.{MAX_EDITS % 70}.1.0`"
    refused = say("links.changes.no_room", n=n_left, first=first, most=f"{MAX_EDITS:,}")
    assert refused in message


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ({"temprature": "2"}, "attnviz doesn't know `temprature`. Did you mean `temperature`?"),
        ({"zzz": "2"}, "attnviz doesn't know `zzz`."),
        (dict.fromkeys("vwxyz", "1"), "attnviz doesn't know `v`, `w`, `x` and 2 more."),
        ({"__proto__": "<b>"}, "attnviz doesn't know `__proto__`."),
        ({"left_out": "9999999 1 1 edits"}, "attnviz doesn't know `left_out`."),
        ({"left_out": f"{opened_link.own_mark(1)} 9999999 1 1 edits"}, "attnviz doesn't know `left_out`."),
    ],
)
def test_what_a_link_says_and_nobody_knows_is_named_and_leaves_the_address(address: dict[str, str], said: str) -> None:
    playground = Playground(**address, d_in="4")
    assert playground.shows(Scenario(**PUBLISHED, d_in=4))
    assert playground.messages == [say("links.part", part=said)]
    assert [in_address(playground.at, name) for name in address] == [""] * len(address)


def test_only_what_the_server_made_the_browser_say_tells_of_a_link_that_was_too_long() -> None:
    mark = opened_link.own_mark(int(time.time()))
    (message,) = Playground(d_in="4", left_out=f"{mark} 9999999 3 1 edits").messages
    part = say(
        "links.long.said", characters="9,999,999 characters", parameters="3 parameters", most_characters="524,288",
        most_parameters="1,000", opened=say("links.long.all_but", names="`edits`"),
    )  # fmt: skip
    assert message == say("links.part", part=part)
    forged = mark[:-1] + ("0" if mark[-1] != "0" else "1")
    assert Playground(d_in="4", left_out=f"{forged} 9999999 3 1 edits").messages[0].endswith("know `left_out`.")


def test_a_sentence_typed_after_an_example_says_that_its_matrices_are_still_the_examples() -> None:
    page = Playground(view="board", example="love-ai").type_sentence("the cat sat")
    assert page.changes == "*".join(f"{name}.example.love-ai" for name in ("x", "w_q", "w_k", "w_v"))
    assert not page.messages
    about = projections_in_words(worked_example("love-ai").scenario)
    assert say("published.love-ai.name") in about
    assert page.board is not None
    assert (
        page.board["about"]
        == f"{about} No vectors were made for the 3 words “the”, “cat” and “sat”: they are drawn at random."
    )
    assert not any(text.startswith("W_q: ") for text in page.texts)  # no edit, which could be undone
