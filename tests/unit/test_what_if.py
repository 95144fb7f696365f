"""What if: every switch makes what it says, in plain torch, and follows into each place from its text alone."""

import math
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attnviz import AttentionTrace, Scenario, explain, trace
from attnviz.compare.comparison import Comparison, moved_most
from attnviz.core.errors import RefusedError
from attnviz.core.scenario import traced
from attnviz.core.seeding import POSITIONS
from attnviz.core.settings import fitted
from attnviz.core.trace import run
from attnviz.core.what_if import MOST_TYPED, SWITCHES, TYPED, WhatIf
from attnviz.explanation.changes_in_words import setting_in_words
from attnviz.explanation.head_figures import heads_in_words
from attnviz.explanation.masking import mask_notes
from attnviz.explanation.summary import attends_most, described, out_of_the_ordinary
from attnviz.explanation.what_if import cut_by_view, key_of, reads_others, switched_on, what_if_notes
from attnviz.link.set_up import query_of, scenario_from_query
from attnviz.teach.lesson import STEPS
from attnviz.teach.questions.masks_and_heads import cut
from attnviz.words import say
from tests.unit.helpers import every_way
from tests.whole import examples

TEXTS = [f"{name}:{setting}" for name, switch in SWITCHES.items() for setting in switch.settings]
ON = [*TEXTS, "typed:0:1:3.5", "typed:1:0:-2,typed:2:2:0.1"]


@st.composite
def switched(draw: st.DrawFn) -> Scenario:
    """A scenario with one switch or several, of one head or two."""
    on = WhatIf.read("")
    for name, switch in SWITCHES.items():
        if switch.settings:
            on = on.with_(name, draw(st.sampled_from(("", *switch.settings))))
    for row, column, number in draw(
        st.lists(st.tuples(*[st.integers(0, 2)] * 2, st.floats(-5, 5, width=32)), max_size=2)
    ):
        on = on.typing(row, column, number)
    heads = draw(st.sampled_from((1, 2)))
    heads = 2 if on.get("cut") else heads
    reads = draw(st.sampled_from(("itself", "second", "kept")))
    if reads != "itself" and on.get("scores") == "keys-first":
        on = on.with_("scores", "")
    second = reads == "second"  # which has no places in common
    return Scenario(
        "the cat sat", d_in=4, d_out=4, n_heads=heads, bias=draw(st.booleans()),
        init=draw(st.sampled_from(("normal", "linear"))), seed=draw(st.integers(0, 50)),
        mask="none" if second else draw(st.sampled_from(("none", "causal"))), what_if=on.text,
        mask_use=draw(st.sampled_from(("added", "factor"))), reads=reads, second="it was there",
        positions="none" if second else draw(st.sampled_from(("none", "rotary"))),
    )  # fmt: skip


@pytest.mark.parametrize("text", ON)
@pytest.mark.parametrize("layers", [1, 2])
def test_what_is_on_is_said_not_to_be_what_attention_does(text: str, layers: int) -> None:
    several = 3 if text.startswith("cut") else 1
    scenario = Scenario("a b c", d_in=3, d_out=3, n_layers=layers, n_heads=several, what_if=text)
    made = traced(scenario)
    (key,) = switched_on(made)
    note = say(f"what_if.{key.replace('-', '_')}.note")
    assert note in out_of_the_ordinary(made)
    assert note.startswith("Not what attention does")
    assert "attention doesn't do" in say(f"what_if.{key.replace('-', '_')}.more")
    assert switched_on(traced(replace(scenario, what_if=""))) == []
    heads = traced(replace(scenario, n_heads=3))
    assert switched_on(heads) == switched_on(heads.seen_from(1)) == [key]
    assert setting_in_words("what_if", text) != setting_in_words("what_if", "") == say("what_if.usual")
    assert not torch.allclose(made.layers[0].context, traced(replace(scenario, what_if="")).layers[0].context)


def test_exchanging_the_projections_is_exchanging_the_factors() -> None:
    """(X W_k)(X W_q)ᵀ = K Qᵀ, which is Q Kᵀ turned over."""
    for bias in (False, True):
        usual = Scenario("a b c d", d_out=3, bias=bias, init="linear")
        scores: list[Tensor] = [
            trace(replace(usual, what_if=on)).scores for on in ("", "scores:keys-first", "projections:exchanged")
        ]
        torch.testing.assert_close(scores[1], scores[0].T)
        torch.testing.assert_close(scores[2], scores[0].T)
        both = trace(replace(usual, what_if="projections:exchanged,scores:keys-first"))
        torch.testing.assert_close(both.scores, scores[0])


