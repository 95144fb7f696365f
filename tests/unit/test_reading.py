"""A second sentence is read: keys and values of it, against PyTorch's cross-attention, and all that is said of it."""

import re
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario, explain, trace
from attnviz.board.data import board_data
from attnviz.compare.comparison import Comparison, changed_in_words, moved_most, other_words
from attnviz.core.changes import Changes, carry_over
from attnviz.core.errors import RefusedError
from attnviz.core.limits import MAX_TOKENS
from attnviz.core.matrix_input import Edit
from attnviz.core.settings import fitted
from attnviz.documents import report
from attnviz.explanation.head_figures import heads_in_words
from attnviz.explanation.masking import mask_notes
from attnviz.explanation.numbers_from import vectors_in_words
from attnviz.explanation.summary import attends_most, described
from attnviz.export import pytorch_script
from attnviz.link.set_up import scenario_from_query
from attnviz.words import say
from tests.node import PageScript
from tests.whole import examples

WORDS = ("the", "cat", "sat", "on", "a", "mat", "again")
OTHERS = ("die", "Katze", "saß", "the", "mat", "Your", "one", "weiter")


@st.composite
def cross(draw: st.DrawFn, /, square: bool = False, **fixed: Any) -> Scenario:
    """A scenario that reads a second sentence, in any company that fits; a `square` one has d_in = d_out."""
    n_heads = draw(st.sampled_from([1, 1, 2, 4]))
    width = n_heads * draw(st.integers(1, 3))
    norm = draw(st.sampled_from(["none", "pre", "post"]))
    n_read = draw(st.integers(1, 8))
    chosen: dict[str, Any] = {
        "text": " ".join(WORDS[: draw(st.integers(1, 7))]), "reads": "second",
        "second": " ".join(draw(st.permutations(OTHERS))[:n_read]),
        "d_in": width if square or norm != "none" else draw(st.integers(1, 4)), "d_out": width, "n_heads": n_heads,
        "n_kv_heads": draw(st.sampled_from([n for n in (None, 1, 2) if n is None or n_heads % n == 0])),
        "bias": draw(st.booleans()), "output": draw(st.booleans()), "norm": norm,
        "d_ff": draw(st.sampled_from([None, 3])),
        "init": draw(st.sampled_from(["uniform", "linear", "normal"])), "seed": draw(st.integers(0, 99)),
        "embedding": draw(st.sampled_from(["stable", "table", "published"])), "scale": draw(st.booleans()),
        "positions": draw(st.sampled_from(["none", "sinusoidal", "seeded"])),
        "mask": draw(st.sampled_from(["none", *(["padding:1"] if n_read > 1 else [])])),
        "weighting": draw(st.sampled_from(["softmax", "softmax", "linear"])),
    }  # fmt: skip
    return Scenario(**(chosen | fixed))


@given(cross(square=True, n_kv_heads=None, output=True, bias=True, scale=True, norm="none", weighting="softmax"))
@settings(max_examples=examples(40), deadline=None)
def test_it_is_pytorchs_multi_head_attention_with_the_same_weights(scenario: Scenario) -> None:
    made, width = trace(scenario), scenario.d_out
    hidden = None if made.mask is None else made.mask == -torch.inf
    wanted, weights = F.multi_head_attention_forward(
        made.x[:, None], made["y"][:, None], made["y"][:, None], width, scenario.n_heads, None,
        torch.cat([made[name] for name in ("b_q", "b_k", "b_v")]), None, None, False, 0.0, made["w_o"].T, made["b_o"],
        training=False,
        attn_mask=hidden, use_separate_proj_weight=True, q_proj_weight=made.w_q.T, k_proj_weight=made.w_k.T,
        v_proj_weight=made.w_v.T, average_attn_weights=False,
    )  # fmt: skip
    torch.testing.assert_close(made.output, wanted[:, 0], rtol=1e-4, atol=1e-5)
    assert weights is not None
    torch.testing.assert_close(made.attention_weights.reshape(weights[0].shape), weights[0], rtol=1e-4, atol=1e-5)


@given(cross())
@settings(max_examples=examples(30), deadline=None)
def test_reading_another_sentence_changes_no_number_that_is_drawn_without_it(scenario: Scenario) -> None:
    alone = replace(scenario, reads="itself")
    for name in alone.editable:
        if name != "mask":
            assert torch.equal(scenario.matrix(name), alone.matrix(name)), name


def test_the_same_word_has_the_same_vector_in_both_sentences_and_a_table_has_others() -> None:
    both: dict[str, Any] = {"text": "the cat", "reads": "second", "second": "cat dog"}
    stable, table = Scenario(**both), Scenario(**both, embedding="table")
    assert torch.equal(stable.matrix("y")[0], stable.matrix("x")[1])
    assert not torch.isin(table.matrix("y"), table.matrix("x")).any()
    published = Scenario("cat", reads="second", second="journey", embedding="published")
    assert torch.equal(published.matrix("y"), Scenario("journey", embedding="published").matrix("x"))
    said = explain(trace(published), "y", 0, 0, scenario=published).text
    assert "published" in said


