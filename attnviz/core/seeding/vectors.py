"""The drawn vectors of tokens."""

import hashlib

import torch
from torch import Tensor

from attnviz.core.limits import in_short
from attnviz.core.published_matrices import PUBLISHED_D_IN, PUBLISHED_VECTORS
from attnviz.core.seeding.initializations import FLOAT32_ON_CPU, generator_for

SEEDED_EMBEDDINGS = ("stable", "table")
EMBEDDINGS = ("published", *SEEDED_EMBEDDINGS)


def stable_embedding(token: str, d_in: int, seed: int) -> Tensor:
    """Return the vector ``(d_in,)`` of one token: standard normal, from its text, `d_in` and `seed` alone.

    The same in every process, whatever other tokens there are.

    >>> bool((stable_embedding("cat", 3, 1) == stable_embedding("cat", 3, 1)).all())
    True
    """
    digest = hashlib.sha256(f"{seed}/{d_in}/{token}".encode("utf-8", "surrogatepass")).digest()
    generator = generator_for(int.from_bytes(digest[:4], "big"))
    return torch.randn(d_in, generator=generator, **FLOAT32_ON_CPU)


def seeded_embeddings(tokens: tuple[str, ...], d_in: int, embedding: str, seed: int) -> Tensor:
    """Return X ``(n_tokens, d_in)``, float32 on the CPU, a row for each token.

    "stable": :func:`stable_embedding` of each. "table": ids are positions among the sorted distinct
    tokens, rows those of ``nn.Embedding(n_distinct, d_in)`` after ``torch.manual_seed(seed)``.

    Raises ``ValueError`` for another embedding.

    >>> seeded_embeddings(("a", "b", "a"), 2, "table", 1).shape
    torch.Size([3, 2])
    """
    if embedding == "stable":
        vectors = {token: stable_embedding(token, d_in, seed) for token in dict.fromkeys(tokens)}
        return torch.stack([vectors[token] for token in tokens])
    if embedding == "table":
        ids = {token: i for i, token in enumerate(sorted(set(tokens)))}
        table = torch.empty(len(ids), d_in, **FLOAT32_ON_CPU).normal_(generator=generator_for(seed))
        return table[[ids[token] for token in tokens]]
    raise ValueError(f"embedding is {in_short(embedding)}, expected one of {', '.join(SEEDED_EMBEDDINGS)}")


def second_seed(seed: int) -> int:
    """Return the seed of the table of a second sentence, made from that of a set-up as :func:`position_seed` is: other
    words have other rows than those of the first sentence."""
    return int.from_bytes(hashlib.sha256(f"{seed}/second".encode()).digest()[:4], "big")


def has_published_vector(token: str, embedding: str, d_in: int) -> bool:
    """Whether a token's vector is a published one with this embedding."""
    return embedding == "published" and d_in == PUBLISHED_D_IN and token in PUBLISHED_VECTORS


def drawn_vectors(tokens: tuple[str, ...], d_in: int, embedding: str, seed: int) -> Tensor:
    """Return the tokens' vectors, ``(n_tokens, d_in)``: "published" ones where there are, "stable" for the others."""
    x = seeded_embeddings(tokens, d_in, "stable" if embedding == "published" else embedding, seed)
    for row, token in enumerate(tokens):
        if has_published_vector(token, embedding, d_in):
            x[row] = torch.tensor(PUBLISHED_VECTORS[token], **FLOAT32_ON_CPU)
    return x
