"""How the entries of a matrix are drawn: PyTorch's own numbers, from generators of our own.

Every draw comes from a CPU generator made for it, so that no other thread, device or earlier
draw can change it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attnviz.core.kinds import Kinds

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
