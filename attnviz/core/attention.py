"""Self-attention in plain torch, with every intermediate kept under its name."""

import math
from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np
import torch
from torch import Tensor, nn

from attnviz.core.heads import head_matrices, head_table, n_heads_in, seen_from, together
from attnviz.core.layers import is_stack, n_layers_in, of_layer, placed
from attnviz.core.limits import MAX_D, MAX_SEED, check_temperature, check_whole
from attnviz.core.mask_uses import ADDED, FACTOR, SHARED, ZEROED
from attnviz.core.rules import Scale, Softmax, later
from attnviz.core.rules.cell import OWN_ROWS
from attnviz.core.rules.softmax import COLUMNS, ROWS
from attnviz.core.seeding import seeded_projections
from attnviz.core.stages import BIASES, Stage, Table, attention_table, head_name
from attnviz.core.trace import Trace, run


class AttentionTrace(Trace):
    """Every intermediate of one self-attention, by name.

    `x` is ``(n_tokens, d_in)``; `w_q` and `w_k` are ``(d_in, d_k)``, `w_v` is ``(d_in, d_v)``; the biases are
    ``(d_k,)``, ``(d_k,)`` and ``(d_v,)``, or None; `q` and `k` are ``(n_tokens, d_k)``, `v` is ``(n_tokens, d_v)``;
    `scores`, `scaled_scores` (masked entries are -inf) and `attention_weights` (rows sum to 1) are
    ``(n_tokens, n_tokens)``: query, key; `context` is ``(n_tokens, d_v)``. With a batch, `x` and all that is
    computed from it have the batch's dimensions in front.

    With several layers names are paths, ``layers.0.scores``, and `layers` has each as a trace of its own with the names
    given here.

    With several heads, `q`, `k`, `v` and `context` hold them side by side in their columns, and `scores`,
    `scaled_scores` and `attention_weights` are ``(n_heads, n_tokens, n_tokens)``; `heads` has each alone. With an
    output projection there are `w_o` ``(d_v, d_v)``, `b_o` ``(d_v,)`` and `output` ``(n_tokens, d_v)``.

    Where another sentence is read, `y` ``(n_read, d_in)`` are the vectors of its tokens, `read_tokens`; then K and V
    have ``n_read`` rows, and scores, attention weights and a mask as many columns. Where one was kept, `y` are its
    vectors, `y_norm` these normed before attention, and `joined` ``(n_read, d_in)`` these with those of `x` below.

    Where there is a mask, `mask` is ``(n_tokens, n_tokens)``: one for all heads. Where numbers by distance are added to
    scores, `by_distance` is ``(n_heads, 2 * n_tokens - 1)``, and `distance_bias` is as `scores` are.
    Where positions are added, `x` is the sum of `e` and `p`, both ``(n_tokens, d_in)``. Where a feed-forward step
    follows, there are `w_1` ``(d_v, d_ff)``, `b_1`, `w_2` ``(d_ff, d_v)``, `b_2`, and `preactivations` and `hidden`
    ``(n_tokens, d_ff)``, `feed_forward` ``(n_tokens, d_v)``. Of a block there are the sums `residual_1` and
    `residual_2` and what layer norms make, `x_norm`, `residual_1_norm` and `residual_2_norm`, all ``(n_tokens, d_in)``,
    with gains `gamma_1`, `gamma_2` and offsets `beta_1`, `beta_2` ``(d_in,)``. All of these are None where they are
    switched off.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.1; sections 3.3 and 3.5.
    """

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
        """Return a matrix, that of all heads where each has its own, or None where this computation has none."""
        return self[name] if self._is_of_layer(name) or self._is_of_heads(name) else super().get(name)

    def __getattr__(self, name: str) -> Tensor:
        if "matrices" in self.__dict__ and self._is_of_heads(name):
            return self._stacked(name)
        if name == "x" and "stages" in self.__dict__ and is_stack(self.stages):  # what goes into all of them
            return self.layers[0].x
        return super().__getattr__(name)

    def _is_of_heads(self, name: str) -> bool:
        return name not in self.matrices and head_name(0, name) in self.matrices

    def _is_of_layer(self, name: str) -> bool:
        """Whether it is one layer's matrix of all its heads."""
        if name in self.matrices or not is_stack(self.stages):
            return False
        layer, own = placed(name)
        return layer < self.n_layers and own != name and self.layers[layer]._is_of_heads(own)

    def _stacked(self, name: str) -> Tensor:
        return together(self.stages, self.matrices, name)

    @property
    def n_layers(self) -> int:
        """How many layers come one after the other."""
        return n_layers_in(self.stages) if is_stack(self.stages) else 1

    @property
    def layers(self) -> tuple["AttentionTrace", ...]:
        """Each layer as a trace of its own, whose X is what the layer before it made."""
        return self._layers if is_stack(self.stages) else (self,)

    @cached_property
    def _layers(self) -> tuple["AttentionTrace", ...]:
        return tuple(
            AttentionTrace(*of_layer(self.stages, self.matrices, layer), self.tokens, self.notices)
            for layer in range(self.n_layers)
        )

    @property
    def n_heads(self) -> int:
        """How many heads attend side by side, in each layer."""
        return n_heads_in(self.stages)

    @property
    def heads(self) -> tuple["AttentionTrace", ...]:
        """Each head as a trace of its own, whose W_q, W_k and W_v are its own columns of the whole ones."""
        if is_stack(self.stages):
            raise AttributeError("each layer has heads of its own: layers[0].heads")
        return (self,) if self.n_heads == 1 else self._heads

    @cached_property
    def _heads(self) -> tuple["AttentionTrace", ...]:
        return tuple(
            AttentionTrace(
                head_table(self.stages, head), head_matrices(self.stages, self.matrices, head), self.tokens,
                self.notices,
            )
            for head in range(self.n_heads)
        )  # fmt: skip

    def seen_from(self, head: int, layer: int = 0) -> "AttentionTrace":
        """Return the whole computation of a layer as seen from one head, whose matrices have the names of attention:
        those of the others stand behind their paths, and the contexts of all are `contexts`."""
        if is_stack(self.stages):
            return self.layers[layer].seen_from(head)
        if self.n_heads == 1:
            return self
        return AttentionTrace(*seen_from(self.stages, self.matrices, head), self.tokens, self.notices)

    @property
    def scaling(self) -> Scale:
        """The rule that makes scaled scores of scores, with its settings: the same for all heads and layers."""
        if is_stack(self.stages):
            return self.layers[0].scaling
        name = "scaled_scores"
        rule = self.stages[name if name in self.stages else head_name(0, name)].rule
        assert isinstance(rule, Scale)
        return rule

    @property
    def is_hidden(self) -> np.ndarray:
        """Which keys the mask hides from which queries, ``(n_tokens, n_tokens)`` of bool: nothing without a mask."""
        mask = self.layers[0].mask
        if mask is None:
            first = self.layers[0]
            n_read = (first.x if first.y is None else first.y).shape[-2] if first.joined is None else len(first.joined)
            return np.zeros((first.x.shape[-2], n_read), dtype=bool)
        return mask.detach().cpu().numpy() == -np.inf

    @property
    def read_tokens(self) -> tuple[str, ...]:
        """The texts of the tokens that are read: its own, those of another sentence, or of a kept one and its own."""
        weights = (stage for stage in self.layers[0].stages.values() if stage.columns == "key")
        return next((stage.entries for stage in weights if stage.entries), self.tokens)

    @property
    def own_from(self) -> int | None:
        """Which key is that of its first token, behind those that were kept; None where another sentence is read."""
        weights = (stage for stage in self.layers[0].stages.values() if stage.columns == "key")
        return next((stage.own_from for stage in weights if stage.owners == OWN_ROWS), 0)

    @property
    def mask_use(self) -> str:
        """What is done with the mask, one of :data:`attnviz.core.mask_uses.MASK_USES`: what attention does, without."""
        stage = self._weighting
        if isinstance(stage.rule, Softmax) and len(stage.sources) > 1:
            return SHARED if stage.rule.shared else ZEROED
        return FACTOR if self.scaling.factor else ADDED

    @property
    def shared_over(self) -> str:
        """What becomes shares that sum to 1, one of :data:`attnviz.core.rules.softmax.AXES`: rows, in attention."""
        rule = self._weighting.rule
        return rule.axis if isinstance(rule, Softmax) else ROWS

    @property
    def _weighting(self) -> Stage:
        """The stage of attention weights, which is of one kind in all heads and layers."""
        stages, name = self.layers[0].stages, "attention_weights"
        return stages[name if name in stages else head_name(0, name)]

    @property
    def causal(self) -> bool:
        """Whether a token may attend to itself and those before it, and to no other."""
        mask, own_from = self.layers[0].mask, self.own_from
        if mask is None or own_from is None:
            return False
        n_queries, n_keys = mask.shape
        return bool((self.is_hidden == later(n_queries, n_keys, n_kept=own_from).numpy()).all())

    @property
    def scale(self) -> bool:
        """Whether scores are divided by √d_k."""
        return self.scaling.d_k is not None

    @property
    def temperature(self) -> float:
        """What scores are divided by once more."""
        return self.scaling.temperature

    @property
    def divisor(self) -> float:
        """What the scores are divided by: ``sqrt(d_k) * temperature``, or `temperature` unscaled."""
        return self.scaling.divisor


