"""One token's row of attention in tiles, with its sentences."""

from dataclasses import dataclass

import torch
from torch import Tensor

from attnviz.core.attention import AttentionTrace
from attnviz.core.tokens import visible
from attnviz.features.costs.online_softmax import TileStep, tiles
from attnviz.words import listed, plural, say
from attnviz.words.numbers import written

MOST_KEYS_DRAWN = 24  # a column of the picture for each key
_MOST_FEATURES = 6  # numbers of O that are written out
_DIGITS = 3
_SAME = 1e-4  # the largest difference to the context vectors, relative to their largest number


@dataclass(frozen=True, eq=False)
class RowInTiles:
    """A token's scores and values, and what each tile adds.

    `scores` are its scaled scores ``(n_keys,)`` with the mask in them, `plain` its context vector ``(d_v,)`` as the
    softmax of the whole row gives it.
    """

    token: str
    keys: tuple[str, ...]
    scores: Tensor
    plain: Tensor
    steps: tuple[TileStep, ...]

    def bars(self, at: int) -> list[float]:
        """Return e^(score - m) for each key read so far."""
        step = self.steps[at]
        weights = (self.scores[: step.stop] - step.m[0]).exp().nan_to_num(0.0)  # NaN where nothing may be read yet
        return [float(weight) for weight in weights]

    def numbers(self, at: int) -> dict[str, str]:
        """Return m, l, O and O / l after a tile."""
        step = self.steps[at]
        return {"m": _written(step.m), "l": _written(step.l), "O": _written(step.O[0]),
                "output": _written(step.output[0])}  # fmt: skip

    def told(self, at: int) -> str:
        """Return what the tile did, in words."""
        step = self.steps[at]
        keys = listed([f"“{key}”" for key in self.keys[step.start : step.stop]])
        parts = [say("costs.tiles.reads", at=at + 1, keys=keys)]
        m, factor = float(step.m[0]), float(step.factor[0])
        if m == -torch.inf:
            parts.append(say("costs.tiles.hidden"))
        elif at == 0 or float(self.steps[at - 1].m[0]) == -torch.inf:
            parts.append(say("costs.tiles.first", m=_written(step.m)))
        elif factor < 1:
            before = self.steps[at - 1].m
            parts.append(say("costs.tiles.larger", m=_written(step.m), before=_written(before),
                             factor=written(factor, _DIGITS)))  # fmt: skip
        else:
            parts.append(say("costs.tiles.no_larger", m=_written(step.m)))
        if at == len(self.steps) - 1:
            parts.append(say("costs.tiles.ends", plain=_written(self.plain)))
        return " ".join(parts)

    def name_of(self, at: int) -> str:
        """Return the tile's name, such as "tile 2 of 3"."""
        return say("costs.tiles.at", number=at + 1, of=len(self.steps), keys=plural(self.steps[at].stop, "key"))


def _written(numbers: Tensor) -> str:
    texts = [written(float(each), _DIGITS) for each in numbers.flatten()[:_MOST_FEATURES]]
    if numbers.numel() > _MOST_FEATURES:
        texts.append("…")
    return texts[0] if numbers.numel() == 1 else f"({', '.join(texts)})"


def row_in_tiles(trace: AttentionTrace, query: int, size: int) -> RowInTiles | None:
    """Return a token's row in tiles of `size` keys.

    None where its attention weights aren't the softmax of its scaled scores alone, or where it has more keys than the
    picture has columns.
    """
    scores, values, context = (trace.get(name) for name in ("scaled_scores", "v", "context"))
    if scores is None or values is None or context is None:
        return None
    if scores.dim() != 2 or scores.shape[-1] > MOST_KEYS_DRAWN:
        return None
    steps = tiles(scores[query : query + 1], values, size)
    apart = (steps[-1].output[0] - context[query]).abs().max()
    if not apart <= _SAME * max(1.0, float(context[query].abs().max())):
        return None
    keys = tuple(map(visible, trace.read_tokens))
    return RowInTiles(visible(trace.tokens[query]), keys, scores[query], context[query], steps)
