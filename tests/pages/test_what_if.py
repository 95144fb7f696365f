"""The panel What if: what is chosen there changes the computation, stands in the address, and is compared as B."""

from dataclasses import replace

import pytest

from attnviz import Scenario
from attnviz.words import say
from tests.pages.playground import Playground
from tests.pages.reader import Reader, in_address

PUBLISHED = Scenario(embedding="published")


def opened() -> Playground:
    playground = Playground()
    playground.at.session_state["playground.what_if"] = True
    return playground.run()


def test_a_switch_changes_the_numbers_and_says_so_until_it_is_off() -> None:
    playground = opened().set("what_if.softmax", "columns")
    assert playground.shows(replace(PUBLISHED, what_if="softmax:columns"))
    assert in_address(playground.at, "what_if") == "softmax:columns"
    assert any(say("what_if.softmax.columns.note") in text for text in playground.captions)
    playground.set("what_if.scores", "cosine")
    assert playground.shows(replace(PUBLISHED, what_if="softmax:columns,scores:cosine"))
    playground.press(say("what_if.back"))
    assert playground.shows(PUBLISHED)
    assert in_address(playground.at, "what_if") == ""


def test_a_score_is_typed_in_and_taken_out() -> None:
    playground = opened().set("what_if.typed.query", 1).set("what_if.typed.key", 4)
    playground.set("what_if.typed.number", 7.5).press(say("what_if.typed.put"))
    assert playground.shows(replace(PUBLISHED, what_if="typed:1:4:7.5"))
    playground.press(say("what_if.typed.clear"))
    assert playground.shows(PUBLISHED)


def test_a_switch_that_does_not_fit_gets_a_sentence_and_stands_as_soon_as_it_does() -> None:
    playground = opened().set("what_if.projections", "transposed")
    assert playground.shows(PUBLISHED)
    assert any("take d_in, d_out and d_v equal" in message for message in playground.messages)
    playground.set("d_out", 3)
    assert playground.messages == []
    assert playground.shows(replace(PUBLISHED, d_out=3, what_if="projections:transposed"))


def test_a_link_opens_it_and_it_is_compared_with_the_usual_way() -> None:
    playground = Playground(what_if="scores:keys-first")
    assert playground.shows(replace(PUBLISHED, what_if="scores:keys-first"))
    playground.press(say("what_if.compare"))
    label, usual = say("setup.what_if.label"), say("what_if.usual")
    differs = say("compare.changes.setting", label=label, before=usual, after=say("what_if.scores.keys_first.choice"))
    assert say("compare.differs", changes=differs) in playground.texts


def test_one_matrix_is_tried_as_b_beside_the_set_up_of_now() -> None:
    playground = opened()
    usual = playground.at.session_state["state.setup"]["temperature"]
    playground.at.button(key="what_if.replaced.one_matrix.compare").click().run()
    assert not playground.at.exception
    assert playground.value("d_out") == 3
    assert playground.value("temperature") != usual
    assert any(text.startswith("B differs") or "W_q" in text for text in playground.texts)


def test_what_x_times_c_does_to_each_stage_is_told() -> None:
    playground = opened().set("what_if.replaced.times", 3.0)
    told = " ".join(playground.captions)
    assert "S is multiplied by 9.00" in told
    assert "A and C by no one number" in told


@pytest.mark.parametrize(
    ("page", "address", "key"),
    [
        ("pages/questions.py", {"question": "cosine"}, "questions.what_if"),
        ("pages/lesson.py", {"step": "softmax"}, "lesson.what_if"),
    ],
)
def test_the_panel_is_found_from_a_question_and_a_step_and_is_open_then(
    page: str, address: dict[str, str], key: str
) -> None:
    reader = Reader(page, **address)
    reader.at.button(key=key).click().run()
    assert not reader.at.exception
    assert say("what_if.lead") in reader.texts
