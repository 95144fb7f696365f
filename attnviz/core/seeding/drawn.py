"""What a set-up draws: the tokens' vectors, their positions, and the weights of all layers, one after the other."""

from dataclasses import dataclass

import torch
from torch import Tensor

from attnviz.core.published_matrices import PUBLISHED_D_IN, PUBLISHED_VECTORS
from attnviz.core.seeding.initializations import FLOAT32_ON_CPU, generator_for
from attnviz.core.seeding.places import alibi_distances, seeded_distances, seeded_positions, sinusoidal_positions
from attnviz.core.seeding.vectors import seeded_embeddings
from attnviz.core.seeding.weights import next_layers, next_output, next_projections


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


def drawn_positions(positions: str, n_tokens: int, d_in: int, seed: int) -> Tensor:
    """Return P ``(n_tokens, d_in)``, of the kind "sinusoidal" or "seeded"."""
    return sinusoidal_positions(n_tokens, d_in) if positions == "sinusoidal" else seeded_positions(n_tokens, d_in, seed)


def drawn_distances(positions: str, n_heads: int, n_tokens: int, seed: int) -> Tensor:
    """Return the numbers by distance ``(n_heads, 2 * n_tokens - 1)``, of the kind "alibi" or "relative"."""
    return alibi_distances(n_heads, n_tokens) if positions == "alibi" else seeded_distances(n_heads, n_tokens, seed)


@dataclass(frozen=True)
class Widths:
    """How many columns each W has: W_q `queries`, W_k `keys`, W_v `values`; W_o and W_2 as many as the context, and W_1
    `hidden` ones, None for no feed-forward step. With `output` there is a W_o."""

    d_in: int
    queries: int
    keys: int
    values: int
    context: int
    output: bool = False
    hidden: int | None = None


def drawn_weights(
    seed: int, init: str, bias: bool, widths: Widths, n_layers: int = 1
) -> tuple[dict[str, Tensor | None], ...]:
    """Return for each layer the projections and their biases, then W_o and b_o, then the layers of the feed-forward
    step, where these are switched on: all from one generator, in this order."""
    generator = generator_for(seed)
    return tuple(_next_weights(generator, init, bias, widths) for _ in range(n_layers))


def _next_weights(generator: torch.Generator, init: str, bias: bool, widths: Widths) -> dict[str, Tensor | None]:
    drawn = next_projections(
        generator, widths.d_in, widths.queries, init, bias, widths.values, widths.keys
    )._asdict()  # fmt: skip
    if widths.output:
        drawn |= next_output(generator, widths.context, init)._asdict()
    if widths.hidden is not None:
        drawn |= next_layers(generator, widths.context, widths.hidden, init)._asdict()
    return drawn
