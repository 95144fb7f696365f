"""The origin of queries, keys and values, found by comparing numbers.

They are compared with each product's columns, rotated or not, so that no list of architectures is needed. For a module
that attends in another way, its parts may be named, if attention computed from them is what the module computes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import isclose, isfinite
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.core.limits import in_short
from attnviz.core.rules import Rotate, causal_mask
from attnviz.features.language_models.inside.norms import Norm, Normed, normed_columns, normed_firsts
from attnviz.features.language_models.inside.seen.attended import AttentionRecord, Projection

# How far a model's rotated numbers may differ from ours, relative to the largest, because it rounds cosines.
_SAME_TURNED = 2e-6
_SAME_ANGLE = 1e-6
_MOST_PAIRS = 512  # pairs of rotated columns: more than any head has
_ALIKE = 1e-4  # a module's numbers may differ by this much from ours, because of float32 roundings


@dataclass(frozen=True)
class Projected:
    """A head's queries, keys or values, as columns of a product.

    `product` ``(n_tokens, d)`` is `x` times `weight` ``(d_in, d)`` plus `bias` ``(d,)`` or None: columns of the whole
    `projection`, from `first` on. `norm` has them normed, and `turn` is the rule that then rotated them; each may be
    None.
    """

    x: Tensor
    weight: Tensor
    bias: Tensor | None
    product: Tensor
    first: int
    projection: Projection
    turn: Rotate | None = None
    norm: Normed | None = None
    columns: tuple[int, ...] = ()  # indices in the whole projection, if it's of two pieces; else blank

    @property
    def all_columns(self) -> tuple[int, ...]:
        """The indices of the columns in the whole projection."""
        return self.columns or tuple(range(self.first, self.first + self.product.shape[1]))


ProjectedHeads = Callable[[int], Projected | None]  # called with a head's number


def found(
    part: Tensor, projections: Sequence[Projection], turns: Sequence[Rotate] = (), norms: Sequence[Norm] = ()
) -> Projected | None:
    """Return how a head's `part` ``(n_tokens, d)`` was made, None if unknown.

    The latest product that fits is taken. A part that was normed by one of the `norms`, or rotated by one of the
    `turns`, is found by undoing that.
    """
    fitting = [
        each for each in projections if len(each.product) == len(part) and each.product.shape[1] >= part.shape[1]
    ]
    for projection in reversed(fitting):
        for first in _candidates(part, projection.product):
            cut = slice(first, first + part.shape[1])
            before = projection.product[:, cut]
            turn = turn_between(before, part, turns)
            if turn is not None or torch.equal(before, part):
                return _projected(projection, first, part.shape[1], turn)
    return next((made for each in reversed(fitting) if (made := _found_normed(part, each, turns, norms))), None)


def _found_normed(
    part: Tensor, projection: Projection, turns: Sequence[Rotate], norms: Sequence[Norm]
) -> Projected | None:
    """Return columns and norm that give a head's part, or None."""
    most, d = _most_off(part), part.shape[1]
    for norm in norms:
        for first in normed_firsts(projection.product, part, norm, most):
            normed = normed_columns(projection.product, first, d, norm)
            assert normed is not None
            if float((normed.made - part).abs().max()) <= most:
                return _projected(projection, first, d, norm=replace(normed, made=part))
            turn = turn_between(normed.made, part, turns)
            if turn is not None:
                return _projected(projection, first, d, turn, replace(normed, made=_before(turn, normed.made, part)))
    return None


def _projected(
    projection: Projection, first: int, d: int, turn: Rotate | None = None, norm: Normed | None = None
) -> Projected:
    """Return `d` columns of a product from `first` on."""
    cut = slice(first, first + d)
    bias = None if projection.bias is None else projection.bias[cut]
    weight, product = projection.weight[:, cut], projection.product[:, cut]
    return Projected(projection.x, weight, bias, product, first, projection, turn, norm)


def projected_heads(
    parts: Tensor, projections: Sequence[Projection], turns: Sequence[Rotate], norms: Sequence[Norm] = ()
) -> ProjectedHeads:
    """Return how each head's queries, keys or values were made, on demand."""
    return cache(lambda head: found(parts[head], projections, turns, norms))