class UndefinedAttentionError(ValueError):
    """A row of scores has no finite entry, so its softmax is undefined; or a column, where it runs over columns.

    `trace` is the computation as far as it can be made (the attention weights of such rows are NaN),
    `rows` are the indices of the rows, or columns.
    """

    def __init__(self, trace: AttentionTrace, rows: tuple[int, ...], lost: bool = False, line: str = "row") -> None:
        self.trace = trace
        self.rows = rows
        named = ", ".join(_row_name(trace, row) for row in rows[:3])
        more = f" and {len(rows) - 3} more" if len(rows) > 3 else ""
        message = (
            f"attention_weights has nothing left in row {named}{more}, expected at least one key that isn't hidden"
        )
        if not lost:
            message = (
                f"scaled_scores has no finite value in {line} {named}{more}, "
                f"expected at least one finite score in each {line} for its softmax to exist"
            )
        super().__init__(message)


def attend(
    x: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    b_q: Tensor | None = None,
    b_k: Tensor | None = None,
    b_v: Tensor | None = None,
    causal: bool = False,
    scale: bool = True,
    temperature: float = 1.0,
    *,
    mask: Tensor | None = None,
    tokens: tuple[str, ...] = (),
    notices: tuple[str, ...] = (),
) -> AttentionTrace:
    """Compute scaled dot-product self-attention and keep every intermediate.

    `x` is ``(..., n_tokens, d_in)``, `w_q` and `w_k` are ``(d_in, d_k)``, `w_v` is ``(d_in, d_v)``, the biases
    ``(d_k,)``, ``(d_k,)``, ``(d_v,)``. `causal` lets no token attend to a later one; `scale` divides the scores
    by ``sqrt(d_k)``; `temperature` divides them once more. A `mask` ``(n_tokens, n_tokens)``, in place of `causal`, is
    added to the scaled scores, and where it holds -inf, so do they. `tokens` and `notices` are kept as given.

    Raises ``ValueError`` for shapes that do not fit, and :class:`UndefinedAttentionError` (a ``ValueError``)
    for a row without a finite score.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.1, equation 1.

    >>> eye = torch.eye(2)
    >>> attend(eye, eye, eye, eye, scale=False).attention_weights
    tensor([[0.7311, 0.2689],
            [0.2689, 0.7311]])
    """
    _check_shapes(x, w_q, w_k, w_v, b_q, b_k, b_v)
    _check_mask(mask, causal, x.shape[-2])
    if temperature != 1.0:
        check_temperature(temperature)
    d_k = w_q.shape[-1]
    q = x @ w_q if b_q is None else x @ w_q + b_q  # (n_tokens, d_k)
    k = x @ w_k if b_k is None else x @ w_k + b_k  # (n_tokens, d_k)
    v = x @ w_v if b_v is None else x @ w_v + b_v  # (n_tokens, d_v)
    scores = q @ k.mT  # (n_tokens, n_tokens): query, key
    scaled_scores = scores / ((math.sqrt(d_k) if scale else 1.0) * temperature)
    n_tokens = x.shape[-2]
    if causal:
        mask = torch.full((n_tokens, n_tokens), -math.inf, dtype=x.dtype, device=x.device).triu(1)
    if mask is not None:
        scaled_scores = (scaled_scores + mask).masked_fill(mask == -math.inf, -math.inf)  # even a score of inf
    attention_weights = torch.softmax(scaled_scores, dim=-1)  # each row sums to 1
    context = attention_weights @ v  # (n_tokens, d_v)
    given = {"x": x, "w_q": w_q, "w_k": w_k, "w_v": w_v, "b_q": b_q, "b_k": b_k, "b_v": b_v, "mask": mask}
    made = {
        "q": q, "k": k, "v": v, "scores": scores, "scaled_scores": scaled_scores,
        "attention_weights": attention_weights, "context": context,
    }  # fmt: skip
    table = attention_table(
        d_k, biases=tuple(name for name in BIASES if given[name] is not None), scale=scale, temperature=temperature,
        mask=mask is not None,
    )  # fmt: skip
    all_of_it = given | made
    matrices = {name: matrix for name in table if (matrix := all_of_it[name]) is not None}
    return with_defined_rows(AttentionTrace(table, matrices, tokens, notices))


