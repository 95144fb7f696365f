"""A sentence that was kept: keys and values of it stand in front of those of the sentence, which alone asks."""

from dataclasses import replace
from typing import Any

import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.board.data import board_data
from attnviz.core.carried import carry_over
from attnviz.core.changes import Changes
from attnviz.core.matrix_input import Edit
from attnviz.core.seeding import POSITIONS
from tests.node import PageScript

WORDS = ("the", "cat", "sat", "on", "a", "mat")
BEFORE = ("it", "was", "the", "cat", "out", "Your")
MASKS = ("none", "causal", "window:1", "window:3", "padding:1", "not-self")


@st.composite
def kept(draw: st.DrawFn, /, **fixed: Any) -> Scenario:
    """A scenario that reads a kept sentence and its own, in any company that fits."""
    n_heads = draw(st.sampled_from([1, 1, 2, 4]))
    width = 2 * n_heads * draw(st.integers(1, 2))
    norm = draw(st.sampled_from(["none", "sums", "pre", "post"]))
    n_own = draw(st.integers(1, 6))
    mask = draw(st.sampled_from(MASKS))
    chosen: dict[str, Any] = {
        "text": " ".join(WORDS[:n_own]), "reads": "kept", "second": " ".join(BEFORE[: draw(st.integers(1, 6))]),
        "d_in": width if norm != "none" else draw(st.integers(1, 4)), "d_out": width, "n_heads": n_heads,
        "n_kv_heads": draw(st.sampled_from([n for n in (None, 1, 2) if n is None or n_heads % n == 0])),
        "bias": draw(st.booleans()), "output": draw(st.booleans()), "norm": norm,
        "d_ff": draw(st.sampled_from([None, 3])),
        "init": draw(st.sampled_from(["uniform", "linear", "normal"])), "seed": draw(st.integers(0, 99)),
        "embedding": draw(st.sampled_from(["stable", "table", "published"])), "scale": draw(st.booleans()),
        "positions": draw(st.sampled_from(tuple(POSITIONS))), "embedding_factor": draw(st.booleans()), "mask": mask,
    }  # fmt: skip
    return Scenario(**(chosen | fixed))


@given(kept(embedding="stable"))
@settings(max_examples=80, deadline=None)
def test_it_is_the_end_of_what_one_long_sentence_makes(scenario: Scenario) -> None:
    """Its own referee for positions, too: what both sentences together make of the words of the last one."""
    whole = replace(scenario, text=f"{scenario.second} {scenario.text}", reads="itself")
    made, of_whole, n_kept = trace(scenario), trace(whole), scenario.n_kept
    for name in ("scores", "scaled_scores", "attention_weights"):
        torch.testing.assert_close(made[name], of_whole[name][..., n_kept:, :], rtol=1e-4, atol=1e-5)
    for name in list(made.stages)[list(made.stages).index("context") :]:
        if made.stages[name].rule:
            torch.testing.assert_close(made[name], of_whole[name][n_kept:], rtol=1e-4, atol=1e-5)
    assert (made.is_hidden == of_whole.is_hidden[n_kept:]).all()


@st.composite
def deep(draw: st.DrawFn, /, **fixed: Any) -> Scenario:
    """A kept sentence that several layers read, what each makes being as wide as X."""
    alone = draw(kept(**fixed))
    assume(alone.mask_kind.name != "not-self" or len(alone.second_tokens) > 1)
    shared: dict[str, Any] = {"n_layers": draw(st.integers(2, 3)), "same_layers": draw(st.booleans())}
    return replace(alone, **shared, d_in=alone.d_out)


@given(deep(embedding="stable", init="linear"), st.sampled_from(("causal", "window:1", "window:3")))
@settings(max_examples=30, deadline=None)
def test_layers_that_read_nothing_later_make_the_end_of_one_long_sentence(scenario: Scenario, mask: str) -> None:
    scenario = replace(scenario, masking="none", causal=False, mask=mask)
    whole = replace(scenario, text=f"{scenario.second} {scenario.text}", reads="itself")
    made, of_whole, n_kept = trace(scenario), trace(whole), scenario.n_kept
    for layer in range(scenario.n_layers):
        own, of_all = made.layers[layer], of_whole.layers[layer]
        torch.testing.assert_close(own.y, of_all.x[:n_kept], rtol=1e-3, atol=1e-4)
        torch.testing.assert_close(
            own.attention_weights, of_all.attention_weights[..., n_kept:, :], rtol=1e-3, atol=1e-4
        )
        for name in list(own.stages)[list(own.stages).index("context") :]:
            if own.stages[name].rule:
                torch.testing.assert_close(own[name], of_all[name][n_kept:], rtol=1e-3, atol=1e-4)


@given(kept())
@settings(max_examples=30, deadline=None)
def test_keeping_a_sentence_changes_no_number_that_is_drawn_without_it(scenario: Scenario) -> None:
    alone = replace(scenario, reads="itself")
    for name in alone.editable:
        if name not in ("mask", "by_distance", "p"):
            assert torch.equal(scenario.matrix(name), alone.matrix(name)), name


def test_changes_go_where_their_tokens_go() -> None:
    before = Scenario("a b", reads="kept", second="der Hund", masking="painted", positions="relative")
    of_y = Changes((Edit("y", 1, 0, 2.0),))
    assert carry_over(of_y, before, replace(before, text="other words entirely")) == (of_y, Changes())
    assert carry_over(of_y, before, replace(before, second="der Mann"))[1] == of_y
    longer = replace(before, second="ach der Hund")
    painted = Changes((Edit("mask", 1, 3, 2.0), Edit("mask", 0, 1, 1.0)))
    moved = Changes((Edit("mask", 1, 4, 2.0), Edit("mask", 0, 1, 1.0)))
    assert carry_over(painted, before, longer) == (moved, Changes())
    assert carry_over(painted, before, replace(before, second="der"))[1].edits == painted.edits[1:]
    distance = Changes((Edit("by_distance", 0, 2, 5.0),))  # one before
    assert carry_over(distance, before, longer)[0].edits == (Edit("by_distance", 0, 3, 5.0),)
    assert carry_over(of_y, before, replace(before, reads="itself"))[1] == of_y


# What the page has of it

_IN_ONE_SENTENCE = """(page, [data, place]) => page.explain.inOneSentence(page.made(data), place, null)"""


def test_on_the_board_a_token_reads_itself_behind_those_that_were_kept(script: PageScript) -> None:
    scenario = Scenario("the cat", reads="kept", second="der Hund")
    data = board_data(scenario, trace(scenario), 0, 4)
    for matrix, itself in (("attention_weights", "reads itself"), ("scores", "itself")):
        said = [script.run(_IN_ONE_SENTENCE, [data, {"matrix": matrix, "row": 1, "column": at}]) for at in range(4)]
        assert [itself in each for each in said] == [False, False, False, True]
        assert ["“Hund”" in each for each in said] == [False, True, False, False]
    assert "“Hund”" in script.run(_IN_ONE_SENTENCE, [data, {"matrix": "joined", "row": 1, "column": 0}])
