"""What if the numbers had 16 bits: where one is first lost, computed by the table's own rules in that precision."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from attnviz.core.attention import AttentionTrace

DTYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16}
_UNSHIFTED = "-unshifted"
WAYS = tuple(f"{dtype}{how}" for how in ("", _UNSHIFTED) for dtype in DTYPES)  # to compute, as a link says them


def way_of(dtype: str, shifted: bool) -> str:
    """Return how a link says that numbers are of this type, and whether each row's largest score is subtracted first.

    >>> way_of("bfloat16", shifted=False)
    'bfloat16-unshifted'
    """
    return f"{dtype}{'' if shifted else _UNSHIFTED}"


def read_way(way: str) -> tuple[str, bool]:
    """Return what it says; blank is the usual one.

    >>> read_way("bfloat16-unshifted"), read_way("")
    (('bfloat16', False), ('float16', True))
    """
    return (way or WAYS[0]).removesuffix(_UNSHIFTED), not way.endswith(_UNSHIFTED)


class Lost(NamedTuple):
    """The first stage where something is lost, and how many of its cells lost it."""

    stage: str
    n: int
    size: int


class InFewBits(NamedTuple):
    """Where numbers first aren't finite that are in float32, where they are first 0 that aren't there (None: nowhere),
    and how far the attention weights are from float32's at most (NaN where some aren't numbers)."""

    broken: Lost | None
    zero: Lost | None
    gap: float


def in_few_bits(trace: AttentionTrace, dtype: torch.dtype, shifted: bool = True) -> InFewBits:
    """Compute one layer anew in `dtype`; without `shifted`, softmax doesn't subtract its row's largest number first.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> made = trace(Scenario("a b", w_q="identity", w_k="identity", d_out=3, x=[[4, 0, 0], [0, 4, 0]], scale=False))
    >>> in_few_bits(made, torch.float16, shifted=False).broken, in_few_bits(made, torch.float16).broken
    (Lost(stage='attention_weights', n=2, size=4), None)
    """
    made = _made_in(trace, dtype, shifted)
    broken = _first(trace, made, lambda usual, now: usual.isfinite() & ~now.isfinite())
    zero = _first(trace, made, lambda usual, now: (usual != 0) & (now == 0))
    weights = [name for name in trace.stages if name.rpartition(".")[2] == "attention_weights"]
    gap = max(float((made[name].float() - trace[name]).abs().max()) for name in weights)
    return InFewBits(broken, zero, gap)


def computed_in(trace: AttentionTrace, dtype: torch.dtype, shifted: bool = True) -> AttentionTrace:
    """Return the same computation with all numbers of this type: what it makes, written as float32 again.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> computed_in(trace(Scenario("a b")), torch.bfloat16).attention_weights.sum(-1).dtype
    torch.float32
    """
    made = {name: matrix.float() for name, matrix in _made_in(trace, dtype, shifted).items()}
    return AttentionTrace(trace.stages, made, trace.tokens, trace.notices)


def _made_in(trace: AttentionTrace, dtype: torch.dtype, shifted: bool) -> dict[str, Tensor]:
    made: dict[str, Tensor] = {}
    for name, stage in trace.stages.items():
        if stage.rule is None:
            made[name] = trace.matrices[name].to(dtype)
            continue
        sources = [made[each] for each in stage.sources]
        made[name] = (stage.rule.compute if shifted else stage.rule.unshifted)(*sources)
    return made


def _first(trace: AttentionTrace, made: dict[str, Tensor], lost: Callable[[Tensor, Tensor], Tensor]) -> Lost | None:
    for name, now in made.items():
        if n := int(lost(trace[name], now).sum()):
            return Lost(name, n, now.numel())
    return None