def sums(made: AttentionTrace) -> tuple[bool, bool, bool]:
    weights = made.attention_weights
    return tuple(
        bool(torch.allclose(each, torch.ones_like(each))) for each in (weights.sum(1), weights.sum(0), weights.sum())
    )  # type: ignore[return-value]


def test_what_sums_to_1_is_what_the_softmax_runs_over() -> None:
    usual = Scenario("the cat sat", init="normal", seed=4)
    assert sums(trace(usual)) == (True, False, False)
    for axis, expected in (("columns", (False, True, False)), ("whole", (False, False, True))):
        made = trace(replace(usual, what_if=f"softmax:{axis}"))
        assert sums(made) == expected
        assert "even share" not in attends_most(made, 0, 4)


@given(st.lists(st.sampled_from(ON), max_size=4))
def test_a_text_has_one_form(parts: list[str]) -> None:
    try:
        text = WhatIf.read(",".join(parts)).text
    except RefusedError:
        assert len({part.partition(":")[0] for part in parts}) < len(set(parts))
        return
    assert WhatIf.read(text).text == text
    assert set(text.split(",")) >= {part for part in parts if not part.startswith(TYPED)}


@pytest.mark.parametrize(
    "text",
    ["softmax", "softmax:rows", "softmax:", "nothing", ",", "typed:0:1", "typed:0:1:nan", "typed:0:1:inf",
     "typed:-1:0:1", "typed:a:0:1", "typed:0:1:1e31", "softmax:columns,softmax:whole", 7, "x" * 700,
     ",".join(f"typed:0:{i}:1" for i in range(MOST_TYPED + 1))],
)  # fmt: skip
def test_what_is_no_switch_is_refused(text: Any) -> None:
    with pytest.raises(ValueError, match="what_if"):
        Scenario(what_if=text)


@pytest.mark.parametrize(
    ("text", "others", "kind"),
    [
        ("projections:transposed", {"d_in": 3, "d_out": 2}, "what_if_transposed"),
        ("projections:transposed", {"d_in": 4, "d_out": 4, "n_heads": 2, "n_kv_heads": 1}, "what_if_transposed"),
        ("projections:exchanged", {"d_out": 4, "n_heads": 2, "n_kv_heads": 1}, "what_if_exchanged"),
        ("softmax:whole", {"causal": True, "mask_use": "zeroed"}, "what_if_softmax"),
        ("typed:9:0:1", {}, "what_if_typed"),
        ("cut:view", {}, "what_if_cut"),
        ("cut:view", {"d_out": 4, "n_heads": 2, "n_kv_heads": 1}, "what_if_cut"),
    ],
)
def test_a_switch_that_does_not_fit_is_told_and_left_out(text: str, others: dict[str, Any], kind: str) -> None:
    with pytest.raises(RefusedError) as refused:
        Scenario("a b c", what_if=text, **others)
    assert refused.value.kind == kind
    values = {each: getattr(Scenario("a b c", **others), each) for each in Scenario.__dataclass_fields__}
    left, misfits = fitted(values | {"what_if": f"{text},scores:cosine"}, 3)
    assert (left["what_if"], [error.kind for error in misfits]) == ("scores:cosine", [kind])
    scenario, ignored = scenario_from_query(f"{query_of(Scenario('a b c', **others))}&what_if={text}")
    assert scenario == Scenario("a b c", **others)
    assert len(ignored) == 1


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("softmax:whole", ("softmax", "context")),
        ("scores:cosine", ("one-score", "all-scores")),
        ("typed:0:1:3", ("one-score", "all-scores")),
        ("projections:exchanged", ("projections",)),
        ("cut:view", ("projections",)),
    ],
)
def test_the_lesson_says_what_a_switch_does_in_place_of_what_attention_does(text: str, steps: tuple[str, ...]) -> None:
    sizes, n_heads = (4, 2) if text.startswith("cut") else (2, 1)
    both = (trace(Scenario("a b c", d_out=sizes, n_heads=n_heads, what_if=each)) for each in ("", text))
    usual, made = (each.seen_from(0) if n_heads > 1 else each for each in both)
    (key,) = switched_on(made)
    more = say(f"what_if.{key.replace('-', '_')}.more")
    for step in STEPS:
        assert more not in step.says(usual, 0, 4)
        assert (step.says(made, 0, 4) == [more]) == (step.name in steps)


def test_what_is_said_of_a_switch_is_true_where_another_sentence_is_read() -> None:
    """Keys and values aren't made of X there, and no score of two sentences stands where another token's should."""
    for reads in ("second", "kept"):
        for text, wrong in (("projections:exchanged", "other token's"), ("projections:transposed", "")):
            made = trace(Scenario("a cat sat", d_out=3, reads=reads, second="it was", what_if=text))
            own = trace(Scenario("a cat sat", d_out=3, what_if=text))
            (step,) = (each for each in STEPS if each.name == "projections")
            others, itself = (" ".join([*step.says(each, 0, 4), *out_of_the_ordinary(each)]) for each in (made, own))
            assert wrong in itself
            assert not wrong or wrong not in others
            assert "X is multiplied" not in itself + others


