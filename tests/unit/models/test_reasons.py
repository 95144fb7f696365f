"""Why this word: what each part gives sums up to the score, and what is put in its place from another text moves it."""

from typing import Any

import pytest
import torch

from attnviz import ModelTrace, look_into
from attnviz.models.reasons import moved, patched
from tests.unit.small_models import DECODERS, TEXT, bart, tokenizer

ADDING = [name for name in DECODERS if name != "Bloom"]
OTHER = "the mat was tired because the cat sat on it"


def view_of(name: str, text: str = TEXT, edits: tuple[str, ...] = ()) -> ModelTrace:
    return look_into(DECODERS[name](), tokenizer(), text, edits=edits)


@pytest.mark.parametrize("edits", [(), ("0.1.off", "1.even", "1.2.v.3.1=2.0")])
@pytest.mark.parametrize("name", ADDING)
def test_what_each_part_gives_sums_up_to_the_score(name: str, edits: tuple[str, ...]) -> None:
    view = view_of(name, edits=edits)
    for token in (0, 5):
        why = view.why(token)
        assert why.logit == float(view.result.logits[0, -1, token])
        assert sum(part.value for part in why.parts) == pytest.approx(why.logit, abs=1e-5)
        for part in why.parts:
            if part.kind == "head":
                assert float(why.keys[part.layer, part.head].sum()) == pytest.approx(part.value, abs=1e-6)
    if edits:
        (off,) = [part for part in why.parts if (part.layer, part.head) == (0, 1)]
        assert off.value == 0.0


def test_what_a_head_and_a_feed_forward_layer_give_is_what_they_add() -> None:
    """GPT-2 by its own modules: its last layer norm with the scale that it had."""
    view, model = view_of("GPT-2"), DECODERS["GPT-2"]()
    ids, body, token = torch.tensor([view.cut["input_ids"]]), model.transformer, 5
    with torch.no_grad():
        states: Any = model(ids, output_hidden_states=True).hidden_states
        block, context = body.h[1], view.heads[1, 2].context
        only = torch.zeros(1, 24)
        only[0, 12:18] = context[-1]  # the third of four heads
        added = block.attn.c_proj(only) - block.attn.c_proj(torch.zeros(1, 24))
        attended = block.attn(block.ln_1(states[1]))[0]
        fed = block.mlp(block.ln_2(states[1] + attended))[0, -1]
        x = (states[1] + attended)[0, -1] + fed
        scale = (x.var(unbiased=False) + body.ln_f.eps).sqrt()
        expected = [float((each - each.mean()) / scale * body.ln_f.weight @ model.lm_head.weight[token])
                    for each in (added[0], fed)]  # fmt: skip
    parts = view.why(token).parts
    found = [next(each.value for each in parts if (each.kind, each.layer, each.head) == which)
             for which in (("head", 1, 2), ("feed_forward", 1, None))]  # fmt: skip
    assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("edits", [(), ("0.1.off", "1.even", "0.0.w_q.2.1=3.0")])
@pytest.mark.parametrize("name", ADDING)
def test_a_text_put_into_itself_moves_nothing_and_another_one_does(name: str, edits: tuple[str, ...]) -> None:
    """Of a model that is changed, too: both texts are read by that."""
    plain, other = view_of(name), view_of(name, OTHER)
    view = view_of(name, edits=edits) if edits else plain
    assert bool((moved(view, plain) == 0).all())
    for layer, token in ((0, 0), (0, 4), (1, len(view.tokens) - 1)):
        assert torch.equal(patched(view, plain, layer, token), view.result.logits[0, -1])
        frozen = patched(view, plain, layer, token, frozen=True)
        torch.testing.assert_close(frozen, view.result.logits[0, -1], rtol=0, atol=1e-6)
    found = moved(view, other)
    assert found.shape == (2, len(view.tokens))
    plain = view.result.logits[0, -1].softmax(-1)
    for layer, token in ((0, 2), (1, 3), (1, len(view.tokens) - 1)):
        scores = patched(view, other, layer, token)
        assert float(found[layer, token]) == pytest.approx(
            float((scores.softmax(-1) - plain).abs().sum() / 2), abs=1e-6
        )
    assert float(found[1, :-1].max()) == 0.0  # nothing reads what the last layer makes of tokens before the last
    last = patched(view, other, 1, len(view.tokens) - 1)  # all that the last score is made of is the other's
    others = view_of(name, OTHER, edits) if edits else other
    torch.testing.assert_close(last, others.result.logits[0, -1], rtol=0, atol=1e-6)


def test_with_frozen_attention_tokens_read_each_other_as_before() -> None:
    """GPT-2 by its own modules: its second block with the weights that it had, of what the first makes of another."""
    view, other, model, token = view_of("GPT-2"), view_of("GPT-2", OTHER), DECODERS["GPT-2"](), 4
    body = model.transformer
    with torch.no_grad():
        mine, theirs = (model(torch.tensor([each.cut["input_ids"]]), output_hidden_states=True).hidden_states[1]
                        for each in (view, other))  # fmt: skip
        x, block = mine.clone(), body.h[1]
        x[0, token] = theirs[0, token]
        values = block.attn.c_attn(block.ln_1(x))[0, :, 48:].view(-1, 4, 6).transpose(0, 1)
        x = x + block.attn.c_proj((view.layers[1].weights @ values).transpose(0, 1).flatten(1))
        expected = model.lm_head(body.ln_f(x + block.mlp(block.ln_2(x))))[0, -1]
    found = patched(view, other, 0, token, frozen=True)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-6)
    assert not torch.allclose(found, patched(view, other, 0, token), atol=1e-6)


def test_a_changed_number_of_the_text_holds_where_another_one_is_put_in() -> None:
    """It can't be computed of several texts at once, and the map is what each place gives alone."""
    view, other = view_of("GPT-2", edits=("0.1.v.3.1=2.0",)), view_of("GPT-2", OTHER)
    plain, found = view.result.logits[0, -1].softmax(-1), moved(view, other)
    for layer, token in ((0, 2), (1, 11)):
        apart = (patched(view, other, layer, token).softmax(-1) - plain).abs().sum() / 2
        assert float(found[layer, token]) == pytest.approx(float(apart), abs=1e-6)


def test_what_adds_otherwise_or_cant_write_is_refused() -> None:
    view = view_of("Bloom")
    with pytest.raises(ValueError, match="scores a word otherwise"):
        view.why(5)
    with pytest.raises(ValueError, match="can't write on"):
        look_into(bart(), tokenizer(), "the cat").why(5)
    with pytest.raises(ValueError, match="expected no changes of it"):
        moved(view_of("GPT-2"), view_of("GPT-2", edits=("0.0.off",)))
    with pytest.raises(ValueError, match="can't be token"):
        view_of("GPT-2").why(10**6)
