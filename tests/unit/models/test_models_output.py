"""What a head gives to the output, what was typed of its tokens, and what a model says of whole sentences."""

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz import explain, look_into
from attnviz.core.limits import RefusedError
from attnviz.models import INCLUDED, load, sentence_vector, similarity
from attnviz.models.pieces import pieces_of
from tests.unit.small_models import MODELS, TEXT, bart, t5, tokenizer

BOTH = {"BART": bart, "T5": t5}  # an encoder, a decoder, and the decoder's attention to the encoder


@pytest.mark.parametrize("name", [*MODELS, *BOTH])
def test_the_parts_of_all_heads_and_the_bias_sum_to_what_the_model_makes_of_them(name: str) -> None:
    view = look_into((MODELS | BOTH)[name](), tokenizer(), TEXT, target="der kater" if name in BOTH else None)
    assert len({layer.attended.output and layer.attended.output.pointer for layer in view.layers}) == len(view.layers)
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


def test_a_sentence_is_the_mean_of_its_tokens_over_the_mask() -> None:
    """The formula of sentence-transformers, on a batch with padding: what is padded counts for nothing."""
    model, tokenizer = load(INCLUDED)
    batch = tokenizer(list(SENTENCES), padding=True, return_tensors="pt")
    with torch.no_grad():
        states = model(**batch).last_hidden_state.double()
    mask = batch["attention_mask"].unsqueeze(-1).double()
    pooled = torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1).clamp(min=1e-9), dim=-1)
    views = [look_into("all-MiniLM-L6-v2", text=text) for text in SENTENCES]
    for view, row in zip(views, pooled, strict=True):
        torch.testing.assert_close(torch.nn.functional.normalize(sentence_vector(view), dim=0), row, rtol=0, atol=1e-6)
    for one, other in itertools.combinations(range(3), 2):
        assert similarity(views[one], views[other]) == pytest.approx(float(pooled[one] @ pooled[other]), abs=1e-6)