def found_in_halves(parts: Tensor, projections: Sequence[Projection]) -> ProjectedHeads:
    """Return how heads' values were made, each from two pieces."""

    def both(head: int) -> Projected | None:
        halves = [found(each, projections) for each in parts[head].chunk(2, -1)]
        one, other = halves
        if one is None or other is None or one.projection is not other.projection:
            return None
        weight, product = (
            torch.cat([getattr(each, name) for each in (one, other)], 1) for name in ("weight", "product")
        )
        bias = None if one.bias is None or other.bias is None else torch.cat([one.bias, other.bias])
        columns = (*one.all_columns, *other.all_columns)
        return replace(one, weight=weight, bias=bias, product=product, columns=columns)

    return cache(both)


def _candidates(part: Tensor, made: Tensor) -> list[int]:
    """Return columns where a head may begin, by its unrotated first token."""
    windows = made[0].unfold(0, part.shape[1], 1)  # (columns, d)
    first: list[int] = (windows == part[0]).all(-1).nonzero()[:, 0].tolist()
    return first


def turn_between(before: Tensor, part: Tensor, turns: Sequence[Rotate]) -> Rotate | None:
    """Return the first rule that rotates `before` into `part`, or None."""
    if torch.equal(before, part):
        return None
    most = _most_off(part)
    for turn in turns:
        assert turn.thetas is not None
        if 2 * len(turn.thetas) <= part.shape[1] and float((turn.compute(before) - part).abs().max()) <= most:
            return turn
    return None


def _before(turn: Rotate, made: Tensor, part: Tensor) -> Tensor:
    """Return the unrotated numbers, the model's own where rotation changes nothing."""
    assert turn.thetas is not None
    made = made.clone()
    made[0] = part[0]
    made[:, 2 * len(turn.thetas) :] = part[:, 2 * len(turn.thetas) :]
    return made


def _most_off(part: Tensor) -> float:
    """Return how far roundings may move a rotated or normed number."""
    return _SAME_TURNED * float(part.abs().max()) * 8


def turns_in(buffers: Iterable[Tensor]) -> tuple[Rotate, ...]:
    """Return the rules that may rotate queries and keys, by stored angles.

    A short row of falling positive numbers may be the angles of pairs; so may the sines and cosines in the second row
    of a table. Pairs are neighbours, or lie half of the columns apart.
    """
    angles: dict[tuple[float, ...], None] = {}
    for buffer in buffers:
        if buffer.dim() == 1 and 1 <= len(buffer) <= _MOST_PAIRS and buffer.is_floating_point():
            values = buffer.detach().float().tolist()
        elif buffer.dim() == 2 and _begins_at_0(buffer):
            sines, cosines = buffer[1].detach().double().chunk(2)
            values = _as_prescribed(torch.atan2(sines, cosines).tolist())
        else:
            continue
        if all(value > 0 for value in values) and values == sorted(values, reverse=True):
            angles[tuple(values)] = None
    return tuple(Rotate(thetas=each, halves=halves) for each in angles for halves in (True, False))


def _as_prescribed(angles: list[float]) -> list[float]:
    """Return a table's angles; RoFormer's exactly, without rounding.

    A float32 sine gives its angle to a few digits only, which matters at late positions.

    Source: Su et al. 2021, RoFormer, section 3.2.2, equation 15.
    """
    prescribed = [10000.0 ** (-at / len(angles)) for at in range(len(angles))]
    same = all(isclose(one, other, rel_tol=_SAME_ANGLE) for one, other in zip(angles, prescribed, strict=True))
    return prescribed if same else angles


def _begins_at_0(table: Tensor) -> bool:
    """Whether a table's first row holds the sines and cosines of 0."""
    half = table.shape[1] // 2
    fits = len(table) > 1 and table.shape[1] == 2 * half and 1 <= half <= _MOST_PAIRS
    return fits and table[0].tolist() == [0.0] * half + [1.0] * half


@dataclass(frozen=True)
class Named:
    """The names of a module's parts that make queries, keys and values.

    `scale` multiplies scores; `mask` says which keys may be read (bools), or is added (numbers). If one is None, the
    usual ones are tried.
    """

    q: str
    k: str
    v: str
    scale: float | None = None
    mask: Tensor | None = None

    def pointers(self, module: nn.Module) -> dict[str, int]:
        """Return the memory addresses of these parts' weights.

        Raises ``ValueError`` for a part that isn't there, or has no weight.
        """
        return {part: _weight_of(module, part, getattr(self, part)).data_ptr() for part in "qkv"}