def test_rows_of_heads_cut_by_a_view_are_told_by_rows_and_by_the_tokens_that_they_are_of() -> None:
    scenario = Scenario("a b", d_in=4, d_out=4, n_heads=2, masking="window", mask_size=1, what_if="cut:view")
    seen = traced(scenario).seen_from(1)
    assert attends_most(seen, 0, 4) == say("summary.reads.mixed", row=0, token="b", weight="1.0000", key=0, other="b")
    assert "later" not in explain(seen, "scaled_scores", 0, 1).text
    assert "%" not in "".join(each["full"] + each["short"] for each in heads_in_words(seen))
    rotary = traced(replace(scenario, positions="rotary")).seen_from(1)
    for name in ("q", "q_rotated", "k_rotated", "scores"):
        assert rotary.stages[name].labels("rows", rotary.tokens, 2) == ("b", "b"), name
        assert "“b”" in described(rotary, name, 0, 4)
    causal = traced(replace(scenario, masking="none", causal=True))
    assert causal.causal


CUT_BY_VIEW = Scenario("the cat sat", d_in=4, d_out=4, n_heads=2, mask="causal", what_if="cut:view")


def test_the_lesson_tells_heads_cut_by_a_view_by_the_pieces_that_their_rows_are() -> None:
    """In head 1 of two, rows 0, 1 and 2 are pieces of tokens 1, 2 and 2."""
    seen, usual = trace(CUT_BY_VIEW).seen_from(1), trace(replace(CUT_BY_VIEW, what_if="")).seen_from(1)
    told, else_told = ({step.name: " ".join(step.says(each, 1, 4)) for step in STEPS} for each in (seen, usual))
    piece = say("lesson.piece", row=1, token="sat")
    for name in ("one-score", "all-scores", "context"):
        assert piece in told[name]
        assert piece not in else_told[name]
    assert "Q″ K″ᵀ" in told["all-scores"]
    assert "Q Kᵀ" in else_told["all-scores"]
    untrue_of = {
        "tokens": "itself and all tokens before",
        "scale": "no token may read",
        "context": "up to its own place",
    }
    for name, untrue in untrue_of.items():
        assert untrue in else_told[name]
        assert untrue not in told[name]
    assert say("lesson.scale.by_place") in told["scale"]
    assert seen.stages["scores"].short == "scores = Q″ K″ᵀ"


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("cut", ["", "cut:view"])
@pytest.mark.parametrize("scores", ["", "scores:keys-first"])
@pytest.mark.parametrize("n_heads", [1, 2])
def test_the_short_label_of_scores_names_what_is_multiplied(
    positions: str, cut: str, scores: str, n_heads: int
) -> None:
    if cut and n_heads == 1:
        return
    scenario = Scenario("a cat sat", d_out=4, n_heads=n_heads, positions=positions,
                        what_if=",".join(filter(None, (cut, scores))))  # fmt: skip
    seen = trace(scenario).seen_from(0)
    stage = seen.stages["scores"]
    symbols = [seen.stages[source].symbol for source in stage.sources]
    assert stage.short == f"scores = {symbols[0]} {symbols[1]}ᵀ"
    mapped = trace(Scenario("a cat", weighting="linear")).stages["scores"]
    assert mapped.short == "scores = φ(Q) φ(K)ᵀ"


def test_what_a_mask_hides_is_told_by_rows_where_they_are_of_other_tokens() -> None:
    made, usual = (trace(replace(CUT_BY_VIEW, what_if=text)) for text in ("cut:view", ""))
    told, else_told = (" ".join(mask_notes(each)) for each in (made, usual))
    assert "no token may read a later one" in else_told
    assert "no token may read a later one" not in told
    assert say("summary.mask.by_place") in told
    hidden = replace(CUT_BY_VIEW, mask=[[0, 0, 0], [-math.inf] * 3, [0, 0, 0]])
    named = say("summary.nothing.row", place=1)
    assert say("summary.nothing.added", names=named) in mask_notes(traced(hidden))
    unread = replace(CUT_BY_VIEW, causal=False, mask="padding:1", what_if="cut:view,softmax:columns")
    assert say("summary.nothing.column", place=2) in " ".join(mask_notes(traced(unread)))


