"""Small challenges that a trace can be checked against."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from attnviz.attention import AttentionTrace
from attnviz.numbers import written


@dataclass(frozen=True)
class Challenge:
    """A task, a hint, a sentence to try it on (empty: any), and a check.

    `check` takes a trace and the decimals to write, and returns whether the task is done and how it stands.
    """

    task: str
    hint: str
    text: str
    check: Callable[[AttentionTrace, int], tuple[bool, str]]


_UNMASK = "switch the causal mask off"
# Of the largest score: whoever types the numbers of W_q into W_k as they are shown has made them equal.
_AS_TYPED = 1e-3


def _cat_reads_sat(trace: AttentionTrace, digits: int) -> tuple[bool, str]:
    if "cat" not in trace.tokens or "sat" not in trace.tokens:
        return False, "The sentence needs the words 'cat' and 'sat'."
    query, key = trace.tokens.index("cat"), trace.tokens.index("sat")
    if trace.causal and key > query:
        return False, f"'sat' comes after 'cat', which may not attend to it: {_UNMASK}."
    share = trace.attention_weights[query, key].item()
    return share > 0.5, f"'cat' gives 'sat' {written(share, digits)} of its attention; more than a half is wanted."


def _uniform(trace: AttentionTrace, digits: int) -> tuple[bool, str]:
    n_tokens = trace.x.shape[-2]
    if trace.causal and n_tokens > 1:
        return False, f"No row but the last reaches all {n_tokens} tokens: {_UNMASK}."
    gap = (trace.attention_weights - 1 / n_tokens).abs().max().item()
    return gap < 1e-4, f"The weight furthest from 1/{n_tokens} is {written(gap, digits)} away."


def _symmetric(trace: AttentionTrace, digits: int) -> tuple[bool, str]:
    gap = (trace.scores - trace.scores.mT).abs().max().item()
    largest = trace.scores.abs().max().item()
    if largest < 1e-4:
        return False, "The scores are all 0, which is symmetric but tells nothing apart."
    if len(trace.tokens) < 2:
        return False, "One token alone is always symmetric: take two or more."
    weights = (trace.attention_weights - trace.attention_weights.mT).abs().max().item()
    return gap < _AS_TYPED * largest, (
        f"The largest difference between a score and its mirror image is {written(gap, digits)} "
        f"(between attention weights: {written(weights, digits)}, for each row has its own sum)."
    )


CHALLENGES: tuple[Challenge, ...] = (
    Challenge(
        "Make 'cat' attend mostly to 'sat'.",
        "Raise the score of 'cat' with 'sat': make the query of 'cat' point the way of the key of 'sat'.",
        "the cat sat on the mat",
        _cat_reads_sat,
    ),
    Challenge(
        "Make every row of attention weights uniform.",
        "Softmax of equal scores is uniform. Which W makes all scores equal?",
        "",
        _uniform,
    ),
    Challenge(
        "Make the score matrix symmetric, without making it 0.",
        "x_i W_q W_kᵀ x_jᵀ does not change when i and j swap if W_q W_kᵀ is symmetric.",
        "",
        _symmetric,
    ),
)


def undefined(trace: AttentionTrace) -> bool:
    """Whether a trace has attention weights that are no numbers, so that nothing can be checked."""
    return bool(torch.isnan(trace.attention_weights).any())
