"""Seeded matrices and embeddings: PyTorch's own numbers, from generators of our own.

Every draw comes from a CPU generator made for it, so that no other thread, device or earlier
draw can change it.
"""

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import torch
from torch import Tensor

from attnviz.core.limits import MAX_TOKENS, in_short


@dataclass(frozen=True)
class Initialization:
    """How the entries of a matrix are drawn when a set-up starts.

    `fill` draws into a tensor, for vectors of `d_in` numbers, from a generator; `moments` gives an entry's mean and
    variance for that `d_in`. `drawn_by` is PyTorch's function for it, and `then` what its numbers go through, as in
    ``torch.rand(3, 2) / 2``. `as_layer` says that it is a whole nn.Linear: its weight is (d_out, d_in), and it draws
    its bias after it.
    """

    drawn_by: str
    fill: Callable[[Tensor, int, torch.Generator], Tensor]
    moments: Callable[[int], tuple[float, float]]
    then: str = ""
    as_layer: bool = False

    @property
    def written(self) -> str:
        """How PyTorch writes it, without a shape."""
        return self.drawn_by + self.then

    def code(self, *shape: object) -> str:
        """Return the expression that draws a matrix of this shape in PyTorch.

        >>> INITIALIZATIONS["normal"].code(3, "d_k")
        'torch.randn(3, d_k)'
        """
        return f"{self.drawn_by}({', '.join(map(str, shape))}){self.then}"


def _fill_linear(room: Tensor, d_in: int, generator: torch.Generator) -> Tensor:
    bound = 1 / math.sqrt(d_in)  # what kaiming_uniform_(a=sqrt(5)) of nn.Linear comes to, in float32
    return room.uniform_(-bound, bound, generator=generator)


# An initialization is a row here, and what the set-up's help says of it.
INITIALIZATIONS: Mapping[str, Initialization] = MappingProxyType(
    {
        "uniform": Initialization(
            "torch.rand", lambda room, d_in, generator: room.uniform_(generator=generator), lambda d_in: (1 / 2, 1 / 12)
        ),
        "linear": Initialization("nn.Linear", _fill_linear, lambda d_in: (0.0, 1 / (3 * d_in)), as_layer=True),
        "normal": Initialization(
            "torch.randn", lambda room, d_in, generator: room.normal_(generator=generator), lambda d_in: (0.0, 1.0)
        ),
    }
)
INITS = tuple(INITIALIZATIONS)
ADDED_POSITIONS = ("sinusoidal", "seeded")  # as vectors, to those of the tokens
BIASED_POSITIONS = ("alibi", "relative")  # as numbers by distance, to scores
POSITIONS = ("none", *ADDED_POSITIONS, "rotary", *BIASED_POSITIONS)
SEEDED_EMBEDDINGS = ("stable", "table")

# Said at every draw, for a notebook may have set torch's defaults to something else.
FLOAT32_ON_CPU: dict[str, Any] = {"dtype": torch.float32, "device": "cpu"}


class Projections(NamedTuple):
    """Drawn projection matrices, W_q and W_k ``(d_in, d_out)``, W_v ``(d_in, d_v)``, and their biases
    ``(d_out,)``, ``(d_out,)`` and ``(d_v,)``, or None; W_k may be narrower, where heads share keys."""

    w_q: Tensor
    w_k: Tensor
    w_v: Tensor
    b_q: Tensor | None
    b_k: Tensor | None
    b_v: Tensor | None


class OutputProjection(NamedTuple):
    """The drawn output projection, W_o ``(d_v, d_v)``, and its bias ``(d_v,)``."""

    w_o: Tensor
    b_o: Tensor


class Layers(NamedTuple):
    """The drawn layers of a feed-forward step, W_1 ``(d_v, d_ff)`` and W_2 ``(d_ff, d_v)``, and their biases
    ``(d_ff,)`` and ``(d_v,)``."""

    w_1: Tensor
    b_1: Tensor
    w_2: Tensor
    b_2: Tensor


def generator_for(seed: int) -> torch.Generator:
    """Return a CPU generator that draws what ``torch.manual_seed(seed)`` would make torch draw."""
    return torch.Generator(device="cpu").manual_seed(seed)


