"""Norms of queries and keys between a product and its heads (QK-norm).

A norm is looked for among the children of the module that attends. It counts if, applied to columns of a product, it
gives the model's queries or keys, before or after rotation.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attnviz.core.rules import RmsNorm
from attnviz.core.stages import Stage, Texts

# Names in transformers of the norms of queries, keys and values.
_NAMES = {
    "q": re.compile(r"^(q|query|qk)_?(layer_?)?norm$|^q_b_norm$"),
    "k": re.compile(r"^(k|key|qk)_?(layer_?)?norm$"),
    "v": re.compile(r"^(v|value)_?(layer_?)?norm$"),
}
_EPSILONS = ("variance_epsilon", "eps", "epsilon")  # its names in classes of transformers and torch
NORMED = ("gamma_q", "rest_q", "gamma_k", "rest_k", "q_norm", "k_norm")


@dataclass(frozen=True)
class Norm:
    """A norm by the root mean square, with its gain ``(d,)``."""

    gain: Tensor
    epsilon: float


@dataclass(frozen=True)
class Normed:
    """The normed columns of a head, ``(n_tokens, d)``.

    `rule` computes `made` from the columns, the `gain` ``(d,)`` and, if the norm is over all heads' numbers, `rest`
    ``(n_tokens, 1)``: the root mean square of the other heads' numbers.
    """

    rule: RmsNorm
    gain: Tensor
    rest: Tensor | None
    made: Tensor

    @property
    def given(self) -> dict[str, Tensor]:
        """The matrices that the norm reads besides the columns, by name."""
        return {"gamma": self.gain} | ({} if self.rest is None else {"rest": self.rest})


def is_normed(module: Any, part: str) -> bool:
    """Whether a module has a norm of its "q", "k" or "v"."""
    return _child(module, part) is not None


def norms_of(module: Any, part: str) -> tuple[Norm, ...]:
    """Return a module's possible norms of a part, which differ in gain.

    The gain is the weight, or 1 + weight: Gemma and some others learn the gain's difference from 1. For a norm of
    another kind, nothing is returned.
    """
    return norms_by(_child(module, part))


def norms_by(child: Any) -> tuple[Norm, ...]:
    """Return the norms that a norm module may compute; see :func:`norms_of`."""
    weight = getattr(child, "weight", None)
    if not isinstance(weight, Tensor) or weight.dim() != 1 or getattr(child, "bias", None) is not None:
        return ()
    epsilon = next((each for name in _EPSILONS if (each := getattr(child, name, None)) is not None), None)
    if not isinstance(epsilon, float):
        return ()
    gain = weight.detach()
    return Norm(gain, epsilon), Norm(1 + gain, epsilon)


def normed_columns(product: Tensor, first: int, d: int, norm: Norm) -> Normed | None:
    """Return the normed columns of a head, or None.

    There are `d` columns, from `first` on. A gain with `d` numbers norms each head by itself; one with as many
    numbers as the product has columns norms all heads together.
    """
    cut, plain = slice(first, first + d), RmsNorm(norm.epsilon)
    if len(norm.gain) == d:
        return Normed(plain, norm.gain, None, plain.compute(product[:, cut], norm.gain))
    if len(norm.gain) != product.shape[1]:
        return None
    others = torch.cat([product[:, :first], product[:, first + d :]], 1).double()
    rest = others.square().mean(-1, keepdim=True).sqrt().to(product.dtype)
    made = plain.compute(product, norm.gain)[:, cut]  # in one sum, as the model rounds it
    return Normed(RmsNorm(norm.epsilon, others.shape[1]), norm.gain[cut], rest, made)


def normed_firsts(product: Tensor, part: Tensor, norm: Norm, most: float) -> Iterator[int]:
    """Yield columns where a normed head may begin, by its first token."""
    d = part.shape[1]
    for first in range(0, product.shape[1] - d + 1, d):
        normed = normed_columns(product[:1], first, d, norm)
        if normed is not None and float((normed.made - part[:1]).abs().max()) <= most:
            yield first


def norm_stages(stage: Stage, normed: Normed) -> dict[str, Stage]:
    """Return the stages of a norm of Q or K."""
    part, rows = stage.name, stage.rows

    def made(name: str, symbol: str, told: str, rows: Any, colours: Any, **more: Any) -> Stage:
        texts = Texts.of(f"models.normed.{told}.{part}")
        return Stage(name, symbol, texts, rows, "feature", colours, part=stage.part, **more)

    gain = made(f"gamma_{part}", f"γ_{part}", "gamma", "feature", "projections", is_vector=True)
    rest = made(f"rest_{part}", f"r_{part}", "rest", rows, "vectors")
    before = (gain,) if normed.rest is None else (gain, rest)
    told, sources = "norm" if normed.rest is None else "of_all", (part, *(each.name for each in before))
    norm = made(f"{part}_norm", f"{stage.symbol}_n", told, rows, "vectors", rule=normed.rule, sources=sources)
    return {each.name: each for each in (*before, norm)}


def _child(module: Any, part: str) -> Any:
    """Return the module's norm of this part, None without one."""
    if module is None:
        return None
    children = module.named_children()
    found = (each for name, each in children if type(each).__name__ != "Identity" and _NAMES[part].match(name))
    return next(found, None)
