"""A sentence that was kept: keys and values of it stand in front of those of the sentence, which alone asks."""

import math
import re
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attnviz import Scenario, explain, trace
from attnviz.app.refusals import told
from attnviz.board.data import board_data
from attnviz.compare.comparison import Comparison, other_words
from attnviz.core.changes import Changes, carry_over
from attnviz.core.errors import RefusedError
from attnviz.core.limits import MAX_TOKENS
from attnviz.core.matrix_input import Edit
from attnviz.core.seeding import POSITIONS, position_seed
from attnviz.core.settings import fitted
from attnviz.core.stages.sizes import sizes_of
from attnviz.core.tokens import visible
from attnviz.documents import report
from attnviz.explanation.head_figures import heads_in_words
from attnviz.explanation.masking import mask_notes
from attnviz.explanation.numbers_from import vectors_in_words
from attnviz.explanation.summary import attends_most
from attnviz.export import pytorch_script
from attnviz.link.set_up import scenario_from_query
from attnviz.words import say
from tests.node import PageScript
from tests.unit.seen.sentences import number

WORDS = ("the", "cat", "sat", "on", "a", "mat")
BEFORE = ("it", "was", "the", "cat", "out", "Your")
PARTS = say("explanation.product.parts", ww="|", wp="", pw="", pp="").partition("|")[0]
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
        "positions": draw(st.sampled_from(POSITIONS)), "embedding_factor": draw(st.booleans()), "mask": mask,
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
    assume(alone.masked_as != "not-self" or len(alone.second_tokens) > 1)
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


@pytest.mark.parametrize("mask", [[[0.0] * 5, [float("-inf")] * 4 + [0.0]], "padding:1", "painted"])
def test_a_mask_that_goes_by_no_places_hides_nothing_where_the_kept_sentence_was_read_alone(mask: Any) -> None:
    scenario = Scenario("the cat", reads="kept", second="it was out", d_out=3, n_layers=2, mask=mask)
    free = trace(replace(scenario, masking="none", mask=None))
    masked = trace(scenario)
    assert torch.equal(masked.layers[1].y, free.layers[1].y)  # type: ignore[arg-type]
    assert not torch.equal(masked.layers[1].x, free.layers[1].x) or mask == "painted"


def test_what_is_changed_of_the_kept_sentence_and_of_layers_goes_on_through_all() -> None:
    plain = Scenario(
        "the cat", reads="kept", second="it was", d_out=3, n_layers=2, positions="relative", what_if="typed:0:3:9.0"
    )
    before = trace(plain).layers[1].y
    for change in (("y", 1, 0, 9.0), ("w_v", 0, 0, 9.0), ("by_distance", 0, 3, 9.0)):  # a distance within the kept one
        assert not torch.equal(trace(replace(plain, edits=[change])).layers[1].y, before)  # type: ignore[arg-type]
    for change in (("x", 1, 0, 9.0), ("layers.1.w_v", 0, 0, 9.0), ("by_distance", 0, 0, 9.0)):
        assert torch.equal(trace(replace(plain, edits=[change])).layers[1].y, before)  # type: ignore[arg-type]
    alone = Scenario("it was", d_out=3, n_layers=2, positions="relative")
    torch.testing.assert_close(before, trace(alone).layers[1].x)


@pytest.mark.parametrize("more", [{}, {"mask_use": "renormalized"}, {"mask_use": "zeroed"}, {"weighting": "linear"}])
def test_a_kept_token_that_may_not_read_even_itself_when_it_is_read_alone_is_refused(more: dict[str, Any]) -> None:
    deep: dict[str, Any] = {"reads": "kept", "d_out": 3, "n_layers": 2, "mask": "not-self", **more}
    with pytest.raises(RefusedError) as refused:
        Scenario("the cat sat", second="it", **deep)
    assert told(refused.value) == say("refused.reads_nothing", masking="`not-self`")
    fits: list[dict[str, Any]] = [
        {"second": "it was"}, {"second": "it", "n_layers": 1}, {"second": "it", "mask": "causal"},
        {"second": "it", "mask": [[0.0, 0.0, 0.0, -math.inf]] * 3, "mask_use": "added", "weighting": "softmax"},
    ]  # fmt: skip
    for fit in fits:
        assert all(not layer.context.isnan().any() for layer in trace(Scenario("the cat sat", **(deep | fit))).layers)
    values, misfits = fitted(Scenario(d_out=3, n_layers=2, mask="not-self").__dict__
                             | {"reads": "kept", "second": "it"}, 3)  # fmt: skip
    assert (values["reads"], [error.kind for error in misfits]) == ("itself", ["reads_nothing"])


