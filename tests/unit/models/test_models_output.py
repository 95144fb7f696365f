"""What a head of a model gives to the output, what its heads read on average, and what was typed of its tokens."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz import explain, look_into
from attnviz.core.limits import RefusedError
from attnviz.models.pieces import pieces_of
from tests.unit.small_models import MODELS, TEXT, bart, t5, tokenizer

BOTH = {"BART": bart, "T5": t5}  # an encoder, a decoder, and the decoder's attention to the encoder


@pytest.mark.parametrize("name", [*MODELS, *BOTH])
def test_the_parts_of_all_heads_and_the_bias_sum_to_what_the_model_makes_of_them(name: str) -> None:
    view = look_into((MODELS | BOTH)[name](), tokenizer(), TEXT, target="der kater" if name in BOTH else None)
    for layer in view.layers:
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


@pytest.mark.parametrize("make", [bart, t5])
def test_each_kind_of_attention_has_its_own_output(make: object) -> None:
    view = look_into(make(), tokenizer(), TEXT, target="der kater")  # type: ignore[operator]
    pointers = [layer.attended.output and layer.attended.output.pointer for layer in view.layers]
    assert None not in pointers
    assert len(set(pointers)) == len(view.layers)


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
