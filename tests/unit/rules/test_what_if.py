"""What if: every switch makes what it says, in plain torch, and follows into each place from its text alone."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario
from attnviz.core.limits import RefusedError
from attnviz.core.scenario import traced
from attnviz.core.settings import fitted
from attnviz.core.what_if import MOST_TYPED, SWITCHES, TYPED, WhatIf
from attnviz.explanation.masking import cut_by_view, key_of, reads_others
from attnviz.explanation.origins import setting_in_words
from attnviz.explanation.summary import out_of_the_ordinary
from attnviz.link.set_up import query_of, scenario_from_query
from attnviz.words import say
from tests.examples import examples
from tests.unit.helpers import every_way

TEXTS = [f"{name}:{setting}" for name, switch in SWITCHES.items() for setting in switch.settings]
ON = [*TEXTS, "typed:0:1:3.5", "typed:1:0:-2,typed:2:2:0.1"]


@pytest.mark.parametrize("text", ON)
@pytest.mark.parametrize("layers", [1, 2])
def test_what_is_on_is_said_not_to_be_what_attention_does(text: str, layers: int) -> None:
    several = 3 if text.startswith("cut") else 1
    scenario = Scenario("a b c", d_in=3, d_out=3, n_layers=layers, n_heads=several, what_if=text)
    made = traced(scenario)
    (key,) = made.switched_on
    note = say(f"what_if.{key.replace('-', '_')}.note")
    assert note in out_of_the_ordinary(made)
    assert note.startswith("Not what attention does")
    assert "attention doesn't do" in say(f"what_if.{key.replace('-', '_')}.more")
    assert not traced(replace(scenario, what_if="")).switched_on
    heads = traced(replace(scenario, n_heads=3))
    assert heads.switched_on == heads.for_head(1).switched_on == (key,)
    assert setting_in_words("what_if", text) != setting_in_words("what_if", "") == say("what_if.usual")
    assert not torch.allclose(made.layers[0].context, traced(replace(scenario, what_if="")).layers[0].context)
    usual = say("stages.scores.axes")
    for stage in (made.for_head(0, 0).stages[name] for name in ("scores", "scaled_scores", "attention_weights")):
        assert (stage.axes == usual) == (key != "scores.keys-first"), "whose rows these are"


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
        ("softmax:sums", {"causal": True}, "what_if_sums"),
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
    left, conflicts = fitted(values | {"what_if": f"{text},scores:cosine"}, 3)
    assert (left["what_if"], [error.kind for error in conflicts]) == ("scores:cosine", [kind])
    scenario, ignored = scenario_from_query(f"{query_of(Scenario('a b c', **others))}&what_if={text}")
    assert scenario == Scenario("a b c", **others)
    assert len(ignored) == 1


@given(every_way().filter(lambda scenario: scenario.what_if))
@settings(max_examples=examples(60), deadline=None)
def test_what_is_said_of_a_switch_holds_of_the_numbers(scenario: Scenario) -> None:
    seen = traced(scenario).for_head(0, 0)
    told = " ".join(say(key_of(each, "more", reads_others(seen))) for each in seen.switched_on)
    weights, finite = seen.attention_weights.double(), bool(seen.attention_weights.isfinite().all())
    if "all queries together hand out 100 %" in told and finite:
        assert float(weights.sum()) == pytest.approx(1, abs=1e-5)
    if "Rows still sum to 1" in told and finite:
        scaled = seen.scaled_scores.double()
        torch.testing.assert_close(weights * scaled.sum(-1, keepdim=True), scaled, atol=1e-4, rtol=1e-4)
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
