"""Four ways to write a mask, and 16-bit numbers."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import singledispatch
from typing import NamedTuple

import torch
from torch import Tensor, arange, from_numpy

from attnviz.core.attention import AttentionTrace
from attnviz.core.masks import ADDED, FACTOR, MASKS, PAINTED, ZEROED
from attnviz.core.rules import Rule, Softmax
from attnviz.core.rules.rows import COLUMNS, ROWS, WHOLE
from attnviz.core.scenario import Scenario, traced
from attnviz.core.stages import MASK
from attnviz.predicting.choice_question import ChoiceQuestion
from attnviz.words import listed, say

SHAPES = ("triangle", "window", "blocks", "nothing")
_LARGE, _WINDOW = -1e9, 2


def shaped(shape: str, rows: int, columns: int, n_memory: int = 0) -> Tensor:
    """Return which cells a shape hides, with `n_memory` keys before the queries.

    >>> shaped("triangle", 2, 2).tolist(), shaped("triangle", 2, 3, 1).tolist()
    ([[False, True], [False, False]], [[False, False, True], [False, False, False]])
    """
    if shape == "blocks":
        query, key = arange(rows)[:, None] + n_memory, arange(columns)[None, :]
        return query // _half(rows + n_memory) != key // _half(columns)
    kind = {"triangle": MASKS["causal"], "window": MASKS["window"]}.get(shape, MASKS["none"])
    return from_numpy(kind.hidden(rows, columns, _WINDOW, n_memory))


def _half(n: int) -> int:
    return -(-n // 2)


def painted(scenario: Scenario, hidden: Tensor, with_: float = -float("inf")) -> Scenario:
    """Return the scenario with a mask that adds `with_` to hidden cells."""
    rows = tuple(tuple(with_ if cell else 0.0 for cell in row) for row in hidden.tolist())
    edits = tuple(edit for edit in scenario.edits if edit.matrix != MASK)  # edits of the old mask are dropped
    return replace(scenario, causal=False, masking=PAINTED, mask_use=ADDED, mask=rows, edits=edits)


def in_each_way(scenario: Scenario, hidden: Tensor) -> dict[str, AttentionTrace]:
    """Return the traces with these cells hidden in each of four ways.

    With numbers by distance, the factor is left out, because it would multiply these, too.
    """
    usual = painted(scenario, hidden)
    by_way = {"infinite": usual, "large": painted(scenario, hidden, _LARGE), "zeroed": replace(usual, mask_use=ZEROED)}
    if not scenario.position.biases:
        by_way["factor"] = replace(usual, mask_use=FACTOR)
    return {way: traced(each) for way, each in by_way.items()}


def leaked(weights: Tensor, hidden: Tensor) -> float:
    """Return the share of all attention that hidden cells still get.

    >>> from torch import tensor
    >>> leaked(tensor([[0.75, 0.25], [0.5, 0.5]]), tensor([[False, True], [False, False]]))
    0.125
    """
    return float(weights[hidden].sum() / weights.sum())


def of_ways(weights: Mapping[str, Tensor], hidden: Tensor) -> ChoiceQuestion:
    """Return the question of how many masks leave hidden cells some attention.

    >>> from torch import eye, ones
    >>> of_ways({"large": eye(2), "factor": ones(2, 2) / 2}, ~eye(2).bool()).right
    'one'
    """
    place = "what_if.mask.predict"
    leaking = [way for way, each in weights.items() if leaked(each, hidden) > 0]
    right = ("none", "one")[len(leaking)] if len(leaking) < 2 else "more"
    choices = {each: say(f"{place}.choice.{each}") for each in ("none", "one", "more")}
    return ChoiceQuestion(
        "mask-ways", say(f"{place}.act"), say(f"{place}.asks"), choices, right,
        say(f"{place}.happened", ways=listed([say(f"what_if.mask.way.{way}") for way in leaking]))
        if leaking else say(f"{place}.happened_none"),
        {each: say(f"{place}.wrong.{each}") for each in choices if each != right}, (say(f"{place}.why"),),
    )  # fmt: skip


DTYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16}
_UNSHIFTED = "-unshifted"
WAYS = tuple(f"{dtype}{how}" for how in ("", _UNSHIFTED) for dtype in DTYPES)  # links' names of 16-bit ways


def way_of(dtype: str, shifted: bool) -> str:
    """Return a link's name for this precision and softmax shift.

    >>> way_of("bfloat16", shifted=False)
    'bfloat16-unshifted'
    """
    return f"{dtype}{'' if shifted else _UNSHIFTED}"


def read_way(way: str) -> tuple[str, bool]:
    """Return a way's precision and shift; blank is the first way.

    >>> read_way("bfloat16-unshifted"), read_way("")
    (('bfloat16', False), ('float16', True))
    """
    return (way or WAYS[0]).removesuffix(_UNSHIFTED), not way.endswith(_UNSHIFTED)


class Lost(NamedTuple):
    """The first stage that loses something, and in how many cells."""

    stage: str
    n: int
    size: int


class InFewBits(NamedTuple):
    """Where a low precision first loses numbers that float32 has.

    `broken` numbers are no longer finite, and `zero` ones have become 0; None if there are none. `gap` is the largest
    difference between attention weights and those in float32 (NaN if some aren't numbers).
    """

    broken: Lost | None
    zero: Lost | None
    gap: float


def in_few_bits(trace: AttentionTrace, dtype: torch.dtype, shifted: bool = True) -> InFewBits:
    """Return what a layer loses in `dtype`; `shifted` subtracts row maximums first.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> made = trace(Scenario("a b", w_q="identity", w_k="identity", d_out=3, x=[[4, 0, 0], [0, 4, 0]], scale=False))
    >>> in_few_bits(made, torch.float16, shifted=False).broken, in_few_bits(made, torch.float16).broken
    (Lost(stage='attention_weights', n=2, size=4), None)
    """
    lossy = _made_in(trace, dtype, shifted)
    broken = _first(trace, lossy, lambda usual, now: usual.isfinite() & ~now.isfinite())
    zero = _first(trace, lossy, lambda usual, now: (usual != 0) & (now == 0))
    weights = [name for name in trace.stages if name.rpartition(".")[2] == "attention_weights"]
    gap = max(float((lossy[name].float() - trace[name]).abs().max()) for name in weights)
    return InFewBits(broken, zero, gap)


def computed_in(trace: AttentionTrace, dtype: torch.dtype, shifted: bool = True) -> AttentionTrace:
    """Return the trace computed in `dtype`, converted back to float32.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> computed_in(trace(Scenario("a b")), torch.bfloat16).attention_weights.sum(-1).dtype
    torch.float32
    """
    made = {name: matrix.float() for name, matrix in _made_in(trace, dtype, shifted).items()}
    return AttentionTrace(trace.stages, made, trace.tokens, trace.notes, trace.chances)


@singledispatch
def unshifted(rule: Rule, *sources: Tensor) -> Tensor:
    """Return what a rule makes without what keeps exponentials from overflowing."""
    return rule.compute(*sources)


@unshifted.register
def _(rule: Softmax, *sources: Tensor) -> Tensor:
    """Return the softmax without subtracting the largest number; it may overflow."""
    powers = sources[0].exp()
    over = {ROWS: (-1,), COLUMNS: (-2,), WHOLE: (-2, -1)}[rule.axis]
    beside = 0.0 if rule.sink is None else math.exp(rule.sink)
    shares = powers / (powers.sum(over, keepdim=True) + beside)
    return shares if len(sources) == 1 else rule.masked(shares, sources[1])


def _made_in(trace: AttentionTrace, dtype: torch.dtype, shifted: bool) -> dict[str, Tensor]:
    matrices: dict[str, Tensor] = {}
    for name, stage in trace.stages.items():
        if stage.rule is None:
            matrices[name] = trace.matrices[name].to(dtype)
            continue
        sources = [matrices[each] for each in stage.sources]
        matrices[name] = stage.rule.compute(*sources) if shifted else unshifted(stage.rule, *sources)
    return matrices


def _first(trace: AttentionTrace, made: dict[str, Tensor], lost: Callable[[Tensor, Tensor], Tensor]) -> Lost | None:
    for name, now in made.items():
        if n := int(lost(trace[name], now).sum()):
            return Lost(name, n, now.numel())
    return None
