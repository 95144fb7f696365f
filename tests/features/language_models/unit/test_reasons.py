"""Why this word: what each part gives sums up to the score, and what is put in its place from another text moves it."""

from typing import Any

import pytest
import torch

from attnviz import ModelTrace, look_into
from attnviz.features.language_models.inside.logit_attribution import moved, patched
from tests.unit.small_models import DECODERS, TEXT, WORDS, bart, tokenizer

ADDING = list(DECODERS)
SIZES = {"vocab_size": len(WORDS), "hidden_size": 24, "intermediate_size": 32, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 6, "max_position_embeddings": 64,
         "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}  # fmt: skip
# Norms behind parts, multiplied parts and scores, capped scores.
SCALED: dict[str, dict[str, Any]] = {
    "Olmo2": {},
    "Granite": {"residual_multiplier": 0.3, "embedding_multiplier": 5.0, "logits_scaling": 4.0},
    "Gemma2": {"final_logit_softcapping": 0.5, "query_pre_attn_scalar": 6},
    "Cohere": {"logit_scale": 0.25},
}
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


def scaled(name: str) -> Any:
    import transformers

    config = getattr(transformers, f"{name}Config")(**SIZES, **SCALED[name])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        model = getattr(transformers, f"{name}ForCausalLM")(config).eval()
        for each in model.parameters():  # norms have scales, and vectors a mean, of their own
            each.data += 0.2 * torch.randn_like(each)
    return model


@pytest.mark.parametrize("edits", [(), ("0.1.off", "1.even")])
@pytest.mark.parametrize("name", SCALED)
def test_parts_that_are_scaled_sum_up_to_the_models_own_score(name: str, edits: tuple[str, ...]) -> None:
    model = scaled(name)
    view = look_into(model, tokenizer(), TEXT, edits=edits)
    if not edits:
        with torch.no_grad():
            own = model(torch.tensor([view.cut["input_ids"]])).logits[0, -1]
    for token in (0, 5, 9):
        why = view.why(token)
        logit = float(view.result.logits[0, -1, token]) if edits else float(own[token])
        assert sum(part.value for part in why.parts) == pytest.approx(logit, abs=1e-3 * max(1.0, abs(logit)))
        for part in why.parts:
            if part.kind == "head":
                assert float(why.keys[part.layer, part.head].sum()) == pytest.approx(part.value, abs=1e-5)


@pytest.mark.parametrize("name", ["Granite", "Cohere"])
def test_what_a_multiplied_part_gives_is_what_the_score_loses_without_it(name: str) -> None:
    """A feed-forward layer taken out of the sum, with the last norm's scale as it was."""
    model = scaled(name)
    view, token, made = look_into(model, tokenizer(), TEXT), 5, dict[str, Any]()
    last, norm = model.model.layers[-1], model.model.norm
    last.mlp.register_forward_hook(lambda *of: made.update(fed=of[-1][0, -1].double()))
    norm.register_forward_hook(lambda _, given, __: made.update(x=given[0][0, -1].double()))
    with torch.no_grad():
        model(torch.tensor([view.cut["input_ids"]]))
    x, fed = made["x"], made["fed"] * getattr(model.config, "residual_multiplier", 1.0)
    middle = torch.zeros(24) if name == "Granite" else x.mean()
    fed = fed - (0 if name == "Granite" else fed.mean())
    eps = norm.variance_epsilon
    scale = ((x - middle).square().mean() + eps).rsqrt() * norm.weight.detach().double()
    by = 1 / model.config.logits_scaling if name == "Granite" else model.config.logit_scale
    expected = float(by * (fed * scale) @ model.lm_head.weight[token].detach().double())
    part = next(each for each in view.why(token).parts if (each.kind, each.layer) == ("feed_forward", 1))
    assert part.value == pytest.approx(expected, abs=1e-4)


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
    import transformers

    with torch.random.fork_rng(devices=[]):
        gpt = transformers.OpenAIGPTLMHeadModel(transformers.OpenAIGPTConfig(
            vocab_size=len(WORDS), n_embd=24, n_layer=2, n_head=4, n_positions=64)).eval()  # fmt: skip
    with pytest.raises(ValueError, match="rescales the whole sum"):
        look_into(gpt, tokenizer(), TEXT).why(5)
    with pytest.raises(ValueError, match="can't write on"):
        look_into(bart(), tokenizer(), "the cat").why(5)
    with pytest.raises(ValueError, match="expected no changes of it"):
        moved(view_of("GPT-2"), view_of("GPT-2", edits=("0.0.off",)))
    with pytest.raises(ValueError, match="can't be token"):
        view_of("GPT-2").why(10**6)