@pytest.mark.parametrize(
    ("settings", "kind", "problem"),
    [
        ({"positions": "rotary"}, "reads_positions", "positions is 'rotary', expected one of"),
        ({"positions": "alibi"}, "reads_positions", "positions is 'alibi', expected one of"),
        ({"positions": "relative"}, "reads_positions", "positions is 'relative', expected one of"),
        ({"causal": True}, "reads_mask", "the mask is 'causal', expected one of"),
        ({"masking": "window"}, "reads_mask", "the mask is 'window', expected one of"),
        ({"masking": "not-self"}, "reads_mask", "the mask is 'not-self', expected one of"),
        ({"second": "  "}, "reads_blank", "second has 0 tokens, expected 1 to"),
        ({"second": "a" * (MAX_TOKENS + 1), "tokenizer": "characters"}, "reads_tokens", "second has 1025 tokens"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_and_told_and_the_sentence_reads_itself(
    settings: dict[str, Any], kind: str, problem: str
) -> None:
    with pytest.raises(RefusedError, match=re.escape(problem)) as refused:
        Scenario(reads="second", **settings)
    assert refused.value.kind == kind
    values, misfits = fitted(Scenario().__dict__ | settings | {"reads": "second"}, 6)
    assert (values["reads"], [error.kind for error in misfits]) == ("itself", [kind])
    written = {name: str(value).lower() if value is True else str(value) for name, value in settings.items()}
    scenario, ignored = scenario_from_query(urlencode({"reads": "second"} | written))
    assert scenario.reads == "itself"
    assert len(ignored) == 1
    assert "{" not in ignored[0]


def test_more_scores_than_fit_are_refused_with_how_many_tokens_do() -> None:
    long: dict[str, Any] = {"reads": "second", "second": "a " * 1000, "n_heads": 16, "d_out": 16}
    with pytest.raises(RefusedError) as refused:
        Scenario("a " * 300, **long)
    most: Any = refused.value.facts["most"]
    assert (refused.value.kind, most) == ("reads_scores", 2**21 // 16 // 300)
    Scenario("a " * 300, **(long | {"second": "a " * most}))


def test_y_is_there_only_where_it_is_read() -> None:
    with pytest.raises(RefusedError) as refused:
        Scenario(edits=[("y", 0, 0, 1.0)])
    assert refused.value.kind == "reads_off"
    given = Scenario("a b c", reads="second", second="d e", y=[[1, 2, 3], [4, 5, 6]])
    assert trace(given).v.shape == (2, 2)
    with pytest.raises(RefusedError):
        Scenario("a b", reads="second", second="d e", y=[[1, 2, 3]] * 3)


def test_changes_of_y_stay_with_their_word() -> None:
    before = Scenario("a b", reads="second", second="der Hund")
    made = Changes((Edit("y", 1, 0, 2.0), Edit("w_q", 0, 0, 1.0)))
    assert carry_over(made, before, replace(before, text="other words")) == (made, Changes())
    assert carry_over(made, before, replace(before, second="ein Hund schläft"))[0] == made
    assert carry_over(made, before, replace(before, second="der Mann"))[1].edits == made.edits[:1]
    assert carry_over(made, before, replace(before, reads="itself"))[1].edits == made.edits[:1]
    painted = replace(before, masking="painted")
    cell = Changes((Edit("mask", 1, 1, 2.0),))
    assert carry_over(cell, painted, replace(painted, second="der Hund schläft")) == (cell, Changes())
    assert carry_over(cell, painted, replace(painted, second="Hund"))[1] == cell


# What is said of it

_READS = """(page, [data, query]) => page.reads_most.readsInPercent(page.made(data), query)"""


def test_no_token_of_a_second_sentence_is_called_itself_or_later() -> None:
    even = Scenario("the cat", w_q="zeros", reads="second", second="the cat", masking="painted",
                    edits=[("mask", 0, 1, -float("inf"))])  # fmt: skip
    made = trace(even)
    assert attends_most(made, 0, 4) == say("summary.reads.only", token="the", names="“the”", weight="1.0000")
    assert not made.causal
    assert "later" not in " ".join(mask_notes(made))
    hidden = explain(made, "scaled_scores", 0, 1, scenario=even).text
    assert "later" not in hidden
    assert say("explanation.hidden.painted", query="query 0 “the”", key="key 1 “cat”", n=0) in hidden
    assert "row of" not in described(made, "k", 1, 2)
    assert "row of" in described(made, "q", 1, 2)


def test_the_only_token_of_a_second_sentence_is_not_the_one_that_reads_it(script: PageScript) -> None:
    scenario = Scenario("the cat", reads="second", second="chat")
    made = trace(scenario)
    assert attends_most(made, 1, 4) == say("summary.reads.only", token="cat", names="“chat”", weight="1.0000")
    told = script.run(_READS, [board_data(scenario, made, 0, 4), 1])
    assert told == [say("board.reads.only", token="cat", names="“chat”", weight="100 %"), ""]


def test_heads_are_told_by_how_evenly_they_read() -> None:
    scenario = Scenario("the cat sat", w_q="zeros", n_heads=2, reads="second", second="a b c d")
    (one, _) = heads_in_words(trace(scenario).seen_from(1))
    assert one["short"] == say("heads.short.entropy", entropy="2.00", most="2.00")
    assert "second sentence" in one["full"]


def test_sentences_and_pages_name_the_second_sentence() -> None:
    scenario = Scenario("the cat", reads="second", second="die Katze schläft")
    assert say("summary.second.drawn", n=3) in vectors_in_words(scenario)
    page = report(scenario, trace(scenario))
    assert say("report.title_second", sentence="the cat", second="die Katze schläft") in page
    assert pytorch_script(scenario).startswith("# Cross-attention in plain PyTorch.")
    plain = Scenario("the cat", second="die Katze schläft")
    assert "Katze" not in report(plain, trace(plain))


def test_comparing_names_what_each_side_reads() -> None:
    a, b = Scenario("the cat"), Scenario("the cat", reads="second", second="la chatte")
    both = Comparison(trace(a), trace(b))
    assert other_words(both) == say("compare.words.read", a="the", b="la")
    moved = " ".join(moved_most(both, "attention_weights", 4))
    assert say("compare.moved.other_in_a", token="la", other="the") in moved
    assert say("compare.moved.other_in_a", token="chatte", other="cat") in moved
    assert other_words(Comparison(trace(a), trace(a))) == ""


def test_a_second_sentence_that_nobody_reads_is_no_change() -> None:
    plain, other = Scenario("a b"), Scenario("a b", second="hello")
    reads, others = (replace(each, reads="second") for each in (plain, other))
    assert changed_in_words(plain, other) == []
    alone = say("compare.changes.second_b", text="“hello”")
    assert changed_in_words(plain, others) == ["The sentence reads itself → second", alone]
    assert say("compare.changes.second_a", text="“hello”") in changed_in_words(others, plain)
    assert changed_in_words(reads, others) == [f"Second sentence “{plain.second}” → “hello”"]


# What the page has of it


@given(cross(n_heads=1, n_kv_heads=None))
@settings(max_examples=examples(20), deadline=None)
def test_the_board_is_sent_the_names_of_the_tokens_that_are_read(scenario: Scenario) -> None:
    alone = replace(scenario, reads="itself", masking="none")
    sent, plain = (board_data(each, trace(each), 0, 4) for each in (scenario, alone))
    assert (sent["labels"], sent["others"], plain["others"]) == (plain["labels"], True, False)
    assert len(sent["keys"]) == len(scenario.read_tokens)
    assert len(sent["origins"]["y"]) == len(scenario.read_tokens)
    assert (plain["keys"], plain["readNames"]) == (plain["labels"], plain["names"])


_IN_ONE_SENTENCE = """(page, [data, place]) => page.sayings.inOneSentence(page.made(data), place, null)"""


def test_on_the_board_no_token_reads_or_asks_itself_in_another_sentence(script: PageScript) -> None:
    scenario = Scenario("the cat", reads="second", second="der Hund")
    data = board_data(scenario, trace(scenario), 0, 4)
    for matrix in ("attention_weights", "scores"):
        said = script.run(_IN_ONE_SENTENCE, [data, {"matrix": matrix, "row": 1, "column": 1}])
        assert "“cat”" in said
        assert "“Hund”" in said
    assert "“Hund”" in script.run(_IN_ONE_SENTENCE, [data, {"matrix": "k", "row": 1, "column": 0}])


_LAYOUT = """({ layout: { layoutOf } }, [stages, matrices, shown]) => layoutOf(stages, matrices, shown, {
  width: 1500, height: 700, tokens: 5, named: 0, sentence: true, saysBelow: false, plane: false, tells: false,
  words: 600, ribbons: 78 })"""


def test_y_stands_first_with_room_for_its_own_names(script: PageScript) -> None:
    scenario = Scenario("the cat", reads="second", second="a b c d e")
    data = board_data(scenario, trace(scenario), 0, 4)
    layout = script.run(_LAYOUT, [data["stages"], data["matrices"], data["shown"]])
    y, x = layout["boxes"]["y"], layout["boxes"]["x"]
    assert y["x"] == pytest.approx(layout["labels"])
    assert x["x"] >= y["x"] + y["width"] + layout["labels"]
    assert y["y"] + y["height"] <= layout["end"] + 1
    assert layout["boxes"]["scores" if "scores" in layout["boxes"] else "scaled_scores"]["width"] > 0