def execute(
    stages: Table, given: Mapping[str, Tensor], tokens: Iterable[str] = (), notices: Iterable[str] = ()
) -> AttentionTrace:
    """Run a table of stages that holds an attention, and keep every intermediate.

    Raises :class:`UndefinedAttentionError` (a ``ValueError``) for a row without a finite score.

    >>> eye = torch.eye(2)
    >>> table = attention_table(2, biases=(), scale=False)
    >>> execute(table, {"x": eye, "w_q": eye, "w_k": eye, "w_v": eye}).context
    tensor([[0.7311, 0.2689],
            [0.2689, 0.7311]])
    """
    return with_defined_rows(AttentionTrace(stages, run(stages, given), tokens, notices))


def with_defined_rows(trace: AttentionTrace) -> AttentionTrace:
    """Return the trace, or raise :class:`UndefinedAttentionError` where a row of scores has no softmax."""
    made = trace.matrices
    for layer in (trace,) if "context" in made else trace.layers:
        # A cheap look for a NaN, which no sum loses; infinities of both signs make one, too, and are looked at closer.
        if math.isnan(layer.matrices["context"].sum().item()):
            if layer.shared_over == COLUMNS:
                _check_columns(trace, layer)
                return trace
            empty = ~torch.isfinite(layer.scaled_scores).any(-1)
            # What a mask leaves of a row after the softmax may be nothing, too.
            lost = layer.attention_weights.isnan().all(-1) & torch.isfinite(layer.scaled_scores).all(-1)
            for bad in (empty, lost):
                if bad.any():  # in several heads, the same row counts once
                    rows = tuple(sorted(set(bad.nonzero()[:, -1].tolist())))
                    raise UndefinedAttentionError(trace, rows, lost=bad is lost)
    return trace


