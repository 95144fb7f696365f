"""The panel What if: what is chosen there changes the computation, stands in the address, and is compared as B."""

import json
import re
from dataclasses import replace
from urllib.parse import parse_qsl

import numpy as np
import pytest
import torch

from attnviz import Scenario, trace
from attnviz.core.what_if import PLACES, TYPED, WhatIf
from attnviz.explanation.masking import key_of
from attnviz.features.explore.mask_experiments import computed_in
from attnviz.features.explore.switch_predictions import about, alone, turned
from attnviz.link.codecs import pack
from attnviz.link.set_up import query_of
from attnviz.words import say
from tests.pages.packed import shows
from tests.pages.playground import Playground
from tests.pages.reader import Reader, in_address

PUBLISHED = Scenario(embedding="published")


def opened(part: str | None = None, **address: str) -> Playground:
    playground = Playground(**(address or {"predictions": "off", "example": "published"}))
    playground.at.session_state["playground.what_if"] = True
    playground.at.session_state["what_if.part"] = part
    return playground.run()


def test_switches_and_a_typed_score_change_the_numbers_and_are_told_until_they_are_off() -> None:
    playground = opened().set("what_if.softmax", "columns")
    assert playground.shows(replace(PUBLISHED, what_if="softmax:columns"))
    assert in_address(playground.at, "what_if") == "softmax:columns"
    assert say("what_if.softmax.columns.more") in playground.texts
    playground.set("what_if.scores", "cosine")
    assert playground.shows(replace(PUBLISHED, what_if="scores:cosine")), "one at a time"
    playground.press(say("what_if.back"))
    assert playground.shows(PUBLISHED)
    assert playground.set("what_if.scores", "cosine").set("what_if.scores", None).shows(PUBLISHED), "pressed again"
    playground.set("what_if.part", "typed")
    assert in_address(playground.at, "what_if") == ""
    playground.set("what_if.typed.query", 1).set("what_if.typed.key", 4).set("what_if.typed.number", 7.5)
    assert playground.press(say("what_if.typed.put")).shows(replace(PUBLISHED, what_if="typed:1:4:7.5"))
    assert playground.press(say("what_if.typed.clear")).shows(PUBLISHED)
    playground.set("what_if.part", "others")
    told = " ".join(playground.set("what_if.replaced.times", 3.0).captions)
    assert "S is multiplied by 9.00" in told
    assert "A and C by no one number" in told
    assert any("take d_in, d_out and d_v equal" in text for text in playground.captions), "why there's no chip for it"
    playground.set("d_out", 3)
    assert not any("take d_in, d_out and d_v equal" in text for text in playground.captions)
    playground.set("what_if.projections", "transposed")
    assert playground.shows(replace(PUBLISHED, d_out=3, what_if="projections:transposed"))


def test_a_press_puts_the_number_that_was_typed_right_before() -> None:
    """The browser tells both at once: the press takes the focus from the field."""
    playground = opened("typed")
    playground.at.selectbox(key="what_if.typed.key").set_value(2)
    playground.at.number_input(key="what_if.typed.number").set_value(7.5)
    playground.at.button(key="what_if.typed.put").click()
    query = playground.at.session_state["what_if.typed.query"]
    assert playground.run().shows(replace(PUBLISHED, what_if=f"typed:{query}:2:7.5"))


@pytest.mark.parametrize("place", PLACES)
def test_nothing_of_a_switch_is_in_the_page_before_it_was_predicted_or_skipped(place: str) -> None:
    scenario = Scenario("the cat sat", d_in=4, d_out=4, n_heads=2)
    playground = opened(**dict(parse_qsl(query_of(scenario))))
    if place == TYPED:
        name, to = TYPED, WhatIf.read("typed:0:1:5").text
        playground.set("what_if.part", "typed")
        playground.set("what_if.typed.query", 0).set("what_if.typed.key", 1).press(say("what_if.typed.put"))
    else:
        name, to = place.split(".")[0], alone(place).text
        playground.set(f"what_if.{name}", place.split(".")[1])
    assert playground.shows(scenario)
    assert in_address(playground.at, "what_if") == to
    (board,) = Reader(**playground.at.session_state["session"].address.query | {"view": "board"}).boards
    assert shows(board, trace(scenario).for_head(0))
    note, why = (say(key_of(place, kind, reads_others=False)) for kind in ("note", "more"))
    asked = turned(scenario, WhatIf.read(to), place, 0 if place == TYPED else 1)
    assert asked is not None
    assert asked.asks in playground.says
    seen = "\n".join([playground.says, *playground.all_markdown(), json.dumps(board, ensure_ascii=False)])
    assert not [each for each in {note, why, asked.happened, *asked.more, *asked.wrong.values()} if each in seen]
    wrong = next(iter(asked.wrong))
    playground.press_key(f"predict.{wrong}" if name != "cut" else "predicting.skip")
    assert playground.shows(replace(scenario, what_if=to))
    assert in_address(playground.at, "predicted") == f"{about(place)}.{wrong if name != 'cut' else 'none'}"
    assert why in playground.says
    assert "wrong" not in playground.says.lower()
    assert (asked.wrong[wrong] in playground.says) == (name != "cut")
    assert playground.can_press(say("what_if.compare"))
    if place != "scores.cosine":
        return
    playground.press_key("what_if.next")
    assert playground.shows(scenario), "the next one begins from the usual way"
    playground.press_key("what_if.leave")
    assert playground.shows(scenario)
    assert say("what_if.lead") in playground.texts


