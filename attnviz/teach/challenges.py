"""Small challenges that a trace can be checked against."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from attnviz.core.attention import AttentionTrace
from attnviz.core.rules.rows import sharing
from attnviz.words import Said, plural, say
from attnviz.words.numbers import written


@dataclass(frozen=True)
class Challenge:
    """A task with a hint, a sentence (blank: any) and a check.

    `name` is that of its sentences in the catalogue; `check` takes a trace and the decimals to write, and returns
    whether the task is done and how it stands.
    """

    name: str
    check: Callable[[AttentionTrace, int], tuple[bool, str]]
    has_text: bool = False

    task = Said("challenges.{its.name}.task")
    hint = Said("challenges.{its.name}.hint")

    @property
    def text(self) -> str:
        """The sentence to try it on; blank where any will do."""
        return say(f"challenges.{self.name}.sentence") if self.has_text else ""


# Of the largest score: whoever types the numbers of W_q into W_k as they are shown has made them equal.
_AS_TYPED = 1e-3


def _cat_reads_sat(trace: AttentionTrace, digits: int) -> tuple[bool, str]:
    if "cat" not in trace.tokens or "sat" not in trace.tokens:
        return False, say("challenges.cat.no_words")
    query, key = trace.tokens.index("cat"), trace.tokens.index("sat")
    if trace.is_hidden[query, key]:
        return False, say("challenges.cat.masked")
    share = trace.attention_weights[query, key].item()
    return share > 0.5, say("challenges.cat.stands", share=written(share, digits))


def _even(trace: AttentionTrace, digits: int) -> tuple[bool, str]:
    n_tokens = trace.x.shape[-2]
    if trace.is_hidden.any():
        return False, say("challenges.even.masked", tokens=plural(n_tokens, "token"))
    count = int(sharing(trace.shared_over, trace.is_hidden).max())
    gap = (trace.attention_weights - 1 / count).abs().max().item()
    return gap < 1e-4 / max(1, count / n_tokens), say("challenges.even.stands", count=count, gap=written(gap, digits))


def _symmetric(trace: AttentionTrace, digits: int) -> tuple[bool, str]:
    gap = (trace.scores - trace.scores.mT).abs().max().item()
    largest = trace.scores.abs().max().item()
    if largest < 1e-4:
        return False, say("challenges.symmetric.zero")
    if len(trace.tokens) < 2:
        return False, say("challenges.symmetric.alone")
    weights = (trace.attention_weights - trace.attention_weights.mT).abs().max().item()
    return gap < _AS_TYPED * largest, say(
        "challenges.symmetric.stands", gap=written(gap, digits), weights=written(weights, digits)
    )


CHALLENGES = (
    Challenge("cat", _cat_reads_sat, has_text=True), Challenge("even", _even), Challenge("symmetric", _symmetric),
)  # fmt: skip


def undefined(trace: AttentionTrace) -> bool:
    """Whether attention weights aren't numbers, so that nothing can be checked."""
    return bool(torch.isnan(trace.attention_weights).any())
