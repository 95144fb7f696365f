"""Differential attention: one softmax minus a learned number times another.

A module computes it as two attentions with the same queries and keys, each with half of the values' features. The
second half of its heads is subtracted from the first half.

Source: Ye et al. 2024, Differential Transformer, section 2.1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor

from attnviz.core.attention import AttentionTrace
from attnviz.core.rules import Difference
from attnviz.core.stages import Stage
from attnviz.features.language_models.inside.edits import OFF
from attnviz.features.language_models.inside.seen.attended import AttentionRecord, Subtracted
from attnviz.words import Later, later
from attnviz.words.numbers import significant

_LEARNED = ("lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2")
_OF_PAIR = ("w_q", "b_q", "q", "gamma_q", "rest_q", "q_norm", "q_rotated", "w_k", "b_k", "k", "gamma_k", "rest_k",
            "k_norm", "k_rotated", "scores", "scaled_scores")  # fmt: skip
FIRST, SECOND = "weights_1", "weights_2"
PAIRED = (*(f"{name}_2" for name in _OF_PAIR), FIRST, SECOND)  # stages that only differential heads have


def is_pair(one: AttentionRecord, other: AttentionRecord) -> bool:
    """Whether two attentions of one module share queries and keys."""
    return (
        one.module is not None
        and one.module is other.module
        and torch.equal(one.query, other.query)
        and torch.equal(one.key, other.key)
        and not torch.equal(one.value, other.value)
    )


def with_pairs_joined(attended: Sequence[AttentionRecord]) -> list[AttentionRecord]:
    """Return attentions, with the two of a differential one joined.

    A pair whose module doesn't say what is subtracted isn't joined.
    """
    left, made = list(attended), list[AttentionRecord]()
    while left:
        one = left.pop(0)
        factor = _factor_of(one.module) if left and is_pair(one, left[0]) and _has_halves(one) else None
        if factor is None or one.weights is None or one.context is None or left[0].context is None:
            made.append(one)
        else:
            made.append(_joined(one, left.pop(0), *factor))
    return made


def _has_halves(attended: AttentionRecord) -> bool:
    """Whether the heads come in halves with the same mask."""
    added = attended.added
    same = added is None or len(added) == 1 or torch.equal(*added.chunk(2))
    return len(attended.key) % 2 == 0 and same


def _factor_of(module: Any) -> tuple[float, float] | None:
    """Return the λ of a module's second softmax, and λ_init."""
    start = getattr(module, "lambda_init", None)
    parts = [getattr(module, name, None) for name in _LEARNED]
    if not isinstance(start, float) or not all(isinstance(each, Tensor) for each in parts):
        return None
    # λ is computed as the model does it, in its own precision.
    q1, k1, q2, k2 = (each.detach() for each in parts if each is not None)
    one, other = (torch.exp((q * k).sum(-1, dtype=torch.float32)).to(q.dtype) for q, k in ((q1, k1), (q2, k2)))
    return float(one - other + start), start


def _joined(one: AttentionRecord, other: AttentionRecord, factor: float, start: float) -> AttentionRecord:
    assert one.weights is not None
    assert one.context is not None
    assert other.context is not None
    (query, less_query), (key, less_key), (first, second), (context, less) = (
        each.chunk(2) for each in (one.query, one.key, one.weights, torch.cat([one.context, other.context], -1))
    )
    value = torch.cat([one.value.chunk(2)[0], other.value.chunk(2)[0]], -1)
    made = (each if each is None or len(each) == 1 else each.chunk(2)[0] for each in (one.added, one.bias))
    added, bias = made
    subtracted = Subtracted(less_query, less_key, first, second, factor, start)
    return replace(
        one, query=query, key=key, value=value, added=added, bias=bias, weights=first - factor * second,
        context=context - factor * less, subtracted=subtracted,
    )  # fmt: skip


def halves_of(attended: AttentionRecord) -> tuple[AttentionRecord, AttentionRecord]:
    """Return both softmaxes as attentions of their own."""
    subtracted = attended.subtracted
    assert subtracted is not None
    plain = replace(attended, subtracted=None, context=None)
    return (
        replace(plain, weights=subtracted.first),
        replace(plain, query=subtracted.query, key=subtracted.key, weights=subtracted.second),
    )


def differential_trace(
    halves: tuple[AttentionTrace, AttentionTrace], subtracted: Subtracted, weights: Tensor, context: Tensor,
    changed: tuple[str, ...] = (),
) -> AttentionTrace:  # fmt: skip
    """Return a differential head's two softmaxes as one trace.

    `weights` ``(n_queries, n_keys)`` and `context` ``(n_queries, d_v)`` are the model's own. The context stands as
    given if the head is switched off, which `changed` says.
    """
    one, other = halves
    table: dict[str, Stage] = {}
    matrices: dict[str, Tensor] = {}
    notes = [*one.notes, *(each for each in other.notes if each not in one.notes)]
    for number, (trace, last) in enumerate(((one, FIRST), (other, SECOND)), 1):
        names = {name: name if number == 1 else f"{name}_2" for name in _OF_PAIR} | {"attention_weights": last}
        for name, stage in trace.stages.items():
            if name == "context" or (name not in names and name in table):
                continue
            made = _of_half(stage, number, names) if name in names else stage
            table[made.name], matrices[made.name] = made, trace.matrices[name]
    texts = {key: later(f"models.differential.weights.{key}", factor=significant(subtracted.factor))
             for key in ("title", "plain", "meaning", "short")}  # fmt: skip
    table["attention_weights"] = replace(
        one.stages["attention_weights"].with_texts(**texts), rule=Difference(subtracted.factor),
        sources=(FIRST, SECOND), hidden_with="scaled_scores",
    )  # fmt: skip
    table["context"] = one.stages["context"]
    if OFF in changed:
        table["context"] = replace(table["context"], rule=None, sources=())
        notes.append(later("models.notices.off", matrix=table["context"].texts.title))
    matrices |= {"attention_weights": weights, "context": context}
    return AttentionTrace(MappingProxyType(table), matrices, one.tokens, [*notes, *_told(subtracted)])


def _of_half(stage: Stage, number: int, names: Mapping[str, str]) -> Stage:
    """Return a stage of one softmax, by its own name and symbol."""
    symbol = f"{stage.symbol}{'₁' if number == 1 else '₂'}"
    made = replace(
        stage.with_texts(title=later("models.differential.title", title=stage.texts.title, number=number)),
        name=names[stage.name], symbol=symbol, sources=tuple(names.get(each, each) for each in stage.sources),
        hidden_with=names.get(stage.hidden_with, stage.hidden_with),
    )  # fmt: skip
    if stage.name != "scores" or stage.rule is None:
        return made
    product = stage.rule.formula(f"Q{symbol[-1]}", f"K{symbol[-1]}")
    return made.with_texts(short=later("stages.scores.short", product=product))


def _told(subtracted: Subtracted) -> list[Later]:
    places = {"factor": significant(subtracted.factor), "start": significant(subtracted.start)}
    return [later(f"models.differential.{each}", rest=significant(1 - subtracted.start), **places)
            for each in ("told", "after")]  # fmt: skip
