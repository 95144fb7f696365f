"""The examples that stand under the sentence while it's changed: what each says that it shows is so."""

from urllib.parse import urlencode

import pytest
import torch

from attnviz.app.parts import examples
from attnviz.core.attention.trace import AttentionTrace
from attnviz.core.scenario import traced
from attnviz.link.set_up import scenario_from_query
from attnviz.words import say


def _named(name: str) -> AttentionTrace:
    return traced(examples.of_example(say(f"setup.sentences.{name}")))


def _read_by(trace: AttentionTrace, token: str, at: int = 0) -> str:
    rows = [row for row, each in enumerate(trace.tokens) if each == token]
    return trace.tokens[int(trace.attention_weights[rows[at]].argmax())]


@pytest.mark.parametrize(
    ("name", "token", "at", "key"),
    [("big", "big", 0, "dog"), ("big", "small", 0, "cat"), ("man", "bites", 0, "dog"), ("cat", "the", 0, "cat"),
     ("cat", "the", 1, "mat")],
)  # fmt: skip
def test_a_token_reads_what_is_said_of_it(name: str, token: str, at: int, key: str) -> None:
    assert _read_by(_named(name), token, at) == key
    assert token in say(f"setup.shows.{name}")


def test_order_counts_as_is_said() -> None:
    turned = traced(examples.of_example("dog bites man"))
    assert _read_by(turned, "bites") == "man"


def test_it_does_not_find_the_animal() -> None:
    assert _read_by(_named("animal"), "it") != "animal"


def test_only_its_place_tells_a_word_from_the_same_word() -> None:
    trace = _named("be")
    first, second = (at for at, token in enumerate(trace.tokens) if token == "be")
    assert torch.equal(trace.x[first], trace.x[second])
    assert not torch.allclose(trace.attention_weights[first], trace.attention_weights[second], atol=0.01)


def test_of_the_published_vectors_the_matrices_are_random() -> None:
    chance = traced(examples.of_example(examples.example_sentences()[0])).chance
    assert chance


def test_each_offer_leads_to_its_own_sentence_and_says_what_it_shows() -> None:
    offered = examples.offered()
    for each in offered:
        scenario, complaints = scenario_from_query(urlencode(each["patch"]))
        assert (scenario.text, complaints) == (each["title"], [])
    assert len({each["shows"] for each in offered}) == len(offered) <= 8
