"""The drawn weights of a layer, one after the other from one generator, and the distributions that they come from."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from attnviz.core.limits import Kinds

# Said at every draw, for a notebook may have set torch's defaults to something else.
FLOAT32_ON_CPU: dict[str, Any] = {"dtype": torch.float32, "device": "cpu"}


@dataclass(frozen=True)
class Initialization:
    """How the entries of a matrix are drawn when a set-up starts.

    `fill` draws into a tensor, for vectors of `d_in` numbers, from a generator; `moments` gives an entry's mean and
    variance for that `d_in`. `drawn_by` is PyTorch's function for it, and `then` what its numbers go through, as in
    ``torch.rand(3, 2) / 2``. `as_layer` says that it is a whole nn.Linear: its weight is (d_out, d_in), and it draws
    its bias after it.
    """

    name: str
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
INITIALIZATIONS: Kinds[Initialization] = Kinds("init", (
    Initialization(
        "uniform", "torch.rand", lambda room, d_in, generator: room.uniform_(generator=generator),
        lambda d_in: (1 / 2, 1 / 12),
    ),
    Initialization("linear", "nn.Linear", _fill_linear, lambda d_in: (0.0, 1 / (3 * d_in)), as_layer=True),
    Initialization(
        "normal", "torch.randn", lambda room, d_in, generator: room.normal_(generator=generator),
        lambda d_in: (0.0, 1.0),
    ),
))  # fmt: skip
INITS = tuple(INITIALIZATIONS)


def generator_for(seed: int) -> torch.Generator:
    """Return a CPU generator that draws what ``torch.manual_seed(seed)`` would make torch draw."""
    return torch.Generator(device="cpu").manual_seed(seed)


def fill(room: Tensor, init: str, d_in: int, generator: torch.Generator) -> Tensor:
    """Fill a tensor with numbers as one init draws them, and return it.

    "uniform" is U[0, 1), "normal" N(0, 1), "linear" what nn.Linear starts from: U(-1/sqrt(d_in), 1/sqrt(d_in)).

    Raises ``ValueError`` for another init.

    >>> fill(torch.empty(2), "uniform", 1, generator_for(123))
    tensor([0.2961, 0.5166])
    """
    return INITIALIZATIONS[init].fill(room, d_in, generator)


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
    as_layer = INITIALIZATIONS[init].as_layer
    # nn.Linear keeps its matrix as (d_out, d_in): drawn in that order, the numbers are its own.
    weight = fill(torch.empty((width, d_in) if as_layer else (d_in, width), **FLOAT32_ON_CPU), init, d_in, generator)
    b = torch.zeros(width, **FLOAT32_ON_CPU) if bias else None
    if as_layer:
        return weight.T.contiguous(), b if b is None else fill(b, init, d_in, generator)
    return weight, b


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