def seeded_projections(
    d_in: int, d_out: int, init: str, seed: int, bias: bool = False, d_v: int | None = None
) -> Projections:
    """Draw W_q and W_k ``(d_in, d_out)``, then W_v ``(d_in, d_v)``, float32 on the CPU; `d_v` None is `d_out`.

    "uniform" gives the numbers of three ``torch.rand(d_in, d_out)`` after ``torch.manual_seed(seed)``,
    "normal" those of three ``torch.randn``, "linear" those of three ``nn.Linear(d_in, d_out, bias=bias)``,
    transposed; the third is ``d_v`` wide. Biases are nn.Linear's own with "linear", else zeros.

    Raises ``ValueError`` for another init.

    >>> seeded_projections(3, 2, "uniform", 123).w_q
    tensor([[0.2961, 0.5166],
            [0.2517, 0.6886],
            [0.0740, 0.8665]])
    """
    return next_projections(generator_for(seed), d_in, d_out, init, bias, d_v)


def next_projections(
    generator: torch.Generator,
    d_in: int,
    d_out: int,
    init: str,
    bias: bool = False,
    d_v: int | None = None,
    width_of_keys: int | None = None,
) -> Projections:
    """Draw the same from wherever a generator stands, which then stands behind them."""
    widths = (d_out, width_of_keys or d_out, d_out if d_v is None else d_v)
    drawn = [_draw(d_in, width, init, bias, generator) for width in widths]
    (w_q, b_q), (w_k, b_k), (w_v, b_v) = drawn
    return Projections(w_q, w_k, w_v, b_q, b_k, b_v)


def next_output(generator: torch.Generator, width: int, init: str) -> OutputProjection:
    """Draw W_o ``(width, width)`` from wherever a generator stands, and its bias as :func:`next_layers` does.

    >>> next_output(generator_for(1), 2, "normal").b_o
    tensor([0., 0.])
    """
    w_o, b_o = _draw(width, width, init, True, generator)
    assert b_o is not None
    return OutputProjection(w_o, b_o)


def next_layers(generator: torch.Generator, width: int, d_ff: int, init: str) -> Layers:
    """Draw W_1 ``(width, d_ff)``, then W_2 ``(d_ff, width)``, from wherever a generator stands.

    "linear" gives the numbers of ``nn.Linear(width, d_ff)`` and ``nn.Linear(d_ff, width)`` with their biases, the
    others those of ``torch.rand`` or ``torch.randn``; their biases are zeros.

    Raises ``ValueError`` for another init.

    >>> next_layers(generator_for(1), 2, 3, "uniform").b_1
    tensor([0., 0., 0.])
    """
    w_1, b_1 = _draw(width, d_ff, init, True, generator)
    w_2, b_2 = _draw(d_ff, width, init, True, generator)
    assert b_1 is not None
    assert b_2 is not None
    return Layers(w_1, b_1, w_2, b_2)


def _draw(d_in: int, width: int, init: str, bias: bool, generator: torch.Generator) -> tuple[Tensor, Tensor | None]:
    as_layer = initialization(init).as_layer
    # nn.Linear keeps its matrix as (d_out, d_in): drawn in that order, the numbers are its own.
    weight = fill(torch.empty((width, d_in) if as_layer else (d_in, width), **FLOAT32_ON_CPU), init, d_in, generator)
    b = torch.zeros(width, **FLOAT32_ON_CPU) if bias else None
    if as_layer:
        return weight.T.contiguous(), b if b is None else fill(b, init, d_in, generator)
    return weight, b


def fill(room: Tensor, init: str, d_in: int, generator: torch.Generator) -> Tensor:
    """Fill a tensor with numbers as one init draws them, and return it.

    "uniform" is U[0, 1), "normal" N(0, 1), "linear" what nn.Linear starts from: U(-1/sqrt(d_in), 1/sqrt(d_in)).

    Raises ``ValueError`` for another init.

    >>> fill(torch.empty(2), "uniform", 1, generator_for(123))
    tensor([0.2961, 0.5166])
    """
    return initialization(init).fill(room, d_in, generator)


