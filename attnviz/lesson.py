"""Self-attention in nine steps, told with the numbers of the scenario at hand."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from attnviz.attention import AttentionTrace
from attnviz.numbers import written
from attnviz.stages import STAGES
from attnviz.summary import attends_most
from attnviz.tokens import token_labels

Cell = tuple[str, int, int]


@dataclass(frozen=True)
class Step:
    """One step of the lesson: what it is called, which matrices it shows, the cell it lights up, what it says.

    `new` are the matrices that this step adds (one, or the three of one kind), `lit` a function of the trace
    and the query's position, as is `says`, which also takes the decimals to write. With `one_cell`, no other cell of
    the matrix of the one lit up is filled yet.
    """

    title: str
    shows: tuple[str, ...]
    says: Callable[[AttentionTrace, int, int], list[str]]
    new: tuple[str, ...] = ()
    lit: Callable[[AttentionTrace, int], Cell] | None = None
    one_cell: bool = False


def _numbers(row: torch.Tensor, digits: int, most: int = 6) -> str:
    shown = ", ".join(written(value, digits) for value in row[:most].tolist())
    return f"({shown}, …)" if len(row) > most else f"({shown})"


def _label(trace: AttentionTrace, position: int) -> str:
    return f"'{token_labels(trace.tokens, 40)[position]}'"


def _most_read(trace: AttentionTrace, query: int) -> int:
    row = trace.attention_weights[query]
    return int(torch.nan_to_num(row, nan=-1.0).argmax())


def _most_read_other(trace: AttentionTrace, query: int) -> int:
    """Return the token that a query reads most of, itself aside; itself where it is alone."""
    row = torch.nan_to_num(trace.attention_weights[query], nan=-1.0)
    return int(row.index_fill(0, torch.tensor([query], device=row.device), -2.0).argmax())


def _tokens(trace: AttentionTrace, query: int, digits: int) -> list[str]:
    n_tokens = len(trace.tokens)
    return [
        f"The sentence is cut into {n_tokens} tokens. Each of them will look at all {n_tokens}, itself included, "
        "and collect what it needs.",
        f"Follow one of them: {_label(trace, query)}. Pick another above, and the whole lesson follows it.",
        "In a library: a reader comes with a question, catalogue cards say what each book is about, and the books "
        "hold what the reader takes home. Here every token is reader, card and book at once.",
    ]


def _embeddings(trace: AttentionTrace, query: int, digits: int) -> list[str]:
    d_in = trace.x.shape[-1]
    return [
        f"A token enters as a vector of d_in = {d_in} numbers, its row in X: {_label(trace, query)} is "
        f"{_numbers(trace.x[query], digits)}.",
        "No row knows of any other yet, nor of its place in the sentence: swap two words and the rows swap, "
        "nothing else.",
    ]


def _projections(trace: AttentionTrace, query: int, digits: int) -> list[str]:
    return [
        f"Three learned matrices make three vectors of each row. The query of {_label(trace, query)}, what it "
        f"asks for, is {_numbers(trace.q[query], digits)}; its key, what it offers to be found by, is "
        f"{_numbers(trace.k[query], digits)}; its value, what it hands on, is {_numbers(trace.v[query], digits)}.",
        "In a class: each pupil asks a question (query), has a list of what they know (key), and shares an "
        "answer (value). Scores compare questions with lists; answers are what is passed on.",
        "W_q, W_k and W_v are what training learns. Everything else on the board is computed anew for every "
        "sentence: drag a number of W_q and see what moves.",
    ]


def _one_score(trace: AttentionTrace, query: int, digits: int) -> list[str]:
    key = _most_read(trace, query)
    d_k = trace.q.shape[-1]
    score = written(trace.scores[query, key].item(), digits)
    return [
        f"How well does the query of {_label(trace, query)} match the key of {_label(trace, key)}? Multiply the "
        f"{d_k} numbers pairwise and add: {score}. Of all scores, this is the first.",
        "The larger the dot product, the more the two vectors point the same way (and the longer they are).",
    ]


def _all_scores(trace: AttentionTrace, query: int, digits: int) -> list[str]:
    other = _most_read_other(trace, query)
    there, back = trace.scores[query, other].item(), trace.scores[other, query].item()
    first = (
        f"All scores at once are Q Kᵀ. The row of {_label(trace, query)} is {_numbers(trace.scores[query], digits)}."
    )
    if other == query:
        return [first, "A row belongs to a query (it asks), a column to a key (it is asked)."]
    return [
        first,
        f"The matrix need not be symmetric: {_label(trace, query)} asks {_label(trace, other)}: "
        f"{written(there, digits)}; the other way round: {written(back, digits)}. These are two different products.",
    ]


def _scale(trace: AttentionTrace, query: int, digits: int) -> list[str]:
    d_k = trace.q.shape[-1]
    divided = f"√{d_k} = {written(d_k**0.5, digits)}" if trace.scale else "1, because scaling is switched off"
    says = [
        f"The scores are divided by {divided}. d_k is the length of one key, the number of products in a score, "
        "not the length d_in of the inputs: change d_in and the divisor stays.",
        "Without it, scores grow with d_k and softmax would give nearly everything to one token. "
        "The scaling page measures this.",
    ]
    if trace.causal:
        says.append("Later tokens are masked with −∞: no token may attend to what comes after it.")
    return says


def _softmax(trace: AttentionTrace, query: int, digits: int) -> list[str]:
    return [
        "Softmax turns each row into shares that sum to 1: each query hands out 100 %. Columns need not sum to 1, "
        "a token may be read by many or by none.",
        attends_most(trace, query, digits),
    ]


def _mix(trace: AttentionTrace, query: int, digits: int) -> list[str]:
    most = _most_read(trace, query)
    share = written(trace.attention_weights[query, most].item(), digits)
    return [
        f"Now the values are mixed in these shares. The largest part comes from {_label(trace, most)}: {share} "
        f"times its value {_numbers(trace.v[most], digits)}. The bars below show every token's part.",
        "Scores say how much to read, values what is read. Set W_v to the identity, or to zeros: the attention "
        "weights stand still, the context does not.",
    ]


def _context(trace: AttentionTrace, query: int, digits: int) -> list[str]:
    return [
        f"The context vector of {_label(trace, query)} is {_numbers(trace.context[query], digits)}: a vector that "
        "has read the sentence. It is what the next layer gets in place of the input row.",
        "It lies between the values, never outside them, because the shares are positive and sum to 1. Which "
        "token gave what can in general not be read off it any more.",
    ]


STEPS: tuple[Step, ...] = (
    Step("Tokens", (), _tokens),
    Step("Embeddings", ("x",), _embeddings, new=("x",), lit=lambda trace, query: ("x", query, 0)),
    Step("Queries, keys and values", ("x", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v", "q", "k", "v"), _projections,
         new=("q", "k", "v"), lit=lambda trace, query: ("q", query, 0)),
    Step("One score", ("q", "k", "scores"), _one_score, new=("scores",),
         lit=lambda trace, query: ("scores", query, _most_read(trace, query)), one_cell=True),
    Step("All scores", ("q", "k", "scores"), _all_scores, new=("scores",),
         lit=lambda trace, query: ("scores", _most_read_other(trace, query), query)),
    Step("Scale", ("scores", "scaled_scores"), _scale, new=("scaled_scores",),
         lit=lambda trace, query: ("scaled_scores", query, _most_read(trace, query))),
    Step("Softmax", ("scaled_scores", "attention_weights"), _softmax, new=("attention_weights",),
         lit=lambda trace, query: ("attention_weights", query, _most_read(trace, query))),
    Step("Mixing the values", ("w_v", "v", "attention_weights", "context"), _mix, new=("context",),
         lit=lambda trace, query: ("context", query, 0)),
    Step("The context vector", ("x", "v", "context"), _context, new=("context",),
         lit=lambda trace, query: ("context", query, trace.context.shape[-1] - 1)),
)  # fmt: skip


def step_number(raw: str) -> int:
    """Return the number of a step, 1 to the last, from the text of a URL; 1 where that is none.

    >>> step_number("4"), step_number("soon")
    (4, 1)
    """
    valid = raw.isascii() and raw.isdigit() and len(raw) < 4 and 1 <= int(raw) <= len(STEPS)
    return int(raw) if valid else 1


def shown_matrices(step: Step, trace: AttentionTrace) -> tuple[str, ...]:
    """Return the matrices of a step that this trace has, in the order of the table of stages."""
    return tuple(name for name in STAGES if name in step.shows and getattr(trace, name) is not None)