def _check_columns(trace: AttentionTrace, layer: AttentionTrace) -> None:
    """Raise :class:`UndefinedAttentionError` where a softmax over columns meets one without a finite score."""
    empty = ~torch.isfinite(layer.scaled_scores).any(-2)
    if empty.any():
        raise UndefinedAttentionError(trace, tuple(sorted(set(empty.nonzero()[:, -1].tolist()))), line="column")


def _row_name(trace: AttentionTrace, row: int) -> str:
    return f"{row} ({trace.tokens[row]!r})" if row < len(trace.tokens) else str(row)


def _check_shapes(
    x: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    b_q: Tensor | None,
    b_k: Tensor | None,
    b_v: Tensor | None,
) -> None:
    if x.dim() < 2 or 0 in x.shape:
        raise ValueError(f"x has shape {tuple(x.shape)}, expected (n_tokens, d_in) with neither of them 0")
    d_in = x.shape[-1]
    if w_q.dim() != 2 or w_q.shape[0] != d_in or w_q.shape[1] == 0:
        raise ValueError(f"w_q has shape {tuple(w_q.shape)}, expected ({d_in}, d_k) to fit x {tuple(x.shape)}")
    if w_k.shape != w_q.shape:
        raise ValueError(f"w_k has shape {tuple(w_k.shape)}, expected {tuple(w_q.shape)} like w_q")
    if w_v.dim() != 2 or w_v.shape[0] != d_in or w_v.shape[1] == 0:
        raise ValueError(f"w_v has shape {tuple(w_v.shape)}, expected ({d_in}, d_v) to fit x {tuple(x.shape)}")
    for name, b, width in (("b_q", b_q, w_q.shape[1]), ("b_k", b_k, w_q.shape[1]), ("b_v", b_v, w_v.shape[1])):
        if b is not None and b.shape != (width,):
            raise ValueError(f"{name} has shape {tuple(b.shape)}, expected ({width},)")


