"""What a model's numbers are for: the next token, and how alike two sentences are, by the published formulas."""

import itertools

import pytest
import torch

from attnviz import look_into
from attnviz.models import INCLUDED, load, sentence_vector, similarity

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