def test_where_no_kept_token_fits_the_sentence_is_told_how_long_it_may_be() -> None:
    full: dict[str, Any] = {"tokenizer": "characters", "reads": "kept", "second": "b"}
    with pytest.raises(RefusedError) as refused:
        Scenario("a" * MAX_TOKENS, **full)
    assert (refused.value.kind, refused.value.facts["most"]) == ("reads_full", MAX_TOKENS - 1)
    Scenario("a" * (MAX_TOKENS - 1), **full)
    heads: dict[str, Any] = full | {"n_heads": 16, "d_out": 16}
    with pytest.raises(RefusedError) as refused:
        Scenario("a" * 362, **heads)
    most: Any = refused.value.facts["most"]
    assert (refused.value.kind, most) == ("reads_scores_full", 361)
    Scenario("a" * most, **heads)


@given(deep(), st.data())
@settings(max_examples=20, deadline=None)
def test_what_a_layer_made_of_the_kept_sentence_has_a_name_of_its_own_and_is_explained(
    scenario: Scenario, data: st.DataObject
) -> None:
    made = trace(scenario)
    for view in (made, made.seen_from(0, scenario.n_layers - 1)):
        titles = [stage.title for stage in view.stages.values() if not stage.is_vector]
        handed = [stage.title for name, stage in view.stages.items() if name.startswith("kept.")]
        assert handed
        assert all(titles.count(title) == 1 for title in handed)
    layer = data.draw(st.integers(1, scenario.n_layers - 1))
    name = f"kept.{layer}"
    row, column = data.draw(st.integers(0, scenario.n_kept - 1)), data.draw(st.integers(0, scenario.d_in - 1))
    wanted = say("explanation.given.kept_alone", token=visible(scenario.second_tokens[row]), layer=layer - 1)
    for view in (made, made.layers[layer]):
        assert wanted in explain(view, name, row, column, scenario=scenario).words
    assert made.stages[name].title in explain(made, f"layers.{layer}.y", row, column).text
    other = replace(scenario, seed=scenario.seed + 1, embedding="table")
    if trace(other)[name][row, column] != made[name][row, column]:  # of two features, a norm may make the same
        with pytest.raises(ValueError, match=re.escape(name)):
            explain(made, name, row, column, scenario=other)
    with pytest.raises(ValueError, match=re.escape(name)):
        explain(made, name, row, column, scenario=replace(scenario, n_layers=1))


def test_more_scores_of_the_kept_sentence_alone_than_fit_are_refused() -> None:
    deep: dict[str, Any] = {"reads": "kept", "n_heads": 16, "d_in": 16, "d_out": 16}
    with pytest.raises(RefusedError) as refused:
        Scenario("a b", second="a " * 300, n_layers=2, **deep)
    assert (refused.value.kind, refused.value.facts["most"]) == ("reads_scores", 256)
    Scenario("a b", second="a " * 256, n_layers=2, **deep)
    Scenario("a b", second="a " * 300, **deep)


@given(kept())
@settings(max_examples=30, deadline=None)
def test_keeping_a_sentence_changes_no_number_that_is_drawn_without_it(scenario: Scenario) -> None:
    alone = replace(scenario, reads="itself")
    for name in alone.editable:
        if name not in ("mask", "by_distance", "p"):
            assert torch.equal(scenario.matrix(name), alone.matrix(name)), name


