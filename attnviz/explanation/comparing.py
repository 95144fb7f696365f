"""Two traces compared, matrix by matrix."""

from dataclasses import dataclass, replace
from types import MappingProxyType

import torch
from torch import Tensor

from attnviz.core.attention import AttentionTrace
from attnviz.core.heads import CONTEXTS

# The attention weights, and the outputs of a head, of all heads, of attention and of the feed-forward step.
COMPARED = ("attention_weights", "context", CONTEXTS, "output", "feed_forward")
_ROUNDING = 4 * torch.finfo(torch.float32).eps  # relative to a matrix's largest number; large scores allow more


@dataclass(frozen=True)
class Comparison:
    """The traces of two scenarios, A and B, whatever their sentences."""

    a: AttentionTrace
    b: AttentionTrace

    @classmethod
    def of_heads(cls, a: AttentionTrace, b: AttentionTrace, head: int, layer: int = 0) -> "Comparison":
        """Compare this head and layer, or the last ones if there're fewer.

        >>> from attnviz.core.scenario import Scenario, trace
        >>> one, two = trace(Scenario("a b")), trace(Scenario("a b", n_heads=2))
        >>> Comparison.of_heads(one, two, 1).names
        ('attention_weights', 'context', 'contexts')
        """
        seen = [trace.for_head(min(head, trace.n_heads - 1), min(layer, trace.n_layers - 1)) for trace in (a, b)]
        several = max(a.n_heads, b.n_heads) > 1
        return cls(*(_with_contexts(trace) if several and trace.n_heads == 1 else trace for trace in seen))

    @property
    def names(self) -> tuple[str, ...]:
        """The compared matrices that both traces have."""
        return tuple(name for name in COMPARED if name in self.a.stages and name in self.b.stages)

    def difference(self, name: str) -> Tensor | None:
        """Return B - A of one matrix ``(rows, columns)``, on the CPU.

        A difference that rounding may have made is 0. It's None if the shapes differ.

        >>> from attnviz.core.scenario import Scenario, trace
        >>> same = Comparison(trace(Scenario("a b")), trace(Scenario("a b")))
        >>> same.difference("attention_weights")
        tensor([[0., 0.],
                [0., 0.]])
        """
        a, b = (getattr(trace, name).detach().cpu() for trace in (self.a, self.b))
        if a.shape != b.shape:
            return None
        moved = b - a
        scores = max(_largest(trace.scaled_scores) for trace in (self.a, self.b))
        return moved.where(~(moved.abs() <= _ROUNDING * max(1.0, scores) * max(_largest(a), _largest(b))), 0.0)


def _largest(matrix: Tensor) -> float:
    finite = matrix[matrix.isfinite()].detach().abs()
    return float(finite.max()) if finite.numel() else 0.0


def _with_contexts(trace: AttentionTrace) -> AttentionTrace:
    """Return a one-head trace whose context also stands for all heads."""
    told = replace(trace.stages["context"], name=CONTEXTS)
    matrices = {**trace.matrices, CONTEXTS: trace.context}
    return AttentionTrace(
        MappingProxyType({**trace.stages, CONTEXTS: told}), matrices, trace.tokens, trace.notes, trace.chances
    )