def test_rows_and_columns_of_heads_cut_by_a_view_are_named_by_the_tokens_that_they_are_of() -> None:
    seen = trace(CUT_BY_VIEW).seen_from(1)
    scores = seen.stages["scores"]
    assert scores.labels("rows", seen.tokens, 3) == scores.labels("columns", seen.tokens, 3) == ("cat", "sat", "sat")
    assert "query 0 “cat”" in explain(seen, "scores", 0, 2).text
    assert "key 2 “sat”" in explain(seen, "scores", 0, 2).text
    both = Comparison(trace(replace(CUT_BY_VIEW, what_if="")).seen_from(1), seen)
    assert all("Row" in line and "column" in line for line in moved_most(both, "attention_weights", 2))


@pytest.mark.parametrize("text", ["projections:transposed", "projections:transposed,cut:view"])
def test_a_head_of_a_w_turned_over_is_cut_out_of_what_all_of_it_makes(text: str) -> None:
    """A head's columns of X Wᵀ are made by rows of W: no columns of it are its own."""
    made = trace(Scenario("the cat sat", d_in=4, d_out=4, n_heads=2, bias=True, init="linear", what_if=text))
    assert made.b_q is not None
    whole = made.x @ made.w_q.T + made.b_q
    for head in (0, 1):
        seen = made.seen_from(head)
        assert torch.equal(seen.w_q, made.w_q)
        torch.testing.assert_close(seen["q_uncut"], whole)
        torch.testing.assert_close(seen.q, cut(whole, 2, "view" if "cut" in text else "")[head])
        assert torch.equal(run(seen.stages, seen.matrices)["contexts"], made.context)


@pytest.mark.parametrize("heads", [1, 2])
def test_what_is_said_of_a_learned_matrix_is_what_it_makes(heads: int) -> None:
    """With W_q and W_k exchanged, W_q makes keys, and b_q is added to them."""
    for on in ("", "projections:exchanged"):
        scenario = Scenario("a b c", d_in=4, d_out=4, bias=True, init="linear", n_heads=heads, what_if=on)
        for table in (traced(scenario).stages, traced(scenario).seen_from(heads - 1).stages):
            for part in "qkv":
                for name in (f"w_{part}", f"b_{part}"):
                    (made,) = {stage.symbol for stage in table.values() if stage.rule and any(
                        source.endswith(name) for source in stage.sources)}  # fmt: skip
                    stage = next(stage for key, stage in table.items() if key.endswith(name))
                    called = {"Q": "quer", "K": "key", "V": "value"}[made]
                    assert called in stage.meaning
                    assert called in stage.plain
                    assert stage.axes.endswith(f"features of {made}")
                    assert stage.title.startswith(stage.symbol)
        assert ("their biases" in " ".join(what_if_notes(traced(scenario)))) == bool(on)


def test_with_cosines_no_score_is_said_to_add_up_products() -> None:
    trace = traced(Scenario("a b c", what_if="scores:cosine"))
    assert "products" not in explain(trace, "scaled_scores", 0, 1).text
    assert "d_k = 2, the length of a key" in explain(trace, "scaled_scores", 0, 1).text


@given(every_way().filter(lambda scenario: scenario.what_if))
@settings(max_examples=examples(60), deadline=None)
def test_what_is_said_of_a_switch_holds_of_the_numbers(scenario: Scenario) -> None:
    seen = traced(scenario).seen_from(0, 0)
    told = " ".join(say(key_of(each, "more", reads_others(seen))) for each in switched_on(seen))
    weights, finite = seen.attention_weights.double(), bool(seen.attention_weights.isfinite().all())
    if "all queries together hand out 100 %" in told and finite:
        assert float(weights.sum()) == pytest.approx(1, abs=1e-5)
    if "columns sum to 1" in told and finite:
        torch.testing.assert_close(weights.sum(-2), torch.ones(weights.shape[-1]).double(), atol=1e-5, rtol=0)
    if "no cosine is beyond" in told and not WhatIf.read(scenario.what_if).typed:
        assert float(seen.scores.abs().max()) <= 1 + 1e-5
    if "multiplied by the transpose of each" in told:
        into, bias = seen[seen.stages["q"].sources[0]], 0 if seen.b_q is None else seen.b_q
        if scenario.n_heads == 1:
            torch.testing.assert_close(seen.q, into @ seen.w_q.T + bias, atol=1e-4, rtol=1e-4)
    if "belong to other tokens" in told and len(seen.tokens) > 1:
        assert cut_by_view(seen)


def test_one_token_is_not_said_to_be_another() -> None:
    alone = traced(Scenario("cat", d_in=4, d_out=4, n_heads=2, what_if="cut:view"))
    usual = traced(Scenario("cat", d_in=4, d_out=4, n_heads=2))
    torch.testing.assert_close(alone.context, usual.context)
    assert "with several tokens" in say("what_if.cut.view.more")
    assert "each query gets little" not in say("what_if.softmax.whole.more")
