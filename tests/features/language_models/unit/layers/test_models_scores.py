"""What a model does to its scores, what a head gives to the output, and what a model says of whole sentences."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz import explain, look_into
from attnviz.core.attention import AttentionTrace
from attnviz.core.limits import RefusedError
from attnviz.explanation.summary import attends_most, reads_most
from attnviz.features.language_models.inside import similarity
from attnviz.features.language_models.inside.pieces import pieces_of
from attnviz.words.numbers import percent, significant
from tests.unit.small_models import MODELS, TEXT, bart, gemma2, gpt_oss, scaled_by_layer, t5, tokenizer


def said_of(trace: AttentionTrace, name: str) -> str:
    """What is said of a cell that no mask hides."""
    return explain(trace, name, 4, 1).text


def test_d_k_is_the_width_of_a_head_and_another_divisor_is_said_as_that() -> None:
    for layer, trace in (
        (place[0], trace) for place, trace in look_into(scaled_by_layer(), tokenizer(), TEXT).heads.items()
    ):
        told = said_of(trace, "scaled_scores")
        assert ("d_k = 8, the width of a key" in told) == (layer == 0)
        assert ("the model's own number" in told) == (layer > 0)
        if layer:
            root = 8 * (layer + 1) ** 2  # or its number, where the model's own is a rounding away
            assert f"divided by √{root}, " in told or f"divided by {significant(math.sqrt(root))}, " in told
    for trace in look_into(t5(), tokenizer(), TEXT, target="der kater sat on").heads.values():
        assert "undivided (this model doesn't divide here)" in said_of(trace, "scaled_scores")
        assert "doesn't divide" in trace.stages["scaled_scores"].plain
        assert "as this model does" not in trace.stages["scaled_scores"].plain
    assert "d_k = 6" in said_of(look_into(MODELS["BERT"](), tokenizer(), TEXT).heads[0, 0], "scaled_scores")


@pytest.mark.parametrize("cap", [0.5, None])
def test_a_cap_is_a_stage_and_softmax_gets_what_it_is_said_to_get(cap: float | None) -> None:
    model = gemma2(cap)
    view = look_into(model, tokenizer(), TEXT)
    for trace in view.heads.values():
        scores = trace["q_rotated"] @ trace["k_rotated"].mT * 5**-0.5
        capped = scores if cap is None else cap * torch.tanh(scores / cap)
        if cap is not None:
            assert (scores - capped).abs().max() > 0.1  # or it could be missing
            torch.testing.assert_close(trace["capped_scores"], capped, rtol=1e-5, atol=1e-5)
            assert "tanh" in said_of(trace, "capped_scores")
        seen = trace.scaled_scores > -math.inf
        torch.testing.assert_close(trace.scaled_scores[seen], capped[seen], rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(trace.scaled_scores.softmax(-1), trace.attention_weights)
        assert ("capped_scores" in trace.stages) == (cap is not None)
        assert trace.stages["attention_weights"].rule is not None
        assert not trace.notices
        divided = said_of(trace, "scaled_scores" if cap is None else "divided_scores")
        assert "divided by √5, the model's own number" in divided


def test_what_a_sink_takes_is_said_in_numbers_and_no_row_is_said_to_sum_to_1() -> None:
    model = gpt_oss()
    view = look_into(model, tokenizer(), TEXT)
    for (number, head), trace in view.heads.items():
        stage = trace.stages["attention_weights"]
        takes = 1 - trace.attention_weights.sum(-1)
        assert takes.max() > 0.02
        least, most = (percent(float(each)) for each in torch.aminmax(takes))
        sink = significant(model.layers[number].self_attn.sinks[head].item())
        assert all(text in stage.plain for text in (f"{least} to {most} of a row", f"a number, {sink},"))
        assert f"{least} to {most}, goes to the sink" in stage.meaning
        assert not any("sum to 1" in text or "sums to 1" in text for text in (stage.plain, stage.meaning, stage.short))
        beside = torch.cat(
            [
                trace.scaled_scores,
                torch.full((len(trace.tokens), 1), model.layers[number].self_attn.sinks[head].item()),
            ],
            -1,
        ).double()
        torch.testing.assert_close(trace.attention_weights.double(), beside.softmax(-1)[:, :-1], rtol=1e-4, atol=1e-6)
        assert stage.rule is not None
        assert not trace.notices
        assert f"and of the sink's number, {sink}" in said_of(trace, "attention_weights")
        for query in range(1, len(trace.tokens)):
            assert not any(
                "even share" in told for told in (attends_most(trace, query, 4), *reads_most(trace, query, 4)[:1])
            )
        measured = view.measured(number, head)
        assert measured is not None
        assert measured.most is None  # of rows that don't sum to 1 there is no entropy
    halves = look_into(gpt_oss().bfloat16(), tokenizer(), TEXT)
    for place, trace in halves.heads.items():
        own = halves.layers[place[0]].weights[place[1]].float()
        torch.testing.assert_close(trace.attention_weights, own, rtol=0.05, atol=0.01)
    even = look_into(model, tokenizer(), TEXT, edits=["1.even"]).heads[1, 2]
    assert "sums to 1" in even.stages["attention_weights"].plain
    torch.testing.assert_close(even.attention_weights.sum(-1), torch.ones(len(even.tokens)))


def test_weights_that_are_not_the_softmax_of_the_scores_are_not_said_to_be() -> None:
    """As of a model that does something of its own, which isn't known, whatever its precision."""
    for model in (gpt_oss(), gpt_oss().bfloat16()):
        view = look_into(model, tokenizer(), TEXT)
        object.__setattr__(view.attending_at(1).attended, "sinks", None)
        trace = view.heads[1, 3]
        torch.testing.assert_close(trace.attention_weights, view.layers[1].weights[3].float())
        assert "as softmax gets them" not in trace.stages["scaled_scores"].plain + trace.stages["scaled_scores"].meaning
        assert not any("sums to 1" in text for text in (trace.stages["attention_weights"].plain, *trace.notices))