@pytest.mark.parametrize(
    ("settings", "kind", "problem"),
    [
        ({"second": "  "}, "reads_blank", "second has 0 tokens, expected 1 to"),
        ({"second": "a" * MAX_TOKENS, "tokenizer": "characters", "text": "cat"}, "reads_tokens",
         f"second has {MAX_TOKENS} tokens, expected 1 to {MAX_TOKENS - 3}"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_and_told_and_the_sentence_reads_itself(
    settings: dict[str, Any], kind: str, problem: str
) -> None:
    with pytest.raises(RefusedError, match=re.escape(problem)) as refused:
        Scenario(reads="kept", **settings)
    assert refused.value.kind == kind
    values, misfits = fitted(Scenario().__dict__ | settings | {"reads": "kept"}, 3 if "text" in settings else 6)
    assert (values["reads"], [error.kind for error in misfits]) == ("itself", [kind])
    scenario, ignored = scenario_from_query(urlencode({"reads": "kept"} | settings))
    assert scenario.reads == "itself"
    assert len(ignored) == 1
    assert "{" not in ignored[0]


def test_more_scores_than_fit_are_refused_with_how_many_kept_tokens_do() -> None:
    long: dict[str, Any] = {"reads": "kept", "second": "a " * 724, "n_heads": 16, "d_out": 16}
    with pytest.raises(RefusedError) as refused:
        Scenario("a " * 300, **long)
    most: Any = refused.value.facts["most"]
    assert (refused.value.kind, most) == ("reads_scores", 2**21 // 16 // 300 - 300)
    Scenario("a " * 300, **(long | {"second": "a " * most}))


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


def test_changes_of_the_kept_tokens_go_with_their_vectors_and_those_of_places_with_these() -> None:
    plain = Scenario("a b", reads="kept", second="der Hund", y=[[1, 2, 3], [4, 5, 6]])
    placed = replace(plain, y=None, positions="sinusoidal", e_y=plain.y)
    of_y = Changes((Edit("y", 1, 0, 2.0),), (("y", plain.y),))
    of_e = Changes((Edit("e_y", 1, 0, 2.0),), (("e_y", plain.y),))
    assert carry_over(of_y, plain, placed) == (of_e, Changes())
    assert carry_over(of_e, placed, plain) == (of_y, Changes())
    assert carry_over(of_y, plain, replace(plain, y=None, embedding_factor=True)) == (of_e, Changes())
    places = Changes((Edit("p", 0, 1, 3.0), Edit("p_y", 1, 1, 4.0)))  # of places 2 and 1
    assert carry_over(places, placed, replace(placed, text="other words")) == (places, Changes())
    earlier = replace(placed, e_y=None, second="Hund")
    assert carry_over(places, placed, earlier) == (Changes((Edit("p", 1, 1, 3.0),)), Changes((Edit("p_y", 1, 1, 4.0),)))
    assert carry_over(places, placed, replace(placed, e_y=None, reads="itself"))[1] == places


@pytest.mark.parametrize("name", ["x", "y"])
@pytest.mark.parametrize(("settings", "parts"), [({"embedding_factor": True}, 1), ({"positions": "seeded"}, 2)])
def test_what_is_made_of_others_is_not_changed_itself(name: str, settings: dict[str, Any], parts: int) -> None:
    with pytest.raises(RefusedError) as refused:
        Scenario("the cat", reads="kept", edits=[(name, 0, 0, 1.0)], **settings)
    symbol, e, p = ("X", "E", "P") if name == "x" else ("Y", "E_y", "P_y")
    if parts == 1:
        assert told(refused.value) == say("refused.is_product", matrix=symbol, table=e)
    else:
        assert told(refused.value) == say("refused.is_sum", matrix=symbol, table=e, other=p)
    with pytest.raises(RefusedError) as refused:
        Scenario("the cat", edits=[("e_y", 0, 0, 1.0)], **settings)
    assert refused.value.kind == "reads_off"


@given(kept(positions="sinusoidal", bias=False), st.data())
@settings(max_examples=20, deadline=None)
def test_words_and_places_have_their_parts_in_a_score_of_a_kept_token_too(
    scenario: Scenario, data: st.DataObject
) -> None:
    assume(scenario.norm in ("none", "sums"))
    made = trace(scenario)
    head = data.draw(st.integers(0, scenario.n_heads - 1))
    row = data.draw(st.integers(0, len(scenario.tokens) - 1))
    column = data.draw(st.integers(0, len(scenario.read_tokens) - 1))
    seen, n = made.seen_from(head), scenario.n_kept
    scale = scenario.d_in**0.5 if scenario.embedding_factor else 1.0
    words = torch.cat([made["e_y"], made["e"]]).double() * scale
    places = torch.cat([made["p_y"], made["p"]]).double()
    asks, offers = ([each @ w.double() for each in (words, places)] for w in (seen.w_q, seen.w_k))
    wanted = [float(a[n + row] @ b[column]) for a in asks for b in offers]
    (note,) = (each for each in explain(seen, "scores", row, column, digits=6).notes if each.startswith(PARTS))
    said = [number(each) for each in re.findall(r"−?\d+\.\d+(?:e[+−-]?\d+)?", note)]
    assert said == pytest.approx(wanted, abs=1e-4, rel=1e-4)


# What is said of it


def test_a_token_is_itself_behind_those_that_were_kept() -> None:
    scenario = Scenario("the cat", w_q="zeros", reads="kept", second="der Hund", masking="window", mask_size=1)
    made = trace(scenario)
    assert attends_most(made, 0, 4) == say("summary.reads.itself", token="the", names="itself", weight="1.0000")
    two = trace(replace(scenario, mask_size=2))
    assert (
        say("explanation.hidden.window", key="key 1 “Hund”", query="query 1 “cat”", n=2)
        in explain(two, "scaled_scores", 1, 1).text
    )
    causal = trace(replace(scenario, masking="none", causal=True))
    assert attends_most(causal, 0, 4) == say("summary.reads.equally_masked", token="the", n=3, weight="0.3333")
    assert (
        say("explanation.hidden.later", key="key 3 “cat”", query="query 0 “the”", n=0)
        in explain(causal, "scaled_scores", 0, 3).text
    )
    assert mask_notes(causal) == [say("summary.notes.masked", n=1, count=8)]


def test_heads_are_told_by_how_much_they_read_of_the_kept_sentence() -> None:
    scenario = Scenario("the cat sat", w_q="zeros", n_heads=2, reads="kept", second="a")
    (one, _) = heads_in_words(trace(scenario).seen_from(1))
    assert one["short"] == say("heads.short.kept", share="25 %")
    assert say("heads.kept", head=0, share="25 %") in one["full"]


def test_sentences_sizes_and_pages_name_the_kept_sentence() -> None:
    scenario = Scenario("the cat", reads="kept", second="die Katze schläft")
    assert say("summary.kept.drawn", n=3, symbol="Y") in vectors_in_words(scenario)
    assert say("report.title_kept", sentence="the cat", second="die Katze schläft") in report(scenario, trace(scenario))
    assert pytorch_script(scenario).startswith("# Self-attention with a kept sentence in plain PyTorch.")
    placed = replace(scenario, positions="seeded", p_y=[[0.0] * 3] * 3)
    for said in (say("summary.kept.drawn", n=3, symbol="E_y"), say("summary.kept.places", first=3, last=4),
                 say("summary.positions.given", names="P_y")):  # fmt: skip
        assert said in vectors_in_words(placed)
    assert say("summary.positions.seeded_beside", name="P", seed=position_seed(placed.seed)) in vectors_in_words(placed)
    waves = replace(placed, text="cat", positions="sinusoidal", p_y=None, p=[[0.0] * 3])
    assert say("summary.positions.sinusoidal_beside", name="P_y") in vectors_in_words(waves)
    assert "that of this one is 3." in vectors_in_words(waves)
    for each in (placed, scenario):
        assert f"; {each.stage(each.read_matrix).symbol}: for each that was kept" in pytorch_script(each)
    sizes = sizes_of(scenario.table)
    assert [sizes[name][0] for name in ("y", "x", "joined", "k", "q", "context")] == [
        "kept", "queries", "keys", "keys", "queries", "queries",
    ]  # fmt: skip
    assert sizes["scores"] == ("queries", "keys")


def test_comparing_names_what_each_side_reads() -> None:
    a, b = (Scenario("the cat", reads="kept", second=second) for second in ("der", "la"))
    assert other_words(Comparison(trace(a), trace(b))) == say("compare.words.read", a="der", b="la")


# What the page has of it

_IN_ONE_SENTENCE = """(page, [data, place]) => page.sayings.inOneSentence(page.made(data), place, null)"""
_LAYOUT = """({ layout: { layoutOf } }, [stages, matrices, shown]) => layoutOf(stages, matrices, shown, {
  width: 1500, height: 700, tokens: 5, named: 0, sentence: true, saysBelow: false, plane: false, tells: false,
  words: 600, ribbons: 78 })"""


def test_on_the_board_a_token_reads_itself_behind_those_that_were_kept(script: PageScript) -> None:
    scenario = Scenario("the cat", reads="kept", second="der Hund")
    data = board_data(scenario, trace(scenario), 0, 4)
    for matrix, itself in (("attention_weights", "reads itself"), ("scores", "itself")):
        said = [script.run(_IN_ONE_SENTENCE, [data, {"matrix": matrix, "row": 1, "column": at}]) for at in range(4)]
        assert [itself in each for each in said] == [False, False, False, True]
        assert ["“Hund”" in each for each in said] == [False, True, False, False]
    assert "“Hund”" in script.run(_IN_ONE_SENTENCE, [data, {"matrix": "joined", "row": 1, "column": 0}])


@pytest.mark.parametrize("norm", ["none", "pre"])
def test_what_is_read_stands_before_those_that_read_with_room_for_names_of_other_rows(
    script: PageScript, norm: str
) -> None:
    scenario = Scenario("the cat", reads="kept", second="a b c", norm=norm, d_out=3)
    data = board_data(scenario, trace(scenario), 0, 4)
    layout = script.run(_LAYOUT, [data["stages"], data["matrices"], data["shown"]])
    order = ["y", *["y_norm"] * (norm == "pre"), "joined", "x", *["x_norm"] * (norm == "pre"), "q"]
    boxes = [layout["boxes"][name] for name in order]
    for before, after, name in zip(boxes, boxes[1:], order[1:], strict=False):
        room = layout["labels"] if name in ("joined", "x") else 0
        assert after["x"] >= before["x"] + before["width"] + room
    assert boxes[order.index("joined")]["height"] > boxes[order.index("x")]["height"]


_WIDTH = """({ layout: { layoutOf } }, [data, room]) => {
  const placed = data.shown.filter((name) => name !== "scaled_scores");
  return layoutOf(data.stages, data.matrices, placed, {
    height: 600, named: 0, sentence: true, saysBelow: true, plane: true, tells: false, words: 1200, ribbons: 78,
    ...room,
  }).width;
}"""


@pytest.mark.parametrize(
    ("d_in", "second", "more"),
    [
        (2, "it was out", {"positions": "sinusoidal"}),
        (2, "it was out", {"positions": "seeded", "embedding_factor": True}),
        (3, "it was", {"positions": "sinusoidal"}),
        (3, "it was the cat out on", {"embedding_factor": True}),
    ],
)
def test_six_tokens_with_the_vectors_and_places_of_a_kept_sentence_fit_a_screen(
    script: PageScript, d_in: int, second: str, more: dict[str, Any]
) -> None:
    scenario = Scenario("the fluffy cat chased a mouse", reads="kept", second=second, d_in=d_in, **more)
    data = board_data(scenario, trace(scenario), 0, 4)
    assert script.run(_WIDTH, [data, {"width": 1318, "tokens": len(scenario.read_tokens)}]) <= 1318
