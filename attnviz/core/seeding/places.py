"""Positions: vectors added to tokens, or numbers by distance, to scores."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from attnviz.core.limits import MAX_TOKENS, Kinds
from attnviz.core.seeding.weights import FLOAT32_ON_CPU, generator_for


def sinusoidal_positions(n_tokens: int, d_in: int, seed: int = 0) -> Tensor:
    """Return P ``(n_tokens, d_in)``: sines and cosines, float64 rounded to float32.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.5.

    >>> sinusoidal_positions(2, 2)
    tensor([[0.0000, 1.0000],
            [0.8415, 0.5403]])
    """
    feature = torch.arange(d_in, dtype=torch.float64, device="cpu")
    wavelengths = 10000 ** (2 * (feature // 2) / d_in)
    angles = torch.arange(n_tokens, dtype=torch.float64, device="cpu")[:, None] / wavelengths
    return torch.where(feature % 2 == 0, angles.sin(), angles.cos()).float()


def position_seed(seed: int) -> int:
    """Return the seed of P, which is derived from the set-up's."""
    return int.from_bytes(hashlib.sha256(f"{seed}/positions".encode()).digest()[:4], "big")


def seeded_positions(n_tokens: int, d_in: int, seed: int) -> Tensor:
    """Return P ``(n_tokens, d_in)``: the first rows of ``nn.Embedding(1024, d_in)``.

    They are standard normal, after ``torch.manual_seed(position_seed(seed))``.

    The table has a row for each possible position, as in a model with learned positions, so that the first tokens keep
    their rows when a text gets longer.
    """
    table = torch.empty(MAX_TOKENS, d_in, **FLOAT32_ON_CPU).normal_(generator=generator_for(position_seed(seed)))
    return table[:n_tokens].clone()


def distance_seed(seed: int) -> int:
    """Return the seed of the numbers by distance, like :func:`position_seed`."""
    return int.from_bytes(hashlib.sha256(f"{seed}/distances".encode()).digest()[:4], "big")


def seeded_distances(n_heads: int, n_tokens: int, seed: int) -> Tensor:
    """Return a number for each distance, ``(n_heads, 2 * n_tokens - 1)``.

    They are the middle rows of ``nn.Embedding(2047, n_heads)`` after ``torch.manual_seed(distance_seed(seed))``.

    The table has a row for each possible distance, so that short distances keep their numbers when a text gets longer.
    """
    table = torch.empty(2 * MAX_TOKENS - 1, n_heads, **FLOAT32_ON_CPU).normal_(
        generator=generator_for(distance_seed(seed))
    )
    return table[MAX_TOKENS - n_tokens : MAX_TOKENS + n_tokens - 1].T.contiguous()


def alibi_slopes(n_heads: int) -> Tensor:
    """Return the slope of each head, ``(n_heads,)`` float64.

    With n heads: 2 to the power of -8/n, -16/n, ..., -8. If n isn't a power of 2, the paper's code takes the slopes of
    the next lower power of 2, followed by every second slope of the next higher one.

    Source: Press et al. 2022, Train Short, Test Long, section 3, and its code.

    >>> alibi_slopes(8)[:3]
    tensor([0.5000, 0.2500, 0.1250], dtype=torch.float64)
    """
    below = 2 ** (n_heads.bit_length() - 1)
    slopes = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    slopes += [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * (n_heads - below), 2)]
    return torch.tensor(slopes, dtype=torch.float64, device="cpu")


def alibi_distances(n_heads: int, n_tokens: int, seed: int = 0) -> Tensor:
    """Return ALiBi's number for each distance, ``(n_heads, 2 * n_tokens - 1)``.

    It's minus the distance times the head's slope.

    >>> alibi_distances(1, 2)
    tensor([[-0.0039,  0.0000, -0.0039]])
    """
    distance = torch.arange(1 - n_tokens, n_tokens, device="cpu").abs()
    return torch.where(distance == 0, 0.0, -alibi_slopes(n_heads)[:, None] * distance).float()