BOTH = {"BART": bart, "T5": t5}  # an encoder, a decoder, and the decoder's attention to the encoder


@pytest.mark.parametrize("name", [*MODELS, *BOTH])
def test_the_parts_of_all_heads_and_the_bias_sum_to_what_the_model_makes_of_them(name: str) -> None:
    view = look_into((MODELS | BOTH)[name](), tokenizer(), TEXT, target="der kater" if name in BOTH else None)
    outputs = [layer.attended.output for layer in view.attending]
    assert len({output and output.pointer for output in outputs}) == len(view.layers)
    for layer in view.attending:
        parts = [layer.output(head) for head in range(layer.n_heads)]
        found = layer.attended.output
        assert found is not None
        total = torch.stack([part["output"].double() for part in parts if part is not None]).sum(0)
        total = total if found.bias is None else total + found.bias
        torch.testing.assert_close(total.float(), found.product, rtol=1e-5, atol=1e-6)
        for head, part in enumerate(parts):
            assert part is not None
            own = layer.head(head)
            assert list(part.stages) == [*own.stages, "w_o", "output"]
            assert all(torch.equal(part[each], own[each]) for each in own.stages)
            explained = explain(part, "output", 1, 3)
            torch.testing.assert_close(explained.value, part["output"][1, 3].item(), rtol=1e-4, atol=1e-6)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6), max_size=6))
def test_what_was_typed_is_always_in_its_word_at_its_place(words: list[str]) -> None:
    text, spans, at = " ".join(words), [], 0
    for word in words:
        spans += [(at + i, at + i + 1) for i in range(len(word))]
        at += len(word) + 1
    for piece in pieces_of(text, spans):
        assert piece.typed in piece.word
        assert text[piece.at : piece.at + len(piece.word)] == piece.word


@pytest.mark.parametrize("where", ["values", "norm"])
def test_a_model_whose_weights_of_attention_alone_are_numbers_is_refused(where: str) -> None:
    model = MODELS["GPT-2"]()
    with torch.no_grad():
        if where == "values":
            model.transformer.h[1].attn.c_attn.weight[:, 48:] = torch.nan
        else:
            model.transformer.ln_f.weight[3] = torch.nan
    with pytest.raises(RefusedError) as refused:
        look_into(model, tokenizer(), TEXT)
    assert refused.value.kind == "model_answer_not_finite"


# The first example of the documentation of sentence-transformers, with its similarities for this model.
SENTENCES = ("The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium.")
PUBLISHED = {(0, 1): 0.6660, (0, 2): 0.1046, (1, 2): 0.1411}


def test_two_sentences_are_as_alike_as_is_published() -> None:
    views = [look_into("all-MiniLM-L6-v2", text=text) for text in SENTENCES]
    for (one, other), published in PUBLISHED.items():
        assert similarity(views[one], views[other]) == pytest.approx(published, abs=5e-5)
    assert similarity(views[0], views[0]) == pytest.approx(1.0, abs=1e-12)