def initialization(init: str) -> Initialization:
    """Return the row of an init's name.

    Raises ``ValueError`` for another name.
    """
    if init not in INITIALIZATIONS:
        raise ValueError(f"init is {in_short(init)}, expected one of {', '.join(INITS)}")
    return INITIALIZATIONS[init]


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


def sinusoidal_positions(n_tokens: int, d_in: int) -> Tensor:
    """Return P ``(n_tokens, d_in)``: pairs of sine and cosine of ever longer waves, float64 rounded to float32.

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
    """Return the seed of the vectors of positions: made from that of a set-up, for the same generator has drawn the
    vectors of its tokens or its W's, and a P that repeats their numbers is no random P."""
    return int.from_bytes(hashlib.sha256(f"{seed}/positions".encode()).digest()[:4], "big")


def seeded_positions(n_tokens: int, d_in: int, seed: int) -> Tensor:
    """Return P ``(n_tokens, d_in)``: the first rows of ``nn.Embedding(1024, d_in)``, standard normal, after
    ``torch.manual_seed(position_seed(seed))``.

    The table has a row for each place that a text may have, as in a model with learned positions, so that more tokens
    leave the rows of the first as they are.

    >>> bool((seeded_positions(2, 5, 1) == seeded_positions(7, 5, 1)[:2]).all())
    True
    """
    table = torch.empty(MAX_TOKENS, d_in, **FLOAT32_ON_CPU).normal_(generator=generator_for(position_seed(seed)))
    return table[:n_tokens].clone()


def distance_seed(seed: int) -> int:
    """Return the seed of the numbers by distance, made from that of a set-up as :func:`position_seed` is."""
    return int.from_bytes(hashlib.sha256(f"{seed}/distances".encode()).digest()[:4], "big")


def seeded_distances(n_heads: int, n_tokens: int, seed: int) -> Tensor:
    """Return a number for each distance of two tokens, ``(n_heads, 2 * n_tokens - 1)``: the middle rows of
    ``nn.Embedding(2047, n_heads)``, standard normal, after ``torch.manual_seed(distance_seed(seed))``.

    The table has a row for each distance that a text may have, so that more tokens leave those of near ones.

    >>> bool((seeded_distances(2, 2, 1) == seeded_distances(2, 3, 1)[:, 1:4]).all())
    True
    """
    table = torch.empty(2 * MAX_TOKENS - 1, n_heads, **FLOAT32_ON_CPU).normal_(
        generator=generator_for(distance_seed(seed))
    )
    return table[MAX_TOKENS - n_tokens : MAX_TOKENS + n_tokens - 1].T.contiguous()


def alibi_slopes(n_heads: int) -> Tensor:
    """Return the slope of each head, ``(n_heads,)`` float64: with n heads, 2 to the power of -8/n, -16/n, ..., -8; for
    a number that is no power of 2, as the paper's code does, those of the power of 2 below it, then every second one of
    those of the next power of 2.

    Source: Press et al. 2022, Train Short, Test Long, section 3, and the code that belongs to it.

    >>> alibi_slopes(8)[:3]
    tensor([0.5000, 0.2500, 0.1250], dtype=torch.float64)
    """
    below = 2 ** (n_heads.bit_length() - 1)
    slopes = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    slopes += [2 ** (-8 * h / (2 * below)) for h in range(1, 2 * (n_heads - below), 2)]
    return torch.tensor(slopes, dtype=torch.float64, device="cpu")


def alibi_distances(n_heads: int, n_tokens: int) -> Tensor:
    """Return ALiBi's number for each distance of two tokens, ``(n_heads, 2 * n_tokens - 1)``: the distance times the
    slope of the head, negative.

    >>> alibi_distances(1, 2)
    tensor([[-0.0039,  0.0000, -0.0039]])
    """
    distance = torch.arange(1 - n_tokens, n_tokens, device="cpu").abs()
    return torch.where(distance == 0, 0.0, -alibi_slopes(n_heads)[:, None] * distance).float()