def near_right_first(n_heads: int, n_tokens: int, seed: int = 0) -> Tensor:
    """Return a number for each distance, largest for the next token.

    They are ``(n_heads, 2 * n_tokens - 1)``, equal in all heads: 0.6 for the next token, 0.5 less for each further one;
    0 for the token before, 0.2 less for each further one; -0.5 for the token itself. In English, an adjective or a
    determiner stands before its noun, so that with these numbers it finds that noun among several.

    >>> near_right_first(1, 3)
    tensor([[-0.2000,  0.0000, -0.5000,  0.6000,  0.1000]])
    """
    distance = torch.arange(1 - n_tokens, n_tokens, dtype=torch.float64, device="cpu")
    beside = torch.where(distance > 0, 1.1 - 0.5 * distance, 0.2 + 0.2 * distance)
    return torch.where(distance == 0, -0.5, beside).float().repeat(n_heads, 1)


@dataclass(frozen=True)
class Position:
    """A way to tell attention the positions of tokens.

    - `name`: its name in set-ups, links and exported code; its texts in `setup.toml`, `explanation.toml` and
      `summary.toml` have it in their keys.
    - `vectors`: makes P ``(n_tokens, d_in)`` from a seed, which is added to the tokens' vectors.
    - `distances`: makes a number for each distance ``(n_heads, 2 * n_tokens - 1)``, which is added to scores.
    - `turns`: whether queries and keys are rotated by their positions, in pairs of columns.
    - `own_seed`: derives its seed from the set-up's; None if nothing is random.
    - `code`: lines of PyTorch that make the same numbers; `export/inputs.py` fills their places.
    - `comment`: the key of the comment that an exported script has on the first of these lines.
    """

    name: str
    vectors: Callable[[int, int, int], Tensor] | None = None
    distances: Callable[[int, int, int], Tensor] | None = None
    turns: bool = False
    own_seed: Callable[[int], int] | None = None
    code: tuple[str, ...] = ()
    comment: str = ""

    @property
    def adds(self) -> bool:
        """Whether positions add vectors to those of the tokens."""
        return self.vectors is not None

    @property
    def biases(self) -> bool:
        """Whether positions add numbers by distance to scores."""
        return self.distances is not None

    def seed_of(self, seed: int) -> int:
        """Return the seed of the positions, derived from the set-up's."""
        return seed if self.own_seed is None else self.own_seed(seed)

    @property
    def of_one_sentence(self) -> bool:
        """Whether positions need queries and keys of one sentence."""
        return self.turns or self.biases


# To add a kind of positions, add a row here, and its texts.
POSITIONS: Kinds[Position] = Kinds("positions", (
    Position("none"),
    Position("sinusoidal", sinusoidal_positions, code=(
        "place = torch.arange({n}, dtype=torch.float64)[:, None]",
        "feature = torch.arange(d_in, dtype=torch.float64)",
        "angle = place / 10000 ** (2 * (feature // 2) / d_in)",
        "{made} = torch.where(feature % 2 == 0, angle.sin(), angle.cos()).float(){split}",
    )),
    Position("learned", seeded_positions, own_seed=position_seed, comment="share.script.places_seed", code=(
        "torch.manual_seed({own_seed})",
        "{made} = torch.nn.Embedding({most}, d_in).weight.detach()[: {n}]{cut}",
    )),
    Position("rotary", turns=True),
    Position("alibi", distances=alibi_distances, comment="share.script.distances_alibi", code=(
        "slopes = torch.tensor([{slopes}])",
        "distance = torch.arange(1 - {n}, {n}).abs()",
        "by_distance = -slopes[:, None] * distance",
    )),
    Position("relative", distances=seeded_distances, own_seed=distance_seed,
             comment="share.script.distances_seed", code=(
        "torch.manual_seed({own_seed})",
        "table = torch.nn.Embedding({all}, {heads}).weight.detach()",
        "by_distance = table[{most} - {n} : {last} + {n}].T.clone()",
    )),
    Position("near", distances=near_right_first, comment="share.script.distances_near", code=(
        "distance = torch.arange(1 - {n}, {n}, dtype=torch.float64)",
        "beside = torch.where(distance > 0, 1.1 - 0.5 * distance, 0.2 + 0.2 * distance)",
        "by_distance = torch.where(distance == 0, -0.5, beside).float().repeat({heads}, 1)",
    )),
))  # fmt: skip
