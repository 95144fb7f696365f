"""The drawn weights of layers, and the distributions they come from."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from attnviz.core.limits import Kinds

# Passed to every draw, because a notebook may have changed torch's defaults.
FLOAT32_ON_CPU: dict[str, Any] = {"dtype": torch.float32, "device": "cpu"}


@dataclass(frozen=True)
class Initialization:
    """How the entries of a matrix are drawn when a set-up starts.

    `fill` fills a tensor from a generator, for vectors of `d_in` numbers; `moments` gives an entry's mean and variance
    for that `d_in`. `drawn_by` is PyTorch's function for it, and `then` an operation on the result, as in
    ``torch.rand(3, 2) / 2``. With `as_layer`, the matrix is that of an nn.Linear, whose weight is (d_out, d_in), and
    whose bias is drawn after it.
    """

    name: str
    drawn_by: str
    fill: Callable[[Tensor, int, torch.Generator], Tensor]
    moments: Callable[[int], tuple[float, float]]
    then: str = ""
    as_layer: bool = False

    @property
    def written(self) -> str:
        """The operation in PyTorch that draws a matrix, without a shape."""
        return self.drawn_by + self.then

    def code(self, *shape: object) -> str:
        """Return the expression that draws a matrix of this shape in PyTorch.

        >>> INITIALIZATIONS["normal"].code(3, "d_k")
        'torch.randn(3, d_k)'
        """
        return f"{self.drawn_by}({', '.join(map(str, shape))}){self.then}"


def _fill_linear(room: Tensor, d_in: int, generator: torch.Generator) -> Tensor:
    bound = 1 / math.sqrt(d_in)  # the bound of nn.Linear's kaiming_uniform_(a=sqrt(5)), in float32
    return room.uniform_(-bound, bound, generator=generator)


# To add an initialization, add a row here, and its line in the set-up's help.
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
    """Fill a tensor with an init's random numbers, and return it.

    "uniform" is U[0, 1), "normal" N(0, 1), "linear" nn.Linear's distribution, U(-1/sqrt(d_in), 1/sqrt(d_in)).

    Raises ``ValueError`` for an unknown init.
    """
    return INITIALIZATIONS[init].fill(room, d_in, generator)


class Projections(NamedTuple):
    """Drawn projection matrices, and their biases or None.

    W_q and W_k are ``(d_in, d_out)``, W_v ``(d_in, d_v)``, the biases ``(d_out,)``, ``(d_out,)`` and ``(d_v,)``.
    """

    w_q: Tensor
    w_k: Tensor
    w_v: Tensor
    b_q: Tensor | None
    b_k: Tensor | None
    b_v: Tensor | None


def seeded_projections(
    d_in: int, d_out: int, init: str, seed: int, bias: bool = False, d_v: int | None = None
) -> Projections:
    """Draw W_q and W_k ``(d_in, d_out)``, then W_v ``(d_in, d_v)``, float32.

    `d_v` None is `d_out`.

    "uniform" gives the numbers of three ``torch.rand(d_in, d_out)`` after ``torch.manual_seed(seed)``,
    "normal" those of three ``torch.randn``, "linear" those of three ``nn.Linear(d_in, d_out, bias=bias)``,
    transposed; the third is ``d_v`` wide. Biases are nn.Linear's own with "linear", else zeros.

    Raises ``ValueError`` for an unknown init.

    >>> seeded_projections(3, 2, "uniform", 123).w_q
    tensor([[0.2961, 0.5166],
            [0.2517, 0.6886],
            [0.0740, 0.8665]])
    """
    widths = Widths(d_in, d_out, d_out, d_out if d_v is None else d_v)
    return Projections(**drawn_weights(seed, init, bias, widths)[0])


@dataclass(frozen=True)
class Widths:
    """How many columns each W has.

    W_o, which exists with `output`, and W_2 have as many as the context; W_1 has `hidden` columns, None without a
    feed-forward step.
    """

    d_in: int
    queries: int
    keys: int
    values: int
    context: int = 0
    output: bool = False
    hidden: int | None = None

    @property
    def sizes(self) -> dict[str, tuple[int, int]]:
        """Name without "w_" -> the matrix's size, in the order of drawing."""
        sizes = {"q": (self.d_in, self.queries), "k": (self.d_in, self.keys), "v": (self.d_in, self.values)}
        if self.output:
            sizes["o"] = self.context, self.context
        if self.hidden is not None:
            sizes |= {"1": (self.context, self.hidden), "2": (self.hidden, self.context)}
        return sizes


def drawn_weights(seed: int, init: str, bias: bool, widths: Widths, n_layers: int = 1) -> tuple[dict[str, Any], ...]:
    """Return each layer's W's and biases, all from one generator.

    The matrices that follow attention always have biases; the projections have None without `bias`.
    """
    generator = generator_for(seed)

    def layer() -> dict[str, Any]:
        drawn: dict[str, Any] = {}
        for part, (d_in, width) in widths.sizes.items():
            drawn[f"w_{part}"], drawn[f"b_{part}"] = _draw(d_in, width, init, bias or part in "o12", generator)
        return drawn

    return tuple(layer() for _ in range(n_layers))


def _draw(d_in: int, width: int, init: str, bias: bool, generator: torch.Generator) -> tuple[Tensor, Tensor | None]:
    as_layer = INITIALIZATIONS[init].as_layer
    # nn.Linear stores its matrix as (d_out, d_in), so drawing in that order gives its numbers.
    weight = fill(torch.empty((width, d_in) if as_layer else (d_in, width), **FLOAT32_ON_CPU), init, d_in, generator)
    b = torch.zeros(width, **FLOAT32_ON_CPU) if bias else None
    if as_layer:
        return weight.T.contiguous(), b if b is None else fill(b, init, d_in, generator)
    return weight, b
