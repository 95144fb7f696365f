"""The trace of attention: every intermediate, by heads and layers."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from torch import Tensor

from attnviz.core.heads import for_head, head_matrices, head_table, n_heads_in, together
from attnviz.core.layers import is_stack, n_layers_in, of_layer, placed
from attnviz.core.limits import check_type
from attnviz.core.masks import ADDED, USES, MaskUse
from attnviz.core.rules import Scale, causal_mask, scaling_of
from attnviz.core.rules.rows import ROWS
from attnviz.core.rules.stage import OWN_ROWS
from attnviz.core.stages import MASK, Table, head_name
from attnviz.core.trace import Trace
from attnviz.core.what_if import PLACES


class AttentionTrace(Trace):
    """Every intermediate of one self-attention, by name.

    `x` is ``(n_tokens, d_in)``; `w_q` and `w_k` are ``(d_in, d_k)``, `w_v` is ``(d_in, d_v)``; the biases are
    ``(d_k,)``, ``(d_k,)`` and ``(d_v,)``, or None; `q` and `k` are ``(n_tokens, d_k)``, `v` is ``(n_tokens, d_v)``;
    `scores`, `scaled_scores` (masked entries are -inf) and `attention_weights` (rows sum to 1) are
    ``(n_tokens, n_tokens)``: query, key; `context` is ``(n_tokens, d_v)``. With a batch, `x` and all that is
    computed from it have the batch's dimensions in front.

    With several layers, names are paths such as ``layers.0.scores``, and `layers` holds a trace of each layer, with the
    names given here.

    With several heads, `q`, `k`, `v` and `context` hold the heads side by side in their columns, and `scores`,
    `scaled_scores` and `attention_weights` are ``(n_heads, n_tokens, n_tokens)``; `heads` holds a trace of each head.
    An output projection adds `w_o` ``(d_v, d_v)``, `b_o` ``(d_v,)`` and `output` ``(n_tokens, d_v)``.

    With cross-attention, `y` ``(n_read, d_in)`` holds the vectors of the second sentence's tokens, `read_tokens`; K and
    V then have ``n_read`` rows, and scores, attention weights and a mask have ``n_read`` columns. With a kept sentence,
    `y` holds its vectors, `y_norm` these after the layer norm before attention, and `joined` ``(n_read, d_in)`` the
    kept vectors with those of `x` below them.

    A `mask` is ``(n_tokens, n_tokens)``, the same for all heads. Where numbers by distance are added to scores,
    `by_distance` is ``(n_heads, 2 * n_tokens - 1)``, and `distance_bias` has the shape of `scores`. Where positions are
    added, `x` is the sum of `e` and `p`, both ``(n_tokens, d_in)``, and the `y` of a kept sentence is the sum of `e_y`
    and `p_y`. A feed-forward step adds `w_1` ``(d_v, d_ff)``, `b_1`, `w_2` ``(d_ff, d_v)`` and `b_2`, and the results
    `preactivations` and `hidden` ``(n_tokens, d_ff)`` and `feed_forward` ``(n_tokens, d_v)``. A block adds the sums
    `residual_1` and `residual_2` and the results of its layer norms, `x_norm`, `residual_1_norm` and `residual_2_norm`,
    all ``(n_tokens, d_in)``, with gains `gamma_1`, `gamma_2` and offsets `beta_1`, `beta_2` ``(d_in,)``. Each of these
    is None while it's switched off.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.1; sections 3.3 and 3.5.
    """

    e_y: Tensor | None = None
    p_y: Tensor | None = None
    y: Tensor | None = None
    y_norm: Tensor | None = None
    joined: Tensor | None = None
    e: Tensor | None = None
    p: Tensor | None = None
    x: Tensor
    w_q: Tensor
    w_k: Tensor
    w_v: Tensor
    b_q: Tensor | None = None
    b_k: Tensor | None = None
    b_v: Tensor | None = None
    mask: Tensor | None = None
    by_distance: Tensor | None = None
    distance_bias: Tensor | None = None
    q: Tensor
    k: Tensor
    v: Tensor
    scores: Tensor
    scaled_scores: Tensor
    attention_weights: Tensor
    context: Tensor
    w_o: Tensor | None = None
    b_o: Tensor | None = None
    output: Tensor | None = None
    w_1: Tensor | None = None
    b_1: Tensor | None = None
    w_2: Tensor | None = None
    b_2: Tensor | None = None
    preactivations: Tensor | None = None
    hidden: Tensor | None = None
    feed_forward: Tensor | None = None
    gamma_1: Tensor | None = None
    beta_1: Tensor | None = None
    gamma_2: Tensor | None = None
    beta_2: Tensor | None = None
    x_norm: Tensor | None = None
    residual_1: Tensor | None = None
    residual_1_norm: Tensor | None = None
    residual_2: Tensor | None = None
    residual_2_norm: Tensor | None = None

    def __getitem__(self, name: str) -> Tensor:
        if self._is_of_layer(name):
            layer, own = placed(name)
            return self.layers[layer][own]
        return self._stacked(name) if self._is_of_heads(name) else super().__getitem__(name)

    def get(self, name: str) -> Tensor | None:
        """Return a matrix, stacked where each head has one, or None."""
        check_type("name", name, str, "a matrix's name")
        return self[name] if self._is_of_layer(name) or self._is_of_heads(name) else super().get(name)

    def __getattr__(self, name: str) -> Tensor:
        if "matrices" in self.__dict__ and self._is_of_heads(name):
            return self._stacked(name)
        if name == "heads":  # only a stack of layers has none
            raise AttributeError("each layer has heads of its own, expected one's: layers[0].heads")
        if name == "x" and "stages" in self.__dict__ and is_stack(self.stages):  # the input of the first layer
            return self.layers[0].x
        return super().__getattr__(name)

    def _is_of_heads(self, name: str) -> bool:
        return name not in self.matrices and head_name(0, name) in self.matrices

    def _is_of_layer(self, name: str) -> bool:
        """Whether a name such as ``layers.0.scores`` combines all heads of a layer."""
        if name in self.matrices or not is_stack(self.stages):
            return False
        layer, own = placed(name)
        return layer < self.n_layers and own != name and self.layers[layer]._is_of_heads(own)

    def _stacked(self, name: str) -> Tensor:
        return together(self.stages, self.matrices, name)

    @property
    def n_layers(self) -> int:
        """The number of layers."""
        return n_layers_in(self.stages) if is_stack(self.stages) else 1

    @property
    def layers(self) -> tuple["AttentionTrace", ...]:
        """A trace of each layer; its X is the previous layer's output."""
        return self._layers if is_stack(self.stages) else (self,)

    @cached_property
    def _layers(self) -> tuple["AttentionTrace", ...]:
        return tuple(
            AttentionTrace(*of_layer(self.stages, self.matrices, layer), self.tokens, self.notes,
                           self.chances[layer : layer + 1])
            for layer in range(self.n_layers)
        )  # fmt: skip

    def _part(self, table: Table, matrices: Mapping[str, Tensor]) -> "AttentionTrace":
        return AttentionTrace(table, matrices, self.tokens, self.notes, self.chances)

    @property
    def n_heads(self) -> int:
        """The number of heads in each layer."""
        return n_heads_in(self.stages)

    @property
    def heads(self) -> tuple["AttentionTrace", ...]:
        """A trace of each head, with its own columns of the W's."""
        if is_stack(self.stages):
            raise AttributeError("each layer has heads of its own: layers[0].heads")
        return (self,) if self.n_heads == 1 else self._heads

    @cached_property
    def _heads(self) -> tuple["AttentionTrace", ...]:
        return tuple(
            self._part(head_table(self.stages, head), head_matrices(self.stages, self.matrices, head))
            for head in range(self.n_heads)
        )

    def for_head(self, head: int, layer: int = 0) -> "AttentionTrace":
        """Return a layer seen from one head, whose matrices have plain names."""
        if is_stack(self.stages):
            return self.layers[layer].for_head(head)
        if self.n_heads == 1:
            return self
        return self._part(*for_head(self.stages, self.matrices, head))

    @property
    def scaling(self) -> Scale:
        """The rule that scales scores, the same in all heads and layers."""
        if is_stack(self.stages):
            return self.layers[0].scaling
        name = "scaled_scores"
        scaling = scaling_of(self.stages[name if name in self.stages else head_name(0, name)].rule)
        assert scaling is not None
        return scaling

    @property
    def is_hidden(self) -> np.ndarray:
        """Which keys are hidden from which queries: ``(n_tokens, n_tokens)`` of bool."""
        mask = self.layers[0].mask
        if mask is None:
            first = self.layers[0]
            n_read = (first.x if first.y is None else first.y).shape[-2] if first.joined is None else len(first.joined)
            return np.zeros((first.x.shape[-2], n_read), dtype=bool)
        return mask.detach().cpu().numpy() == -np.inf

    @property
    def read_tokens(self) -> tuple[str, ...]:
        """The keys' tokens: the sentence's own, a second sentence's, or kept ones."""
        weights = (stage for stage in self.layers[0].stages.values() if stage.columns == "key")
        return next((stage.entries for stage in weights if stage.entries), self.tokens)

    @property
    def first_own_key(self) -> int | None:
        """The index of the sentence's own first key; None with cross-attention."""
        weights = (stage for stage in self.layers[0].stages.values() if stage.columns == "key")
        return next((stage.first_own_key for stage in weights if stage.owners == OWN_ROWS), 0)

    @property
    def mask_use(self) -> MaskUse:
        """How the mask is applied: one of :data:`attnviz.core.masks.USES`."""
        mask = self.layers[0].stages.get(MASK)
        return USES[ADDED] if mask is None or mask.masked is None else mask.masked.use

    @property
    def shared_over(self) -> str:
        """The axis along which weights sum to 1, of :data:`attnviz.core.rules.rows.AXES`."""
        stages, name = self.layers[0].stages, "attention_weights"
        rule = stages[name if name in stages else head_name(0, name)].rule
        return ROWS if rule is None else str(rule.settings.get("axis", ROWS))

    @property
    def switched_on(self) -> tuple[str, ...]:
        """The switches of :mod:`attnviz.core.what_if` that are on."""
        on = {each for stage in self.layers[0].stages.values() for each in stage.switched}
        return tuple(each for each in PLACES if each in on)

    @property
    def causal(self) -> bool:
        """Whether each token reads only itself and earlier tokens."""
        mask, first_own_key = self.layers[0].mask, self.first_own_key
        if mask is None or first_own_key is None:
            return False
        n_queries, n_keys = mask.shape
        return bool((self.is_hidden == causal_mask(n_queries, n_keys, n_memory=first_own_key).numpy()).all())

    @property
    def scale(self) -> bool:
        """Whether scores are divided by √d_k."""
        return self.scaling.d_k is not None

    @property
    def temperature(self) -> float:
        """The temperature, by which scores are divided, too."""
        return self.scaling.temperature

    @property
    def divisor(self) -> float:
        """The divisor of the scores: ``sqrt(d_k) * temperature``, or `temperature` if unscaled."""
        return self.scaling.divisor
