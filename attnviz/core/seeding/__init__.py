"""Seeded matrices and embeddings: PyTorch's random numbers, without its global seed."""

from attnviz.core.seeding.places import POSITIONS, Position, alibi_slopes, position_seed, sinusoidal_positions
from attnviz.core.seeding.vectors import EMBEDDINGS, second_seed, stable_embedding
from attnviz.core.seeding.weights import FLOAT32_ON_CPU, INITIALIZATIONS, INITS, fill, generator_for, seeded_projections

__all__ = [
    "EMBEDDINGS", "FLOAT32_ON_CPU", "INITIALIZATIONS", "INITS", "POSITIONS", "Position", "alibi_slopes",
    "fill", "generator_for", "position_seed", "second_seed", "seeded_projections", "sinusoidal_positions",
    "stable_embedding",
]  # fmt: skip
