"""One attention of a model, and the products with weights before it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from torch import Tensor


@dataclass(frozen=True)
class Projection:
    """A product of `x` ``(n, d_in)`` with one of a model's weights.

    `product` is ``(n, d_out)``, as the model made it, `weight` ``(d_in, d_out)``, perhaps with changes, and `bias`
    ``(d_out,)`` or None. `pointer` is the memory address of the model's own weight.
    """

    x: Tensor
    weight: Tensor
    bias: Tensor | None
    product: Tensor
    pointer: int = 0
    rewritten: Tensor | None = None  # the model's own product, if the model changes it in place afterwards


@dataclass(frozen=True)
class Subtracted:
    """The part that differential attention subtracts: `factor` times a second softmax.

    `query` and `key` are those of the second softmax; `first` and `second` are both softmaxes, ``(n_heads,
    n_queries, n_keys)``. `factor` is λ, and `start` is λ_init, the part of λ that isn't learned.
    """

    query: Tensor
    key: Tensor
    first: Tensor
    second: Tensor
    factor: float
    start: float


@dataclass(frozen=True)
class AttentionRecord:
    """One attention of a model, for one sequence.

    `query` is ``(n_heads, n_queries, d_k)``, `key` and `value` are ``(n_kv_heads, n_keys, d_k)`` and ``(n_kv_heads,
    n_keys, d_v)``. `added`, ``(n_heads or 1, n_queries, n_keys)`` or None, is the mask and bias added to the scaled
    scores: -inf where a key is hidden. `bias`, of the same shape, is that without the mask, None if nothing remains;
    `learned` says whether its numbers are the model's own weights. Scores are multiplied by `scaling`, and then kept
    below `cap` before anything is added. `sinks` ``(n_heads,)`` are further scores in each row's softmax, for which
    nothing is read. `weights` ``(n_heads, n_queries, n_keys)`` and `context` ``(n_heads, n_queries, d_v)`` are the
    model's own, None if it doesn't return them. `projections` are the products with weights that it has computed since
    the attention before.
    """

    query: Tensor
    key: Tensor
    value: Tensor
    added: Tensor | None
    scaling: float
    weights: Tensor | None
    context: Tensor | None
    projections: tuple[Projection, ...]
    module: Any = None  # the module that attends, if known
    output: Projection | None = None  # the product of all heads' contexts with W_o, if found
    bias: Tensor | None = None
    learned: bool = False
    cap: float | None = None
    sinks: Tensor | None = None
    rewritten: bool = False  # whether the model changes the context in place afterwards
    subtracted: Subtracted | None = None  # the second softmax of a differential attention

    @property
    def is_weights_alone(self) -> bool:
        """Whether only its weights are known."""
        return self.query.shape[-1] == 0

    @property
    def calls(self) -> int:
        """The number of times that its module attends for it."""
        return 1 if self.subtracted is None else 2

    def scores(self) -> Tensor:
        """Return all heads' products of queries and keys, ``(n_heads, n_queries, n_keys)``."""
        keys = self.key.repeat_interleave(len(self.query) // len(self.key), 0)
        return (self.query[None] @ keys[None].mT)[0]

    def computed(self) -> Iterator[Tensor]:
        """Yield the computed tensors: all but the model's own weights."""
        projections = (*self.projections, *(() if self.output is None else (self.output,)))
        own = (self.query, self.key, self.value, self.added, self.bias, self.weights, self.context)
        yield from (each for each in own if each is not None)
        if (less := self.subtracted) is not None:
            yield from (less.query, less.key, less.first, less.second)
        yield from (each for one in projections for each in (one.x, one.product))
