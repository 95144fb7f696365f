"""Texts that do not want to be a sentence."""

import re

import numpy as np
import pytest

from attnviz import Scenario, tokenize, trace
from attnviz.core.tokens import token_labels
from attnviz.words import say
from tests.pages.playground import Playground
from tests.unit.helpers import HOSTILE

TEXTS = (
    *HOSTILE[:-1],  # all but what no browser sends
    "`a` ``b`` ```",
    "**a** [b](javascript:c) :red[d] # _e_",
    "a \u202eb c",
    "e\u0301 \u0301",
    "%{z} {0} {{x}} %s &lt;b&gt;",
    "\"q's\" 'q'",
)


@pytest.mark.parametrize("blank", ["", "\t\u3000\u00a0"])
def test_a_blank_sentence_gets_a_friendly_line_and_the_controls_stay(playground: Playground, blank: str) -> None:
    playground.edit("w_q", 0, 1, 0.9).type_sentence(blank)
    assert [info.value for info in playground.at.info] == [say("playground.blank")]
    assert "mouse" in playground.at.button(key="blank.first").label  # a way on for who has no words of their own
    assert not playground.charts
    assert playground.changes == "w_q.0.1.0.9"
    assert playground.at.number_input(key="seed").value == 123
    playground.at.text_input(key="blank.text").set_value("Your journey starts with one step").run()
    assert playground.shows(Scenario(embedding="published", edits=[("w_q", 0, 1, 0.9)]))


@pytest.mark.parametrize("tokenizer", ["words", "whitespace", "characters"])
def test_any_text_is_shown_as_text_and_as_nothing_else(tokenizer: str) -> None:
    playground, first = Playground(tokenizer=tokenizer), ["words", "whitespace", "characters"].index(tokenizer)
    for text in TEXTS[first::3]:
        playground.type_sentence(text)
        tokens = tokenize(text, tokenizer)
        assert playground.shows(Scenario(text, tokenizer=tokenizer, embedding="published"))
        assert playground.at.text_input(key="text").value == text
        labels = token_labels(tokens)
        for name in ("x", "attention_weights"):
            shown = playground.charts[name].rows  # its script sets them as text
            short = [(row, label) for row, label in zip(shown, labels, strict=True) if len(row) < 18]
            assert [row for row, _ in short] == [label for _, label in short]
        assert labels[min(1, len(labels) - 1)] in playground.sentence  # st.text: no markup there
        suspects = [token for token in tokens if not token.isalnum() and len(token) > 1] or ["\0", "onerror", "\u202e"]
        for body in playground.all_markdown():
            outside_code = re.sub(r"(`+).*?\1", "", body)
            assert not any(suspect in outside_code for suspect in suspects), body


@pytest.mark.parametrize("tokenizer", ["words", "characters"])
def test_ten_thousand_characters_are_cut_to_1024_tokens_and_stay_in_the_box(
    playground: Playground, tokenizer: str
) -> None:
    text = ("word " * 2000)[:10_000]
    playground.set("tokenizer", tokenizer).type_sentence(text)
    assert playground.charts["scores"].alt.startswith("Scores, 1024 by 1024: ")
    assert playground.messages == [say("messages.long_sentence", tokens="1,024 tokens")]
    assert playground.at.text_input(key="text").value == text


def test_the_largest_widths_are_shown(playground: Playground) -> None:
    playground.type_sentence("a b").set("d_in", 1024).set("d_out", 1024)
    assert playground.charts["context"].alt.startswith("Context vectors, 2 by 1024: ")
    wanted = trace(Scenario("a b", embedding="published", d_in=1024, d_out=1024))
    np.testing.assert_array_equal(playground.matrix("scores"), wanted.scores.numpy())
