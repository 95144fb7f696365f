"""A module whose attention is found by names: which of its parts make queries, keys and values is said, and what is
made of these by softmax(Q Kᵀ) V must be what the module computes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.core.limits import in_short
from attnviz.core.rules import later
from attnviz.models.watching import Attended, Projection

_ALIKE = 1e-4  # what the module computes and what is made here may differ by this, for the roundings of float32


@dataclass(frozen=True)
class Named:
    """Which parts of a module make queries, keys and values, by the names that it has for them; `scale` is what scores
    are multiplied with and `mask` what may be read (bools) or is added, where they aren't to be found."""

    q: str
    k: str
    v: str
    scale: float | None = None
    mask: Tensor | None = None

    def pointers(self, module: nn.Module) -> dict[str, int]:
        """Return where in memory the weights of these parts are.

        Raises ``ValueError`` for a part that isn't there, or has no weight.
        """
        return {part: _weight_of(module, part, getattr(self, part)).data_ptr() for part in "qkv"}


def named_of(
    q: object, k: object, v: object, scale: object = None, mask: object = None
) -> Named | None:  # fmt: skip
    """Return what is named, or None where nothing is; raises ``ValueError`` for what can't be."""
    given = {"q": q, "k": k, "v": v}
    if all(each is None for each in (*given.values(), scale, mask)):
        return None
    for part, name in given.items():
        if not isinstance(name, str):
            raise ValueError(f"{part} is {in_short(name)}, expected the name of the part that makes it, as q, k and v")
    if scale is not None and not (isinstance(scale, int | float) and isfinite(scale) and scale > 0):
        raise ValueError(f"scale is {in_short(scale)}, expected a number above 0, which scores are multiplied with")
    if mask is not None and not isinstance(mask, Tensor):
        raise ValueError(f"mask is {in_short(mask)}, expected a tensor (n_queries, n_keys)")
    return Named(str(q), str(k), str(v), None if scale is None else float(scale), mask)


def attended_as_named(
    named: Named, module: nn.Module, attended: list[Attended], seen: list[Projection], result: object
) -> Attended:
    """Return the attention that the named parts make: one that was `attended` where it's made of these, or what is made
    of them here, where that is what the module returns as its `result` or multiplies with a weight.

    Raises ``ValueError`` where the module computes something else.
    """
    pointers = named.pointers(module)
    parts = {part: next((each for each in seen if each.pointer == at), None) for part, at in pointers.items()}
    for part, made in parts.items():
        if made is None:
            raise ValueError(f"{part} is {getattr(named, part)!r}, which made nothing of x, expected a part that does")
    q, k, v = (made.made for made in parts.values() if made is not None)
    if named.q == named.k == named.v:
        q, k, v = q.chunk(3, -1)
    for each in attended:
        if all(
            _is_of(tensor, made) for tensor, made in zip((each.query, each.key, each.value), (q, k, v), strict=True)
        ):
            return each
    ends = [each.reshape(-1, each.shape[-1]) for each in _tensors(result)]
    for candidate in _candidates(named, q, k, v):
        assert candidate.context is not None
        together = candidate.context.transpose(0, 1).flatten(1)
        into = next((each for each in seen if _alike(each.x, together)), None)
        if into is not None or any(_alike(each, together) for each in ends):
            before = tuple(each for each in parts.values() if each is not None)
            return replace(candidate, projections=before, output=into)
    raise ValueError(
        f"{type(module).__name__} neither returns softmax(Q Kᵀ · scale + mask) V of {named.q!r}, {named.k!r} and"
        f" {named.v!r} nor multiplies it with a weight, whatever the number of heads: expected it to, with scale="
        f" {'1/√d_k or 1' if named.scale is None else named.scale} and"
        f" {'no mask, or a causal one' if named.mask is None else 'this mask'}; name others by scale= and mask="
    )


def _candidates(named: Named, q: Tensor, k: Tensor, v: Tensor) -> Iterator[Attended]:
    """Yield what the parts may make: for each number of heads, scale and mask that there may be."""
    n_queries, width = q.shape
    for n_heads in (n for n in range(1, width + 1) if width % n == 0):
        d_k = width // n_heads
        n_kv = k.shape[1] // d_k
        if k.shape[1] % d_k or not n_kv or n_heads % n_kv or v.shape[1] % n_kv:
            continue
        query, key, value = (each.reshape(len(each), n, -1).transpose(0, 1)
                             for each, n in ((q, n_heads), (k, n_kv), (v, n_kv)))  # fmt: skip
        scores = query @ key.repeat_interleave(n_heads // n_kv, 0).mT
        for scale in (d_k**-0.5, 1.0, width**-0.5) if named.scale is None else (named.scale,):
            for added in _masks(named.mask, n_queries, len(k)):
                masked = scores * scale if added is None else scores * scale + added
                context = masked.softmax(-1) @ value.repeat_interleave(n_heads // n_kv, 0)
                bias = None if added is None or not bool(added[added > -torch.inf].any()) else added
                yield Attended(query, key, value, added, scale, None, context, (), bias=bias)


def _masks(given: Tensor | None, n_queries: int, n_keys: int) -> Iterator[Tensor | None]:
    """Yield what may be added to scores ``(1 or n_heads, n_queries, n_keys)``."""
    if given is None:
        yield None
        hidden = later(n_queries, n_keys)
    elif given.shape[-2:] != (n_queries, n_keys):
        raise ValueError(f"mask has shape {tuple(given.shape)}, expected ({n_queries}, {n_keys})")
    elif given.dtype == torch.bool:
        hidden = ~given
    else:
        yield given.detach().float().reshape(-1, n_queries, n_keys)
        return
    yield torch.zeros(hidden.shape).masked_fill(hidden, -torch.inf).reshape(-1, n_queries, n_keys)


def _weight_of(module: nn.Module, part: str, name: str) -> Tensor:
    """Return the weight of a part: a parameter, or that of a submodule."""
    known = dict(module.named_parameters())
    weight = known.get(name, known.get(f"{name}.weight"))
    if weight is None:
        names = ", ".join(repr(each.removesuffix(".weight")) for each, of in known.items() if of.dim() == 2)
        raise ValueError(f"{part} is {name!r}, expected a part of {type(module).__name__} with a weight: {names}")
    return weight


def _is_of(tensor: Tensor, made: Tensor) -> bool:
    """Whether heads ``(n_heads, n_tokens, d)`` are the columns of a product, one after the other."""
    return _alike(tensor.transpose(0, 1).flatten(1), made)


def _alike(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and torch.allclose(one, other, rtol=_ALIKE, atol=_ALIKE * float(other.abs().max()))


def _tensors(result: Any) -> list[Tensor]:
    """Return the tensors that a module returned."""
    if isinstance(result, Tensor):
        return [result.detach()] if result.dim() >= 2 else []
    return [each for one in result for each in _tensors(one)] if isinstance(result, tuple | list) else []
