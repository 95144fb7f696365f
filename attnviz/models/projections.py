"""Where a model's queries, keys and values come from, found by comparing numbers: which columns of which product they
are, and by what angles they were turned. No name of a module and no list of architectures is asked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attnviz.core.rules import Rotate
from attnviz.models.watching import Projection

# What a model turned and what its angles give may differ by this, relative to the largest number: it rounds cosines.
_SAME_TURNED = 2e-6
_MOST_PAIRS = 512  # of columns that are turned: more than any head has


@dataclass(frozen=True)
class Made:
    """A head's queries, keys or values as columns of a product: from `first` on, `made` ``(n_tokens, d)`` of `x` with
    `weight` ``(d_in, d)`` and `bias` ``(d,)`` or None; `turn` is the rule that turned them, or None; `projection` is
    the whole product."""

    x: Tensor
    weight: Tensor
    bias: Tensor | None
    made: Tensor
    first: int
    projection: Projection
    turn: Rotate | None = None


def found(part: Tensor, projections: Sequence[Projection], turns: Sequence[Rotate] = ()) -> Made | None:
    """Return how one head's queries, keys or values `part` ``(n_tokens, d)`` were made, or None where that isn't found.

    The latest product comes first; what was turned by one of the `turns` is found as it was before.
    """
    for projection in reversed(projections):
        if len(projection.made) != len(part) or projection.made.shape[1] < part.shape[1]:
            continue
        for first in _candidates(part, projection.made):
            cut = slice(first, first + part.shape[1])
            before = projection.made[:, cut]
            turn = _turn_between(before, part, turns)
            if turn is not None or torch.equal(before, part):
                bias = None if projection.bias is None else projection.bias[cut]
                return Made(projection.x, projection.weight[:, cut], bias, before, first, projection, turn)
    return None


class MadeHeads:
    """How the queries, keys or values of each head were made, by its number; looked for when asked."""

    def __init__(self, parts: Tensor, projections: Sequence[Projection], turns: Sequence[Rotate]) -> None:
        self._parts, self._projections, self._turns = parts, projections, turns
        self._known: dict[int, Made | None] = {}

    def __getitem__(self, head: int) -> Made | None:
        if head not in self._known:
            self._known[head] = found(self._parts[head], self._projections, self._turns)
        return self._known[head]


def _candidates(part: Tensor, made: Tensor) -> list[int]:
    """Return the columns where a head's may begin, by its first token: place 0 isn't turned."""
    windows = made[0].unfold(0, part.shape[1], 1)  # (columns, d)
    first: list[int] = (windows == part[0]).all(-1).nonzero()[:, 0].tolist()
    return first


def _turn_between(before: Tensor, part: Tensor, turns: Sequence[Rotate]) -> Rotate | None:
    """Return the first of these rules that makes one of the other, where they aren't the same already."""
    if torch.equal(before, part):
        return None
    most = _SAME_TURNED * float(part.abs().max()) * 8
    for turn in turns:
        assert turn.thetas is not None
        if 2 * len(turn.thetas) <= part.shape[1] and float((turn.compute(before) - part).abs().max()) <= most:
            return turn
    return None


def turns_in(buffers: Iterable[Tensor]) -> tuple[Rotate, ...]:
    """Return the rules that may turn a model's queries and keys, by what it keeps: each short row of positive numbers
    that fall may be the angles of its pairs, which are neighbours or lie half of the columns apart; and so may those be
    whose sines and cosines are the second row of a table, of place 1."""
    angles: dict[tuple[float, ...], None] = {}
    for buffer in buffers:
        if buffer.dim() == 1 and 1 <= len(buffer) <= _MOST_PAIRS and buffer.is_floating_point():
            values = buffer.detach().float().tolist()
        elif buffer.dim() == 2 and _begins_at_0(buffer):
            sines, cosines = buffer[1].detach().double().chunk(2)
            values = torch.atan2(sines, cosines).tolist()
        else:
            continue
        if all(value > 0 for value in values) and values == sorted(values, reverse=True):
            angles[tuple(values)] = None
    return tuple(Rotate(thetas=each, halves=halves) for each in angles for halves in (True, False))


def _begins_at_0(table: Tensor) -> bool:
    """Whether the first row of a table has the sines and cosines of place 0."""
    half = table.shape[1] // 2
    fits = len(table) > 1 and table.shape[1] == 2 * half and 1 <= half <= _MOST_PAIRS
    return fits and table[0].tolist() == [0.0] * half + [1.0] * half