def _check_mask(mask: Tensor | None, causal: bool, n_tokens: int) -> None:
    if mask is None:
        return
    if causal:
        raise ValueError("causal is True and a mask is given, expected one of them")
    if mask.shape != (n_tokens, n_tokens):
        raise ValueError(f"mask has shape {tuple(mask.shape)}, expected ({n_tokens}, {n_tokens})")


class SelfAttention(nn.Module):
    """Self-attention as a module, with the same numbers as the scenario of the same seed.

    Parameters are `w_q`, `w_k` ``(d_in, d_out)``, `w_v` ``(d_in, d_v)`` (`d_v` None is `d_out`) and, with `bias`,
    `b_q`, `b_k`, `b_v` of these widths, drawn by :func:`attnviz.core.seeding.seeded_projections`.

    Raises ``ValueError`` for an unknown init and over the limits of a scenario.

    >>> SelfAttention(d_in=3, d_out=2, seed=123)(torch.ones(4, 6, 3)).shape
    torch.Size([4, 6, 2])
    """

    w_q: Tensor
    w_k: Tensor
    w_v: Tensor
    b_q: Tensor | None
    b_k: Tensor | None
    b_v: Tensor | None

    def __init__(
        self,
        d_in: int,
        d_out: int,
        init: str = "uniform",
        seed: int = 123,
        bias: bool = False,
        causal: bool = False,
        scale: bool = True,
        temperature: float = 1.0,
        d_v: int | None = None,
    ) -> None:
        super().__init__()
        check_whole("d_in", d_in, 1, MAX_D)
        check_whole("d_out", d_out, 1, MAX_D)
        check_whole("d_v", d_out if d_v is None else d_v, 1, MAX_D)
        check_whole("seed", seed, 0, MAX_SEED)
        check_temperature(temperature)
        self.causal = causal
        self.scale = scale
        self.temperature = temperature
        for name, drawn in seeded_projections(d_in, d_out, init, seed, bias, d_v)._asdict().items():
            self.register_parameter(name, None if drawn is None else nn.Parameter(drawn))

    def trace(self, x: Tensor) -> AttentionTrace:
        """Return every intermediate for `x` ``(..., n_tokens, d_in)``."""
        return attend(
            x, self.w_q, self.w_k, self.w_v, self.b_q, self.b_k, self.b_v,
            causal=self.causal, scale=self.scale, temperature=self.temperature,
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        """Return the context vectors ``(..., n_tokens, d_v)`` for `x` ``(..., n_tokens, d_in)``."""
        return self.trace(x).context
