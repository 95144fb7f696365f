"""Masks: every kind equals its referee, hides what it says, and follows into each place from its numbers alone."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario, UndefinedAttentionError, attend, explain, trace
from attnviz.core.changes import Changes, carry_over, changes_of, edit_cells
from attnviz.core.errors import RefusedError
from attnviz.core.matrix_input import Edit
from attnviz.core.scenario import traced
from attnviz.core.settings import fitted
from attnviz.explanation.masking import leaks
from attnviz.explanation.summary import attends_most, out_of_the_ordinary
from attnviz.link.set_up import query_of, scenario_from_query
from attnviz.marking import mark_pipeline
from attnviz.words import say
from attnviz.words.numbers import written
from tests.unit.helpers import random_inputs
from tests.whole import examples

WORDS = ("the", "cat", "sat", "on", "a", "mat", "again")
HIDDEN = -math.inf


@st.composite
def masked(draw: st.DrawFn) -> Scenario:
    """A scenario with a mask of any kind, in which every token may read another, or itself."""
    n = draw(st.integers(2, 7))
    numbers = st.sampled_from([0.0, 0.0, HIDDEN, -1e4, 0.5])
    painted = draw(st.lists(st.lists(numbers, min_size=n, max_size=n), min_size=n, max_size=n))
    painted = [[0.0 if row == column else each for column, each in enumerate(line)] for row, line in enumerate(painted)]
    mask: Any = draw(
        st.sampled_from(["causal", "window:1", f"window:{n - 1}", f"padding:{n - 1}", "not-self", painted])
    )
    heads = draw(st.sampled_from([(1, None), (2, None), (4, 2)]))
    return Scenario(
        " ".join(WORDS[:n]), mask=mask, d_in=3, d_out=4, n_heads=heads[0], n_kv_heads=heads[1], init="normal",
        scale=draw(st.booleans()), temperature=draw(st.sampled_from([1.0, 0.5])), seed=draw(st.integers(0, 50)),
    )  # fmt: skip


@given(st.integers(1, 7), st.integers(1, 9))
def test_each_kind_hides_what_it_says(n: int, size: int) -> None:
    text = " ".join(WORDS[:n])
    places = np.subtract.outer(np.arange(n), np.arange(n))  # how far a key comes before its query
    expected = {
        "causal": places < 0,
        f"window:{size}": (places < 0) | (places >= size),
        f"padding:{size}": np.broadcast_to(np.arange(n) >= n - size, (n, n)),
        "not-self": places == 0,
        "painted": np.zeros((n, n), dtype=bool),
    }
    for mask, hidden in expected.items():
        made = traced(Scenario(text, mask=mask))
        assert (made.is_hidden == hidden).all()
        assert (made.matrices["mask"][~torch.from_numpy(hidden.copy())] == 0).all()
        for name in ("mask", "scaled_scores", "attention_weights"):
            masked_in = made.masked_in(name)
            assert masked_in is not None
            assert np.array_equal(masked_in, hidden)
        for row in range(n):
            for column in range(n):
                assert explain(made, "attention_weights", row, column).masked == hidden[row, column]


def test_a_window_of_all_tokens_is_causal_and_nothing_painted_is_no_mask() -> None:
    text = "the cat sat on a mat"
    causal, window = (trace(Scenario(text, mask=mask)) for mask in ("causal", "window:6"))
    assert window.causal
    for name in causal.matrices:
        assert torch.equal(causal[name], window[name])
    plain, painted = trace(Scenario(text)), trace(Scenario(text, mask="painted"))
    assert torch.equal(plain.attention_weights, painted.attention_weights)
    assert "mask" not in plain.stages
    assert plain.mask is None


def test_the_causal_mask_is_the_switch_and_the_name() -> None:
    assert Scenario(mask="causal") == Scenario(causal=True)
    assert Scenario(mask="none") == Scenario()
    assert Scenario(mask="window:3") == Scenario(masking="window", mask_size=3)
    assert query_of(Scenario(embedding="published", mask="causal")) == "causal=true"
    assert replace(Scenario(mask="causal"), causal=False) == Scenario()
    assert replace(Scenario(mask="window:3"), mask="not-self").masked_as == "not-self"


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"causal": True, "mask": "window:2"}, "two_masks"),
        ({"causal": True, "mask": "none"}, "two_masks"),
        ({"causal": True, "masking": "padding"}, "two_masks"),
        ({"mask": "window"}, "mask"),
        ({"mask": "window:-1"}, "mask"),
        ({"mask": "causal:2"}, "mask"),
        ({"mask": "diagonal"}, "mask"),
        ({"mask": [[0.0]]}, "shape"),
        ({"mask": [[0.0, math.inf]] * 2, "text": "a b"}, "not_finite"),
        ({"mask": [[0.0, math.nan]] * 2, "text": "a b"}, "not_finite"),
        ({"edits": [("mask", 0, 0, 0.0)]}, "mask_off"),
        ({"causal": True, "edits": [("mask", 0, 0, math.inf)]}, "not_finite"),
        ({"causal": True, "edits": [("w_q", 0, 0, HIDDEN)]}, "not_finite"),
        ({"causal": True, "edits": [("mask", 0, 6, 0.0)]}, "outside"),
    ],
)
def test_what_is_no_mask_is_refused(arguments: dict[str, Any], kind: str) -> None:
    with pytest.raises(RefusedError) as refused:
        Scenario(**arguments)
    assert refused.value.kind == kind


@pytest.mark.parametrize("mask", ["window:0", "padding:0", "window:1025"])
def test_a_mask_counts_tokens_that_there_may_be(mask: str) -> None:
    with pytest.raises(ValueError, match="mask_size is"):
        Scenario(mask=mask)


def test_a_page_uses_the_causal_mask_where_both_are_on() -> None:
    given = {
        "n_layers": 1,
        "d_in": 3,
        "n_heads": 1,
        "n_kv_heads": None,
        "d_out": 2,
        "d_v": None,
        "positions": "none",
        "norm": "none",
    }
    values, refused = fitted({**given, "causal": True, "masking": "window", "mask_size": 2}, 6)
    assert (values["masking"], [error.kind for error in refused]) == ("none", ["two_masks"])
    scenario, (said,) = scenario_from_query("causal=true&masking=not-self")
    assert scenario == Scenario(embedding="published", causal=True)
    assert "not-self" in said


@pytest.mark.parametrize(("mask", "row"), [("not-self", 0), ("padding:1", 0), ("padding:9", 0), ([[HIDDEN]], 0)])
def test_a_row_that_may_read_nothing_is_named(mask: Any, row: int) -> None:
    with pytest.raises(UndefinedAttentionError, match=rf"row {row} \('cat'\)") as undefined:
        trace(Scenario("cat", mask=mask))
    assert undefined.value.rows == (row,)
    with pytest.raises(UndefinedAttentionError):
        trace(Scenario("cat", mask=mask, n_heads=2, d_out=2))


def test_a_score_of_infinity_is_hidden_too() -> None:
    huge = Scenario("a b", mask="causal", w_q="zeros", edits=[("w_q", 0, 0, 3e38), ("x", 0, 0, 10), ("x", 1, 0, -10)])
    assert traced(huge).scaled_scores[0, 1] == HIDDEN


def test_cells_are_painted_and_taken_back() -> None:
    scenario = edit_cells(Scenario("a b c", mask="painted"), {("mask", 0, 2): HIDDEN, ("mask", 1, 0): -1e4})
    assert trace(scenario).attention_weights[0, 2] == 0
    again, ignored = scenario_from_query(query_of(scenario))
    assert (again, ignored) == (scenario, [])
    assert edit_cells(scenario, {("mask", 0, 2): None, ("mask", 1, 0): None}) == Scenario("a b c", mask="painted")
    opened = edit_cells(Scenario("a b c", mask="causal"), {("mask", 0, 1): 0.0})
    assert not trace(opened).causal
    assert trace(opened).attention_weights[0, 1] > 0


def test_what_was_painted_stays_with_its_kind_and_its_places() -> None:
    painted = Changes((Edit("mask", 0, 1, HIDDEN), Edit("mask", 2, 2, -1.0)))
    old = Scenario("a b c", mask="window:2")
    assert carry_over(painted, old, Scenario("d e f", mask="window:2", seed=7)) == (painted, Changes())
    kept, dropped = carry_over(painted, old, Scenario("a b", mask="window:2"))
    assert [each.edits for each in (kept, dropped)] == [painted.edits[:1], painted.edits[1:]]
    for other in ("window:1", "causal", "not-self"):
        assert carry_over(painted, old, Scenario("a b c", mask=other)) == (Changes(), painted)
    given = Scenario("a b", mask=[[0, HIDDEN], [0, 0]])
    assert carry_over(changes_of(given), Scenario("a b"), Scenario("a b c"))[1] == changes_of(given)


@pytest.mark.parametrize(
    ("mask", "cell", "said"),
    [
        ("causal", (1, 2), "key 2 “c” comes after query 1 “b”, and no token may read a later one"),
        ("window:2", (3, 1), "key 1 “b” comes too early for query 3 “d”: each token reads only the last 2"),
        ("window:2", (0, 1), "no token may read a later one"),
        ("padding:2", (0, 3), "no token may read key 3 “d”"),
        ("not-self", (1, 1), "no token may read itself"),
        ([[0, 0, HIDDEN, 0], *[[0] * 4] * 3], (0, 2), "query 0 “a” may not read key 2 “c”"),
    ],
)
def test_it_is_said_why_a_cell_is_masked(mask: Any, cell: tuple[int, int], said: str) -> None:
    explanation = explain(trace(Scenario("a b c d", mask=mask)), "scaled_scores", *cell)
    assert said in explanation.words
    assert explanation.masked
    assert explanation.value == explanation.exact == HIDDEN
    assert explanation.steps[-1].startswith("→ −∞")


def test_a_number_of_the_mask_is_added_in_words_and_numbers() -> None:
    made = trace(Scenario("a b", mask="painted", edits=[("mask", 0, 1, -1.5)]))
    explanation = explain(made, "scaled_scores", 0, 1)
    assert explanation.symbols.endswith("/ √d_k + M[0, 1]")
    assert " − 1.5000" in explanation.numbers
    assert [cells.symbols for cells in explanation.sources] == ["S[0, 1]", "M[0, 1]"]
    assert abs(explanation.value - explanation.exact) <= explanation.tolerance
    assert "+" not in explain(made, "scaled_scores", 0, 0).symbols


@pytest.mark.parametrize(
    ("mask", "query", "said"),
    [
        ("window:1", 1, "All other tokens are masked for “b”, so it can read nothing but itself"),
        ([[HIDDEN, 0, HIDDEN], [0] * 3, [0] * 3], 0, "“a” can read nothing but “b”"),
        ("padding:1", 0, "“a” reads the 2 tokens that it may read equally"),
        ("window:2", 1, "“b” reads itself and the token before it equally"),
        ("window:2", 2, "“c” reads the 2 tokens that it may read equally"),
    ],
)
def test_what_is_read_is_said_of_what_may_be_read(mask: Any, query: int, said: str) -> None:
    made = trace(Scenario("a b c", mask=mask, w_q="zeros"))
    assert attends_most(made, query, 4).startswith(said)
    (note,) = out_of_the_ordinary(made)
    assert note.startswith(f"{int(made.is_hidden.sum())} of 9 scaled scores are masked")


def test_a_handout_with_its_mask_is_marked() -> None:
    inputs = random_inputs(4, 3, 2, 2)
    mask = torch.tensor([[0, HIDDEN, 0, 0], [0, 0, HIDDEN, 0], [0, 0, 0, HIDDEN], [HIDDEN, 0, 0, 0]])
    made = attend(**inputs, mask=mask)
    tables = {name: made[name].double().numpy().round(6) for name in made.matrices}
    assert mark_pipeline(tables, decimals=6).first_wrong is None
    tables["attention_weights"][0, 1] = 0.25
    first = mark_pipeline(tables, decimals=6).first_wrong
    assert first is not None
    assert first[0].stage.name == "attention_weights"


# What learners do with a mask in place of adding it


@given(masked())
@settings(max_examples=examples(40), deadline=None)
def test_what_is_renormalized_after_the_softmax_is_what_was_masked_before(scenario: Scenario) -> None:
    before, after = trace(scenario), traced(replace(scenario, mask_use="renormalized"))
    torch.testing.assert_close(after.attention_weights, before.attention_weights, rtol=1e-3, atol=1e-5)


def test_what_goes_to_hidden_tokens_is_told() -> None:
    text = "the cat sat on a mat"
    for use in ("added", "zeroed", "renormalized"):
        assert (leaks(trace(Scenario(text, causal=True, mask_use=use))) == 0).all()
    factor = trace(Scenario(text, causal=True, mask_use="factor"))
    given_to = factor.attention_weights.triu(1).sum(-1)
    assert np.allclose(leaks(factor)[0], given_to.numpy())
    notes = out_of_the_ordinary(factor)
    assert say("summary.mask.factor") in notes
    mean, most = (written(each.item(), 2) for each in (given_to.mean(), given_to.max()))
    assert say("summary.mask.leak", mean=mean, most=most) in notes
    weak = trace(Scenario("a b", mask=[[0, -1e4], [0, 0]]))
    assert say("summary.mask.leak", mean="0.00", most="0.00") in out_of_the_ordinary(weak)
    zeroed = trace(Scenario(text, causal=True, mask_use="zeroed"))
    low, high = (written(each.item(), 2) for each in (zeroed.attention_weights.sum(-1).aminmax()))
    assert say("summary.mask.sums", low=low, high=high) in out_of_the_ordinary(zeroed)


@pytest.mark.parametrize("use", ["added", "factor", "zeroed", "renormalized"])
def test_a_row_that_may_read_nothing_says_so_in_each_use(use: str) -> None:
    scenario = Scenario("a b c", mask=[[HIDDEN] * 3, [0] * 3, [0] * 3], mask_use=use)
    made = traced(scenario)
    notes = out_of_the_ordinary(made)
    assert say(f"summary.nothing.{use}", names=say("summary.named", token="a")) in notes
    assert not any("Smaller numbers" in note for note in notes)
    row = made.attention_weights[0]
    if use in ("added", "renormalized"):
        assert row.isnan().all()
        with pytest.raises(UndefinedAttentionError, match=r"row 0 \('a'\)"):
            trace(scenario)
        assert attends_most(made, 0, 4) == say("summary.reads.nothing", token="a")
    elif use == "zeroed":
        assert (row == 0).all()
        assert attends_most(made, 0, 4) == say("summary.reads.nothing", token="a")
    else:
        torch.testing.assert_close(row, torch.full((3,), 1 / 3))


@pytest.mark.parametrize("n_heads", [1, 2])
@pytest.mark.parametrize(("number", "kind"), [(-1e3, "finite"), (-2e5, "rounded"), (-1e9, "swallowed")])
def test_of_a_row_of_large_numbers_it_is_said_what_float32_leaves_of_its_scores(
    number: float, kind: str, n_heads: int
) -> None:
    """By the same softmax in float64, which has digits for both."""
    scenario = Scenario("a b c", d_out=4, n_heads=n_heads, mask=[[number] * 3, [0] * 3, [0] * 3])
    made = trace(scenario)
    told = [note for note in out_of_the_ordinary(made) if note.startswith("Nothing may be read")]
    assert told == [say(f"summary.nothing.{kind}", names=say("summary.named", token="a"))]
    for head in made.heads:
        scores = head.scores[0].double() / head.divisor
        row = head.attention_weights[0].double()
        assert torch.allclose(row, torch.softmax(scores, -1), atol=1e-4) == (kind == "finite")
        assert torch.allclose(row, torch.full_like(row, 1 / 3), atol=1e-6) == (kind == "swallowed")
        lost = say("explanation.scale.swallowed", mask=written(number, 4), dtype="float32",
                   score=written(scores[0].item(), 4))  # fmt: skip
        assert (lost in explain(head, "scaled_scores", 0, 0).notes) == (kind == "swallowed")


@pytest.mark.parametrize("use", ["renormalized", "linear"])
def test_what_float32_leaves_nothing_of_is_said_to_be_too_small(use: str) -> None:
    """No score overflows, and no mask hides the row: what it shares out is 0 in float32."""
    if use == "linear":
        keys: dict[str, Any] = {"w_q": [[1.0]] * 2, "w_k": [[-110.0], [-120.0]], "w_v": [[1.0], [2.0]]}
        scenario = Scenario("a b", d_in=2, d_out=1, x="identity", weighting="linear", **keys)
    else:
        keys = {"w_q": [[20.0, 0], [0, 20]], "w_k": [[0, 20.0], [20, 0]]}
        scenario = Scenario("a b", d_in=2, x="identity", causal=True, mask_use=use, **keys)
    made, row = traced(scenario), 0
    assert torch.isfinite(made.scaled_scores).all()
    assert made.attention_weights[row].isnan().all()
    lost = int(made.attention_weights.isnan().any(-1).sum())
    notes = out_of_the_ordinary(made)
    assert say("summary.notes.lost", n=lost, count=2) in notes
    assert not any("overflow" in note for note in notes)
    assert attends_most(made, row, 4) == say("summary.reads.lost", token="a")
    told = explain(made, "attention_weights", row, 0)
    assert told.notes[-1] == say("explanation.trouble.too_little_left", dtype="float32")
    assert told.steps[-2].endswith(" / 0.0000"), told.steps
    assert told.steps[-1] == "→ NaN"
    with pytest.raises(UndefinedAttentionError, match="expected at least one key that isn't too small for float32"):
        trace(scenario)


def test_of_many_rows_that_may_read_nothing_the_first_are_named() -> None:
    notes = out_of_the_ordinary(traced(Scenario("a b c d e", mask=[[HIDDEN] * 5] * 5)))
    assert any(note.startswith("Nothing may be read by “a”, “b”, “c” and 2 more: ") for note in notes)
    notes = out_of_the_ordinary(traced(Scenario("a b c", mask=[[HIDDEN] * 3] * 3)))
    assert any(note.startswith("Nothing may be read by “a”, “b” and “c”: ") for note in notes)


@pytest.mark.parametrize(("use", "even"), [("added", True), ("renormalized", True), ("zeroed", False)])
def test_an_even_share_is_told_where_rows_sum_to_1_alone(use: str, even: bool) -> None:
    made = trace(Scenario("the cat sat on the mat", causal=True, mask_use=use))
    said = attends_most(made, 4, 4)
    assert ("even share" in said) == even == bool(torch.allclose(made.attention_weights[4].sum(), torch.tensor(1.0)))