def test_the_choice_of_16_bits_stands_in_the_address_and_a_link_shows_it() -> None:
    playground = opened("others").set("what_if.replaced.bits", "bfloat16").set("what_if.replaced.shifted", False)
    assert in_address(playground.at, "bits") == "bfloat16-unshifted"
    told = [text for text in playground.captions if "off" in text]
    by_link = Playground(bits="bfloat16-unshifted", predictions="off")
    assert by_link.at.session_state["what_if.replaced.bits"] == "bfloat16"
    assert not by_link.at.session_state["what_if.replaced.shifted"]
    assert [text for text in by_link.captions if "off" in text] == told != []
    by_link.set("what_if.replaced.shifted", True)
    assert in_address(by_link.at, "bits") == "bfloat16"
    assert any("bits" in message for message in Playground(bits="int8").messages)


def test_16_bits_are_compared_with_the_usual_numbers_which_are_a() -> None:
    playground = opened("others").set("what_if.replaced.bits", "bfloat16").press_key("what_if.replaced.bits.compare")
    told = say("compare.changes.bits", dtype="bfloat16")
    assert say("compare.differs", changes=told) in playground.texts

    made = trace(PUBLISHED)
    for side, own in (("A", made), ("B", computed_in(made, torch.bfloat16))):
        np.testing.assert_array_equal(playground.compared("attention_weights", side), own.attention_weights)
    page = Playground("pages/compare.py", pinned=pack(query_of(PUBLISHED)), b_bits="bfloat16", embedding="published")
    assert say("compare.differs", changes=told) in page.texts
    assert say("compare.same") in page.press(say("compare.bits_back")).texts


@pytest.mark.parametrize("name", ["one_matrix", "equal", "times", "row", "dropout"])
def test_what_is_tried_is_done_once_and_stands_beside_the_set_up_of_before(name: str) -> None:
    playground = opened("others").press_key(f"what_if.replaced.{name}.compare")
    assert "B is still the same as A" not in playground.says
    assert "5.0000 → 10.0000" not in playground.says
    if name == "one_matrix":
        assert playground.value("d_out") == 3
        assert playground.value("temperature") != PUBLISHED.temperature
    # One matrix in place of two has the same scores, and a number added to a whole row cancels.
    assert ("No row of the attention weights moved" in playground.says) == (name in ("one_matrix", "row"))
    playground.visit("pages/playground.py")
    assert re.search("reads? itself most", playground.says), "nothing leads away again"


@pytest.mark.parametrize("name", ["one_matrix", "equal", "times", "row", "dropout", "bits"])
def test_what_comes_of_other_matrices_is_predicted_before_it_is_told(name: str) -> None:
    playground = opened("others", embedding="published")
    told = ("The scores", "multiplied by", "cancels", "divided by 1", "overflows", "at most")
    assert not [each for each in told if each in playground.says]
    playground.press_key(f"what_if.replaced.{name}.compare")
    asks, why = (say(f"what_if.replaced.predict.{key}") for key in ("asks", f"why.{name}"))
    assert asks in playground.says
    assert playground.shows(PUBLISHED)
    assert not [each for each in (*told[:-1], why) if each in playground.says]
    playground.press_key("predict.little")
    said = playground.says
    assert why in said
    assert (say("what_if.replaced.predict.wrong.little") in said) == ("As you predicted" not in said)
    assert "B is still the same as A" not in playground.says
    assert in_address(playground.at, "predicted") == f"other-{name.replace('_', '-')}.little"
    linked = playground.at.session_state["session"].address.query
    by_link = Playground("pages/compare.py", **linked)
    assert why in by_link.says, "in a session that never asked"
    assert why not in by_link.set("seed", 7).says, "no longer what it was about"


def test_the_panel_is_found_from_a_step_and_is_open_then() -> None:
    """From questions it is in test_questions.py."""
    assert say("what_if.lead") in Reader("pages/lesson.py", step="softmax").press_key("lesson.what_if").texts


def test_a_mask_is_painted_and_what_each_way_leaks_is_said() -> None:
    playground = Playground()
    playground.at.session_state["playground.what_if"] = True
    playground.at.session_state["what_if.part"] = "mask"
    playground.run().press(say("what_if.mask.triangle"))
    assert in_address(playground.at, "masking") == "painted"
    weights = playground.matrix("attention_weights")
    assert np.isnan(weights[0, 1:]).all()  # masked cells have no number
    playground.at.session_state["playground.what_if"] = True
    asks, tight = (say(f"what_if.mask.{key}") for key in ("predict.asks", "tight"))
    playground.run()
    for key in ("what_if.mask.try", "predict.more"):
        assert (asks in playground.says) == (key == "predict.more")
        assert tight not in playground.says
        playground.press_key(key)
        playground.at.session_state["playground.what_if"] = True
        playground.run()
    said = [text for text in playground.texts if text.startswith(tight)]
    assert len(said) == 3
    assert say("what_if.mask.predict.wrong.more") in playground.says
    assert in_address(playground.at, "predicted") == "mask-ways.more"
    playground.at.session_state["playground.what_if"] = True
    playground.press(say("what_if.mask.nothing"))
    assert not np.isnan(playground.matrix("attention_weights")).any()