def named_of(q: object, k: object, v: object, scale: object = None, mask: object = None) -> Named | None:
    """Return the named parts, None without names, or raise ``ValueError``."""
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
    named: Named, module: nn.Module, attended: list[AttentionRecord], seen: list[Projection], result: object
) -> AttentionRecord:
    """Return the attention of the named parts, checked against the module's numbers.

    Raises ``ValueError`` if the module computes something else.
    """
    pointers = named.pointers(module)
    parts = {part: next((each for each in seen if each.pointer == at), None) for part, at in pointers.items()}
    for part, made in parts.items():
        if made is None:
            raise ValueError(f"{part} is {getattr(named, part)!r}, which made nothing of x, expected a part that does")
    q, k, v = (made.product for made in parts.values() if made is not None)
    if named.q == named.k == named.v:
        q, k, v = q.chunk(3, -1)
    for each in attended:
        if all(
            _alike(tensor.transpose(0, 1).flatten(1), made)
            for tensor, made in zip((each.query, each.key, each.value), (q, k, v), strict=True)
        ):
            return each
    ends = [each.reshape(-1, each.shape[-1]) for each in _tensors(result)]
    for candidate in _attentions(named, q, k, v):
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


def _attentions(named: Named, q: Tensor, k: Tensor, v: Tensor) -> Iterator[AttentionRecord]:
    """Yield possible attentions, for each number of heads, scale and mask."""
    n_queries, width = q.shape
    for n_heads in (n for n in range(1, width + 1) if width % n == 0):
        d_k = width // n_heads
        n_kv = k.shape[1] // d_k
        if k.shape[1] % d_k or not n_kv or n_heads % n_kv or v.shape[1] % n_kv:
            continue
        query, key, value = (
            each.reshape(len(each), n, -1).transpose(0, 1) for each, n in ((q, n_heads), (k, n_kv), (v, n_kv))
        )
        scores = query @ key.repeat_interleave(n_heads // n_kv, 0).mT
        for scale in (d_k**-0.5, 1.0, width**-0.5) if named.scale is None else (named.scale,):
            for added in _masks(named.mask, n_queries, len(k)):
                masked = scores * scale if added is None else scores * scale + added
                context = masked.softmax(-1) @ value.repeat_interleave(n_heads // n_kv, 0)
                bias = None if added is None or not bool(added[added > -torch.inf].any()) else added
                yield AttentionRecord(query, key, value, added, scale, None, context, (), bias=bias)


def _masks(given: Tensor | None, n_queries: int, n_keys: int) -> Iterator[Tensor | None]:
    """Yield masks to add to scores, ``(1 or n_heads, n_queries, n_keys)``."""
    if given is None:
        yield None
        hidden = causal_mask(n_queries, n_keys)
    elif given.shape[-2:] != (n_queries, n_keys):
        raise ValueError(f"mask has shape {tuple(given.shape)}, expected ({n_queries}, {n_keys})")
    elif given.dtype == torch.bool:
        hidden = ~given
    else:
        yield given.detach().float().reshape(-1, n_queries, n_keys)
        return
    yield torch.zeros(hidden.shape).masked_fill(hidden, -torch.inf).reshape(-1, n_queries, n_keys)


def _weight_of(module: nn.Module, part: str, name: str) -> Tensor:
    """Return a part's weight: the parameter or submodule of that name."""
    known = dict(module.named_parameters())
    weight = known.get(name, known.get(f"{name}.weight"))
    if weight is None:
        names = ", ".join(repr(each.removesuffix(".weight")) for each, of in known.items() if of.dim() == 2)
        raise ValueError(f"{part} is {name!r}, expected a part of {type(module).__name__} with a weight: {names}")
    return weight


def _alike(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and torch.allclose(one, other, rtol=_ALIKE, atol=_ALIKE * float(other.abs().max()))


def _tensors(result: Any) -> list[Tensor]:
    """Return the tensors that a module returned."""
    if isinstance(result, Tensor):
        return [result.detach()] if result.dim() >= 2 else []
    return [each for one in result for each in _tensors(one)] if isinstance(result, tuple | list) else []
