"""The page that compares a kept set-up with the one of now."""

from typing import Any

import numpy as np
import pytest

from attnviz import Scenario, trace
from attnviz.features.explore.page.compare import example
from attnviz.link.codecs import pack
from attnviz.link.set_up import query_of
from attnviz.words import say
from tests.pages.playground import PUBLISHED, Playground


def open_compare(**address: str) -> Playground:
    return Playground("pages/compare.py", **address)


def test_without_a_kept_set_up_stands_a_computed_example_which_opens_as_a_comparison_to_go_on_with() -> None:
    page = open_compare()
    assert say("compare.nothing_yet") in page.texts
    assert f"### {say('compare.example.title')}" in [each.value for each in page.at.markdown]
    a, b = map(trace, example())
    differs = (b.attention_weights - a.attention_weights).numpy()
    np.testing.assert_array_equal(page.compared("example", "A"), a.attention_weights.numpy())
    np.testing.assert_array_equal(page.compared("example", "B"), b.attention_weights.numpy())
    np.testing.assert_array_equal(page.compared("example", "B − A"), differs)
    (change,) = (text for text in page.texts if text.startswith("A is "))
    assert "W_q, row 1, column 0, is −2.00, not 2.00" in change
    page.press(say("compare.example.open"))
    np.testing.assert_array_equal(page.compared("context", "A"), a.context.numpy())
    np.testing.assert_array_equal(page.compared("context", "B"), b.context.numpy())
    assert not page.messages
    assert "B is still the same as A." in page.press("Go back to A").texts


def test_a_kept_set_up_stays_while_the_other_changes() -> None:
    page = open_compare().press("Keep this as A")
    assert "B is still the same as A." in page.texts
    page.set("seed", 124).set("causal", True)
    a, b = trace(Scenario(**PUBLISHED)), trace(Scenario(**PUBLISHED, seed=124, causal=True))
    assert "B differs from A in: Seed 123 → 124; Causal mask off → on." in page.texts
    np.testing.assert_array_equal(page.compared("context", "A"), a.context.numpy())
    np.testing.assert_array_equal(page.compared("context", "B"), b.context.numpy())
    np.testing.assert_array_equal(page.compared("context", "B − A"), (b.context - a.context).numpy())
    page.press("Go back to A")
    assert "B is still the same as A." in page.texts
    assert page.at.session_state["seed"] == 123
    page.press("Forget A")
    assert say("compare.nothing_yet") in page.texts


def test_one_link_opens_both_and_going_back_to_a_brings_its_edits_and_matrices_to_be_edited_on() -> None:
    given: dict[str, Any] = PUBLISHED | {"seed": 9, "init": "linear", "bias": True, "w_v": "identity"}
    a = Scenario("a <b>cat</b>", **given, edits=[("w_q", 0, 1, 0.9)])
    opened = open_compare(pinned=pack(query_of(a)), text="a <b>cat</b>", d_out="3", edits="w_k.zeros")
    assert not opened.messages
    np.testing.assert_array_equal(opened.compared("context", "A"), trace(a).context.numpy())
    b = trace(Scenario("a <b>cat</b>", **PUBLISHED, d_out=3, w_k="zeros"))
    np.testing.assert_array_equal(opened.compared("attention_weights", "B"), b.attention_weights.numpy())
    opened.press("Go back to A")
    assert "B is still the same as A." in opened.texts
    assert not opened.messages
    assert opened.visit("pages/playground.py").shows(a)
    opened.edit("w_q", 0, 0, 2.0)
    assert opened.shows(Scenario("a <b>cat</b>", **given, edits=[("w_q", 0, 1, 0.9), ("w_q", 0, 0, 2.0)]))


@pytest.mark.parametrize("pinned", ["nonsense", "z1.", "z9.abc", "z1.%%%", "z1.eNoDAAAA", "<b>x</b>"])
def test_a_damaged_set_up_a_is_said_and_forgotten(pinned: str) -> None:
    opened = open_compare(pinned=pinned, seed="7")
    (message,) = opened.messages
    why = "newer" if pinned.startswith("z9") else "damaged"
    assert message == say("links.part", part=say(f"links.unreadable.{why}", what=say("links.unreadable.kept")))
    assert say("compare.nothing_yet") in opened.texts
    assert opened.at.session_state["seed"] == 7
