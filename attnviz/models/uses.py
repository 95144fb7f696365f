"""What a model's numbers are for: the scores of the next token, and how alike two sentences are."""

from typing import Any

import torch
from torch import Tensor

from attnviz.models.trace import ModelTrace


def has_next(view: ModelTrace) -> bool:
    """Whether a model gives a score to each token that may come next."""
    logits = getattr(view.result, "logits", None)
    decodes = view.original.kinds if view.original is not None else view.kinds
    return isinstance(logits, Tensor) and logits.dim() == 3 and "decoder" in decodes


def text_of(tokenizer: Any, number: int) -> str:
    """Return a token as a text; of one that holds only part of a character, what the tokenizer calls it."""
    text = tokenizer.decode([number], clean_up_tokenization_spaces=False)
    name: str | None = tokenizer.convert_ids_to_tokens([number])[0]
    return name or str(number) if not text or "\ufffd" in text else str(text)


def last_vectors(view: ModelTrace) -> Tensor | None:
    """Return what a model's last layer makes of each token that it read last, ``(n_tokens, d)``: the decoder's, where
    there is one beside an encoder. None where it hands out none."""
    vectors = getattr(view.result, "last_hidden_state", None)
    return vectors[0].detach() if isinstance(vectors, Tensor) and vectors.dim() == 3 else None


def has_vector(view: ModelTrace) -> bool:
    """Whether a model makes one vector of a whole sentence: an encoder alone."""
    kinds = view.original.kinds if view.original is not None else view.kinds
    return kinds == ("encoder",) and isinstance(getattr(view.result, "last_hidden_state", None), Tensor)


def sentence_vector(view: ModelTrace) -> Tensor:
    """Return one vector ``(d,)`` of a whole sentence, in float64: the mean of what an encoder makes of its tokens.

    Raises ``ValueError`` for a model that isn't an encoder alone.

    Source: Reimers and Gurevych 2019, Sentence-BERT, section 3 (mean pooling).
    """
    if not has_vector(view):
        raise ValueError(f"{view.name} makes no vector of a sentence, expected an encoder")
    vectors: Tensor = view.result.last_hidden_state[0].detach().double().cpu()  # of one sentence: none is padding
    return vectors.mean(0)


def similarity(one: ModelTrace, other: ModelTrace) -> float:
    """Return how alike a model finds two sentences: the cosine of their vectors, from -1 to 1.

    >>> from attnviz import look_into
    >>> sunny, lovely = (look_into("all-MiniLM-L6-v2", text=text) for text in
    ...     ("It's so sunny outside!", "The weather is lovely today."))
    >>> round(similarity(sunny, lovely), 3)
    0.666
    """
    mine, others = sentence_vector(one), sentence_vector(other)
    if mine.shape != others.shape:
        raise ValueError(f"vectors have {len(mine)} and {len(others)} numbers, expected two sentences of one model")
    return float(torch.nn.functional.cosine_similarity(mine, others, dim=0))
