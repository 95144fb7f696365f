"""One attention of a model: each of its heads as a trace."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import torch
from torch import Tensor

from attnviz.core.attention import AttentionTrace
from attnviz.core.layers import reading_others
from attnviz.core.rules import Rotate
from attnviz.explanation.head_figures import HeadFigures, figures_of_heads
from attnviz.features.language_models.inside.edits import EVEN, OFF
from attnviz.features.language_models.inside.heads.tables import (
    averaged,
    head_trace,
    parts_of,
    rows_sum_to_1,
    weights_alone,
    with_output,
)
from attnviz.features.language_models.inside.layers.between import given_by, products_of_input, symbols_of
from attnviz.features.language_models.inside.layers.differential import differential_trace, halves_of
from attnviz.features.language_models.inside.layers.latent import with_latents
from attnviz.features.language_models.inside.norms import norms_of
from attnviz.features.language_models.inside.projections import ProjectedHeads, found_in_halves, projected_heads
from attnviz.features.language_models.inside.seen.attended import AttentionRecord
from attnviz.words import later

Kind = Literal["encoder", "decoder", "cross"]
_KEPT = 2**19  # numbers in each of three matrices of a layer's heads that are kept once made


@dataclass(frozen=True, repr=False)
class Layer:
    """One attention of a model, with the model's own tensors in `attended`.

    `tokens` are those that read, `read` those that may be read. They differ in a decoder layer that reads an encoder,
    which has the `kind` "cross".
    """

    attended: AttentionRecord
    kind: Kind
    tokens: tuple[str, ...]
    read: tuple[str, ...]
    turns: tuple[Rotate, ...] = ()
    changed: Mapping[int, tuple[str, ...]] = field(default_factory=dict)  # head -> names of its changed matrices
    number: int = 0  # index among all layers of the model, with or without attention
    attention: int = 0  # index among all attentions of the model, in the order in which it computes them
    beside: str = ""  # how the layer also mixes tokens, besides its attention, as in `OtherLayer.does`; mostly blank

    def __repr__(self) -> str:
        """Return a short description, because all numbers would fill pages."""
        n_queries, n_keys = self.attended.query.shape[-2], self.attended.key.shape[-2]
        return f"Layer({self.number}, {self.kind!r}, n_queries={n_queries}, n_keys={n_keys}, n_heads={self.n_heads})"

    @property
    def n_heads(self) -> int:
        """The number of heads, side by side."""
        return self.attended.query.shape[0]

    @property
    def weights(self) -> Tensor:
        """The attention weights of all heads, ``(n_heads, n_queries, n_keys)``."""
        return self._stacked if self.attended.weights is None else self.attended.weights

    @cached_property
    def _stacked(self) -> Tensor:
        return torch.stack([self.head(head).attention_weights for head in range(self.n_heads)])

    @property
    def calls(self) -> range:
        """The indices of the layer's calls of attention: two for differential attention."""
        return range(self.attention, self.attention + self.attended.calls)

    def places(self, head: int) -> list[tuple[int, int]]:
        """Return a head's places in the model as (attention, head)."""
        heads = range(head, self.attended.calls * self.n_heads, self.n_heads)
        return [(attention, each) for attention in self.calls for each in heads]

    @property
    def computed_weights(self) -> dict[int, Tensor]:
        """The weights of each of the layer's calls of attention."""
        less = self.attended.subtracted
        return dict.fromkeys(self.calls, self.weights if less is None else torch.cat([less.first, less.second]))

    @cached_property
    def projected(self) -> Mapping[str, ProjectedHeads]:
        """How each head's queries, keys and values were made, None if unknown."""
        return self._projected_of(self.attended)

    def _projected_of(self, attended: AttentionRecord) -> dict[str, ProjectedHeads]:
        parts = {"q": attended.query, "k": attended.key, "v": attended.value}
        turns = {"q": self.turns, "k": self.turns, "v": ()}
        norms = {name: norms_of(attended.module, name) if name != "v" else () for name in parts}
        products = products_of_input(attended)
        made = {name: projected_heads(part, products, turns[name], norms[name]) for name, part in parts.items()}
        return made if self.attended.subtracted is None else made | {"v": found_in_halves(parts["v"], products)}

    @cached_property
    def _halves(self) -> tuple[tuple[AttentionRecord, Mapping[str, ProjectedHeads]], ...]:
        """Both softmaxes of a differential attention, and how their parts were made."""
        return tuple((each, self._projected_of(each)) for each in halves_of(self.attended))

    def between(self, trace: AttentionTrace) -> dict[str, tuple[str, ...]]:
        """Return which of Q, K and V are given, by reason.

        The reason is a "norm", or a "latent" vector from which they are made; a part with neither is left out.
        """
        return given_by(self.attended.module, tuple(name for name in "qkv" if _is_given(trace, name)))

    @cached_property
    def _rewritten(self) -> Mapping[str, ProjectedHeads]:
        """How parts were made of products that were changed in place."""
        changed = tuple(
            replace(each, product=each.rewritten) for each in self.attended.projections if each.rewritten is not None
        )
        parts = {"q": self.attended.query, "k": self.attended.key, "v": self.attended.value}
        return {name: projected_heads(part, changed, self.turns if name != "v" else ()) for name, part in parts.items()}

    def _rewritten_in(self, head: int) -> tuple[str, ...]:
        """Return which parts of a head a model changed in place."""
        shared = head * len(self.attended.key) // self.n_heads
        places = {"q": head, "k": shared, "v": shared}
        return tuple(
            name
            for name, made in self._rewritten.items()
            if self.projected[name](places[name]) is None and made(places[name]) is not None
        )

    @cached_property
    def _heads(self) -> dict[int, AttentionTrace]:
        return {}

    @property
    def most_kept(self) -> int:
        """The number of heads kept once made; fewer for many tokens."""
        return min(self.n_heads, max(1, _KEPT // (self.attended.query.shape[-2] * self.attended.key.shape[-2])))

    def head(self, head: int) -> AttentionTrace:
        """Return one head as a trace."""
        kept = self._heads
        made = kept.get(head)
        if made is not None:
            return made
        made = self._head(head)
        for other in list(kept)[: max(0, len(kept) + 1 - self.most_kept)]:
            kept.pop(other, None)
        kept[head] = made
        return made

    def _head(self, head: int) -> AttentionTrace:
        others = self.kind == "cross"
        changed = self.changed.get(head, ())
        if self.attended.is_weights_alone:
            return weights_alone(self.attended, head, self.tokens, self.read)
        if self.attended.subtracted is not None:
            return self._differential(head, changed)
        parts = parts_of(self.attended, self.projected, head, others=others, sink=EVEN not in changed)
        trace = head_trace(replace(parts, rewritten=self._rewritten_in(head)), self.tokens, changed)
        if not {*"qkv"}.intersection(changed):
            trace = with_latents(trace, self.attended, self.turns)
        told = [later(f"models.between.{why}", matrices=symbols_of(trace, names))
                for why, names in self.between(trace).items()]  # fmt: skip
        trace = AttentionTrace(trace.stages, trace.matrices, trace.tokens, [*trace.notes, *told]) if told else trace
        if not others or len(self.read) != self.attended.key.shape[-2]:
            return trace
        return AttentionTrace(reading_others(trace.stages, self.read), trace.matrices, trace.tokens, trace.notes)

    def _differential(self, head: int, changed: tuple[str, ...]) -> AttentionTrace:
        """Return a head that subtracts one softmax from another."""
        one, other = (
            head_trace(parts_of(attended, projected, head), self.tokens, tuple(each for each in changed if each != OFF))
            for attended, projected in self._halves
        )
        assert self.attended.subtracted is not None
        assert self.attended.context is not None
        context = self.attended.context[head]
        return differential_trace((one, other), self.attended.subtracted, self.weights[head], context, changed)

    @cached_property
    def _figures(self) -> dict[tuple[bool, ...], list[HeadFigures | None]]:
        return {}

    def figures(self, special: tuple[bool, ...]) -> list[HeadFigures | None]:
        """Return all heads' measured figures; `special` marks tokens outside the text."""
        if special not in self._figures:
            added = self.attended.added
            readable = None if added is None else added != -math.inf
            found = figures_of_heads(self.weights, self.tokens, readable, special)
            nothing = readable is not None and not bool(readable.any(-1).all())
            # For rows that don't sum to 1, the upper bound of the entropy doesn't hold.
            if self.attended.sinks is not None or self.attended.subtracted is not None or nothing or self._any_sums:
                found = [None if each is None else replace(each, most=None) for each in found]
            self._figures[special] = found
        return self._figures[special]

    @property
    def _any_sums(self) -> bool:
        """Whether its rows may have any sums, because weights alone are known."""
        return self.attended.is_weights_alone and not rows_sum_to_1(self.weights)

    def average(self) -> AttentionTrace:
        """Return a trace of the attention weights, averaged over all heads."""
        return averaged(self.head(0), self.weights)

    def output(self, head: int) -> AttentionTrace | None:
        """Return one head with its rows of `w_o` and its `output`.

        The outputs of all heads, and a bias, sum to the attention's output. None if W_o isn't found.
        """
        found = self.attended.output
        if found is None:
            return None
        trace = self.head(head)
        d_v = trace.context.shape[1]
        return with_output(trace, found.weight[head * d_v : (head + 1) * d_v])

    def whole(self, head: int) -> AttentionTrace:
        """Return one head, with its part of the output if that's known."""
        return self.output(head) or self.head(head)


def _is_given(trace: AttentionTrace, name: str) -> bool:
    """Whether Q, K or V of a head stands without W."""
    return trace.stages[name].rule is None and f"w_{name}" not in trace.stages
