"""Another sentence is read, or one that was kept: against PyTorch's cross-attention, and all that is said of it."""

from dataclasses import replace

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.board.data import board_data
from attnviz.core.carry_over import carry_over
from attnviz.core.changes import Changes
from attnviz.core.dropout import dropout
from attnviz.core.matrix_input import Edit
from attnviz.core.scenario import traced
from attnviz.explanation.masking import mask_notes
from tests.examples import examples
from tests.node import PageScript
from tests.unit.helpers import every_way


@given(every_way(reads="second", n_heads=1, n_kv_heads=None, n_layers=1))
@settings(max_examples=examples(20), deadline=None)
def test_the_board_is_sent_the_names_of_the_tokens_that_are_read(scenario: Scenario) -> None:
    alone = replace(scenario, reads="itself", masking="none", edits=())
    sent, plain = (board_data(each, traced(each), 0, 4) for each in (scenario, alone))
    assert (sent["labels"], sent["others"], plain["others"]) == (plain["labels"], True, False)
    assert len(sent["keys"]) == len(scenario.read_tokens)
    assert len(sent["origins"]["y"]) == len(scenario.read_tokens)
    assert (plain["keys"], plain["readNames"]) == (plain["labels"], plain["names"])


def test_dropout_and_what_nobody_may_read_are_of_the_tokens_that_are_read() -> None:
    scenario = Scenario("a b", reads="second", second="der Hund schläft", w_q="zeros")
    made = dropout(scenario, 0.5, 7)
    assert made is not None
    assert trace(made).attention_weights.shape == (2, 3)
    unread = replace(scenario, masking="padding", mask_size=1, what_if="softmax:columns")
    assert "“schläft”" in " ".join(mask_notes(traced(unread)))


# A sentence that was kept: its keys and values stand in front of those of the sentence, which alone asks.


@given(
    every_way(reads="kept", embedding="stable", tokenizer="words", what_if=""),
    st.sampled_from(("causal", "window:1", "window:3")),
)
@settings(max_examples=examples(100), deadline=None)
def test_it_is_the_end_of_what_one_long_sentence_makes(scenario: Scenario, mask: str) -> None:
    """Its own referee for positions, too: what both sentences together make of the words of the last one. Of several
    layers, which make something of the kept words as well, where nothing later is read."""
    scenario = replace(scenario, edits=())
    scenario = (
        scenario
        if scenario.n_layers == 1
        else replace(scenario, causal=False, masking="none", mask=mask, mask_use="added")
    )
    whole = replace(scenario, text=f"{scenario.second} {scenario.text}", reads="itself")
    made, of_whole, n_memory = traced(scenario), traced(whole), scenario.n_memory
    for own, of_all in zip(made.layers, of_whole.layers, strict=True):
        torch.testing.assert_close(own.y, of_all.x[:n_memory], rtol=1e-3, atol=1e-4)
        for name in ("scores", "scaled_scores", "attention_weights"):
            torch.testing.assert_close(own[name], of_all[name][..., n_memory:, :], rtol=1e-3, atol=1e-4, equal_nan=True)
        for name in list(own.stages)[list(own.stages).index("context") :]:
            if own.stages[name].rule:
                torch.testing.assert_close(own[name], of_all[name][n_memory:], rtol=1e-3, atol=1e-4, equal_nan=True)
    assert (made.is_hidden == of_whole.is_hidden[..., n_memory:, :]).all()


@given(every_way(reads="kept", n_layers=2, causal=False, masking="none"), st.sampled_from(("causal", "window:1")))
@settings(max_examples=examples(30), deadline=None)
def test_a_mask_given_by_its_numbers_says_nothing_of_the_kept_sentence(scenario: Scenario, mask: str) -> None:
    """What stood in the set-up before would otherwise hide words of it that the given mask doesn't."""
    plain = replace(scenario, edits=(), mask="zeros")
    set_up = replace(plain, causal=True) if mask == "causal" else replace(plain, masking="window", mask_size=1)
    kept = [name for name in traced(plain).matrices if name.startswith("kept.")]
    assert kept
    for name in kept:
        assert torch.equal(traced(set_up)[name], traced(plain)[name])


def test_under_a_given_mask_that_hides_nothing_the_kept_sentence_reads_all_of_itself() -> None:
    kept = Scenario("a b", reads="kept", second="c d e", d_in=2, d_out=2, n_layers=2, init="normal", causal=True,
                    mask="zeros")  # fmt: skip
    alone = Scenario("c d e", d_in=2, d_out=2, n_layers=2, init="normal")
    torch.testing.assert_close(traced(kept)["kept.1"], traced(alone).layers[1].x)


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
    for matrix, itself in (("attention_weights", "reads itself"), ("scores", "Query and key")):
        said = [script.run(_IN_ONE_SENTENCE, [data, {"matrix": matrix, "row": 1, "column": at}]) for at in range(4)]
        assert [itself in each for each in said] == [False, False, False, True]
        assert ["“Hund”" in each for each in said] == [False, True, False, False]
    assert "“Hund”" in script.run(_IN_ONE_SENTENCE, [data, {"matrix": "joined", "row": 1, "column": 0}])
