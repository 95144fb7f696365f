"""Where random numbers decide who reads whom, a finding says so before it says anything else, and without a share."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import attnviz
from attnviz import Edit, Scenario, trace
from attnviz.board.data import board_data
from attnviz.board.drawn import OF_PLAYGROUND, PRESENTING, data_of_model, drawn_data
from attnviz.core.scenario import traced
from attnviz.explanation.summary import finding
from tests.node import PageScript
from tests.unit.helpers import edited, setups

_SAID = """({ made: madeOf, most_read: { readsInPercent, readBy } }, [data, query]) => {
  const made = madeOf(data);
  return [readsInPercent(made, query), readBy(made, Math.min(query, made.readNames.length - 1))];
}"""
ALL, SOME = "Random numbers, so this means nothing: ", "Partly random numbers, so this may mean nothing: "
CAUTIONS = (ALL, SOME)
BY_HAND: dict[str, Any] = dict.fromkeys(("x", "w_q", "w_k", "w_v"), "example:fluffy-cat")
HANDMADE = replace(Scenario("the fluffy cat chased a mouse", d_in=3), **BY_HAND)


def drawn_anew(scenario: Scenario) -> bool:
    """Whether another seed makes other attention weights of it: a referee that knows nothing of what was given."""
    one, other = (traced(replace(scenario, seed=scenario.seed + more)) for more in (0, 1))
    return not torch.equal(one.attention_weights.nan_to_num(), other.attention_weights.nan_to_num())


@given(edited(setups(max_tokens=4, max_d=3), extremes=False), st.integers(0, 3))
def test_whatever_another_seed_would_change_is_said_with_a_caution(
    script: PageScript, scenario: Scenario, query: int
) -> None:
    made, query = traced(scenario), min(query, len(scenario.tokens) - 1)
    data = drawn_data(scenario, made, query, 2, OF_PLAYGROUND, is_current=True)
    said = [each for each, _ in script.run(_SAID, [data, query])]
    if drawn_anew(scenario):
        assert made.chance
    for each in (*said, finding(made, query, 2)):
        assert (" most" in each) <= (not made.chance or each.startswith(CAUTIONS)), each
        if each.startswith(CAUTIONS):
            assert "%" not in each
            assert "attention weight" not in each
            assert made.chance


FILLS = st.sampled_from((None, "random:3", "zeros", "identity"))


@given(st.fixed_dictionaries(dict.fromkeys(("x", "w_q", "w_k", "w_v"), FILLS)))
def test_all_is_chance_where_the_scores_are_made_of_drawn_numbers_alone(fills: dict[str, Any]) -> None:
    scenario = Scenario("a b", d_in=2, d_out=2, **fills)
    deciding = [fills[name] for name in ("x", "w_q", "w_k")]
    random = {None, "random:3"}.intersection(deciding) and "zeros" not in deciding[1:]
    assert trace(scenario).chance == ("all" if random else "")


@pytest.mark.parametrize(
    ("scenario", "chance"),
    [
        (HANDMADE, ""),
        (replace(HANDMADE, w_v=None), ""),  # which decides nothing of who is read
        (replace(HANDMADE, text="the fluffy dog chased a mouse"), "some"),
        (replace(HANDMADE, text="the fluffy dog", edits=tuple(Edit("x", 2, at, 1.0) for at in range(3))), ""),
        (replace(HANDMADE, text="my dog"), "all"),
        (replace(HANDMADE, w_k=None), "all"),
        (replace(HANDMADE, x=None, positions="learned"), "all"),
        (replace(HANDMADE, positions="relative"), "some"),
        (replace(HANDMADE, positions="alibi"), ""),
        (replace(HANDMADE, reads="second", second="my dog"), "some"),
        (Scenario(embedding="published"), "all"),
        (attnviz.by_class("my dog sees a cat", word_order=True), ""),
        (replace(attnviz.by_class("my dog sees a cat"), w_q=None), "all"),
    ],
)
def test_what_is_chance(scenario: Scenario, chance: str) -> None:
    assert traced(scenario).chance == chance


def test_the_layers_before_count_too() -> None:
    stack = Scenario("a b", d_in=2, d_out=2, x="identity", w_q="identity", w_k="identity", n_layers=2)
    assert [layer.chance for layer in traced(stack).layers] == ["", "all"]


@pytest.mark.parametrize(
    ("more", "chances"),
    [
        ({}, ["", ""]),
        ({"d_ff": 4}, ["", "all"]),
        ({"output": True}, ["", "all"]),
        ({"bias": True}, ["", ""]),  # drawn as zeros, with these initial numbers
        ({"bias": True, "init": "linear"}, ["some", "some"]),
        ({"bias": True, "init": "linear", "b_q": "zeros", "b_k": "zeros"}, ["", "some"]),
    ],
)
def test_whatever_else_a_layer_draws_counts_too(more: dict[str, Any], chances: list[str]) -> None:
    given = dict.fromkeys(("x", "w_q", "w_k", "w_v"), "identity")
    stack = Scenario("a b", d_in=2, d_out=2, n_layers=2, same_layers=True, **{**given, **more})
    layers = [traced(each).layers for each in (stack, replace(stack, seed=stack.seed + 1))]
    assert [layer.chance for layer in layers[0]] == chances
    for one, other in zip(*layers, strict=True):
        assert torch.equal(one.attention_weights, other.attention_weights) or one.chance


BOARDS: dict[str, Callable[[Scenario], dict[str, Any]]] = {
    "explore": lambda scenario: drawn_data(scenario, traced(scenario), 0, 4, OF_PLAYGROUND, is_current=True),
    "in a hall": lambda scenario: drawn_data(scenario, traced(scenario), 0, 4, PRESENTING, is_current=True),
    "of a trace": lambda scenario: data_of_model(traced(scenario).for_head(0), 0, 4),
}


_TWO_HEADS: dict[str, Any] = {"d_in": 4, "d_out": 4, "n_heads": 2, "output": True}
DRAWN = (
    Scenario("the cat sat"),
    Scenario("the cat sat", causal=True, positions="alibi"),
    Scenario("the cat sat", reads="second", second="der Hund schlief"),
    Scenario("the cat sat", **_TWO_HEADS),
    Scenario("the cat sat", **_TWO_HEADS, norm="post", positions="sinusoidal", d_ff=8),
    Scenario("the cat sat", **_TWO_HEADS, norm="pre", positions="learned", d_ff=8, activation="gelu", causal=True),
    Scenario("the cat sat", weighting="linear"),
)


@pytest.mark.parametrize("board", BOARDS)
def test_every_board_says_it_before_the_finding(script: PageScript, board: str) -> None:
    for scenario in DRAWN:
        if scenario.n_layers == 1 and (board == "of a trace" or scenario.n_heads == 1):
            (reads, even), (read_by, _) = script.run(_SAID, [BOARDS[board](scenario), 1])
            assert reads.startswith((ALL, "“"))
            assert (" most" in reads) == reads.startswith(ALL)
            assert (" most" in read_by) == read_by.startswith(ALL)
            assert not even or " most" not in reads
    (reads, _), _ = script.run(_SAID, [BOARDS[board](HANDMADE), 1])
    assert reads == "“fluffy” reads “cat” most: 61 %"


def test_the_core_and_the_page_say_the_same_of_random_numbers(script: PageScript) -> None:
    for text in ("the cat sat", "never", "a b"):
        for query in range(len(text.split())):
            made = trace(Scenario(text))
            (reads, _), _ = script.run(_SAID, [board_data(Scenario(text), made, query, 4), query])
            assert not reads.startswith(ALL) or reads == finding(made, query, 4)
