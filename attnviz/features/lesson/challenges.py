"""Small challenges for the reader, each checked on a trace."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from attnviz.core.attention import AttentionTrace
from attnviz.core.rules.rows import sharing
from attnviz.core.tokens import token_labels
from attnviz.words import plural, say
from attnviz.words.numbers import written


def _no_places(trace: AttentionTrace) -> dict[str, str]:
    return {}


@dataclass(frozen=True)
class Challenge:
    """A task with a hint, and a check, for any sentence.

    `name` is the key of its texts in the catalogue. `check` takes a trace and the decimals to write, and returns
    whether the task is done, with a sentence on that. `places` returns the words of the reader's sentence that its
    texts name.
    """

    name: str
    check: Callable[[AttentionTrace, int], tuple[bool, str]]
    places: Callable[[AttentionTrace], dict[str, str]] = _no_places

    def task(self, trace: AttentionTrace) -> str:
        """Return the task, with words of this sentence."""
        return say(f"challenges.{self.name}.task", **self.places(trace))

    def hint(self, trace: AttentionTrace) -> str:
        """Return a hint, with words of this sentence."""
        return say(f"challenges.{self.name}.hint", **self.places(trace))


# Relative to the largest score: W_k equals W_q if the reader typed the displayed, rounded numbers of W_q into it.
_AS_TYPED = 1e-3


def _reader_and_read(trace: AttentionTrace) -> tuple[int, int]:
    """Return two neighbours: "cat" or the second token, and the next token.

    If the first of them is the last token, the other is the token before it. A single token is both.
    """
    last = len(trace.tokens) - 1
    reader = trace.tokens.index("cat") if "cat" in trace.tokens else min(1, last)
    return reader, reader + 1 if reader < last else max(0, reader - 1)


def _names(trace: AttentionTrace) -> dict[str, str]:
    labels = token_labels(trace.tokens, 40)
    reader, read = _reader_and_read(trace)
    return {"reader": labels[reader], "read": labels[read]}


def _reads_its_neighbour(trace: AttentionTrace, digits: int) -> tuple[bool, str]:
    reader, read = _reader_and_read(trace)
    names = _names(trace)
    if reader == read:
        return False, say("challenges.reads.alone")
    if trace.is_hidden[reader, read]:
        return False, say("challenges.reads.masked", **names)
    share = trace.attention_weights[reader, read].item()
    return share > 0.5, say("challenges.reads.stands", share=written(share, digits), **names)


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
    Challenge("reads", _reads_its_neighbour, _names), Challenge("even", _even), Challenge("symmetric", _symmetric),
)  # fmt: skip


def undefined(trace: AttentionTrace) -> bool:
    """Whether attention weights aren't numbers, so that nothing can be checked."""
    return bool(torch.isnan(trace.attention_weights).any())
