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

    `says` gives two or three sentences, in paragraphs; an `analogy` stands apart from them.

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
    analogy: str = ""


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


def _reads_itself_alone(trace: AttentionTrace, query: int) -> bool:
    return len(trace.tokens) == 1 or (trace.causal and query == 0)


def _tokens(trace: AttentionTrace, query: int, digits: int) -> list[str]:
    n_tokens = len(trace.tokens)
    if n_tokens == 1:
        return [
            f"The sentence is one token, {_label(trace, query)}, which can look at nothing but itself. "
            "Type more words above, and there is something to collect."
        ]
    seen = "itself and all before it" if trace.causal else f"all {n_tokens}, itself included,"
    return [
        f"The sentence is cut into {n_tokens} tokens. Each of them will look at {seen} and collect what it needs.",
        f"Follow one of them, {_label(trace, query)}: pick another above, and the whole lesson follows it.",
    ]


def _embeddings(trace: AttentionTrace, query: int, digits: int) -> list[str]:
    d_in = trace.x.shape[-1]
    numbers = "one number" if d_in == 1 else f"{d_in} numbers"
    return [
        f"A token enters as a vector of {numbers} (d_in = {d_in}), its row in X: {_label(trace, query)} is "
        f"{_numbers(trace.x[query], digits)}.",
        "No row knows of any other yet, nor of its token's place in the sentence.",
    ]


def _projections(trace: AttentionTrace, query: int, digits: int) -> list[str]:
    learned = "W_q, W_k and W_v are" if trace.b_q is None else "W_q, W_k, W_v and the biases are"
    return [
        f"Three learned matrices make three vectors of each row. The query of {_label(trace, query)}, what it "
        f"asks for, is {_numbers(trace.q[query], digits)}; its key, what it offers to be found by, is "
        f"{_numbers(trace.k[query], digits)}; its value, what it hands on, is {_numbers(trace.v[query], digits)}.",
        f"{learned} what training learns, Q, K and V are computed anew for every sentence: drag a number of W_q and "
        "see what moves.",
    ]


def _one_score(trace: AttentionTrace, query: int, digits: int) -> list[str]:
    key = _most_read(trace, query)
    d_k = trace.q.shape[-1]
    score = written(trace.scores[query, key].item(), digits)
    how = "Multiply their two numbers" if d_k == 1 else f"Multiply the {d_k} numbers pairwise and add"
    return [
        f"How well does the query of {_label(trace, query)} match the key of {_label(trace, key)}? {how}: this first "
        f"score is {score}.",
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
        f"{written(there, digits)}; the other way round, another product: {written(back, digits)}.",
    ]


def _scale(trace: AttentionTrace, query: int, digits: int) -> list[str]:
    d_k, cooled = trace.q.shape[-1], trace.temperature != 1
    divisor = written(trace.divisor, digits)
    if trace.scale:
        root = f"√{d_k} = {written(d_k**0.5, digits)}"
        divided = f"{root} and by the temperature {trace.temperature:g}, in all by {divisor}" if cooled else root
        says = [
            f"The scores are divided by {divided}, where d_k = {d_k} is the length of one key, the number of products "
            "in a score: change d_in and it stays.",
            "Without √d_k, scores grow with d_k and softmax would give nearly everything to one token; the scaling "
            "page measures this.",
        ]
    else:
        rest = f"divided by the temperature {trace.temperature:g} alone" if cooled else "as they are, undivided"
        says = [
            f"Scaling by √d_k is switched off: the scores are taken {rest}.",
            "The scaling page measures what softmax makes of that when d_k is large.",
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
    if torch.isnan(trace.attention_weights[query]).any():
        return [
            attends_most(trace, query, digits),
            "Without them no values can be mixed. Smaller numbers in X or in the W's bring them back.",
        ]
    most = _most_read(trace, query)
    share = written(trace.attention_weights[query, most].item(), digits)
    return [
        f"Now the values are mixed, each times its attention weight: {_label(trace, most)} gives {share} times its "
        f"value {_numbers(trace.v[most], digits)}. The bars below show what every token gives; the largest weight "
        "need not fill the most of a bar, for the value counts as well.",
        "Scores say how much to read, values what is read: type 0 into cells of W_v, and the attention weights stand "
        "still while the context moves.",
    ]


def _context(trace: AttentionTrace, query: int, digits: int) -> list[str]:
    context = f"The context vector of {_label(trace, query)} is {_numbers(trace.context[query], digits)}"
    if not torch.isfinite(trace.context[query]).all():
        return [
            f"{context}: on its way a number went beyond what float32 holds.",
            "Smaller numbers in X or in the W's bring it back.",
        ]
    passed_on = "It is what the next layer gets in place of the input row."
    if _reads_itself_alone(trace, query):
        return [f"{context}: its own value, for it reads nothing but itself. {passed_on}"]
    return [
        f"{context}: a vector that has read the sentence{' up to its own place' if trace.causal else ''}. {passed_on}",
        "It lies between the values, never outside them, for no share is negative and all sum to 1; which token gave "
        "what can in general not be read off it any more.",
    ]


_LIBRARY = (
    "In a library: a reader comes with a question, catalogue cards say what each book is about, and the books "
    "hold what the reader takes home. Here every token is reader, card and book at once."
)
_CLASS = (
    "In a class: each pupil asks a question (query), has a list of what they know (key), and shares an answer "
    "(value). Scores compare questions with lists; answers are what is passed on."
)

STEPS: tuple[Step, ...] = (
    Step("Tokens", (), _tokens, analogy=_LIBRARY),
    Step("Embeddings", ("x",), _embeddings, new=("x",), lit=lambda trace, query: ("x", query, 0)),
    Step("Queries, keys and values", ("x", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v", "q", "k", "v"), _projections,
         new=("q", "k", "v"), lit=lambda trace, query: ("q", query, 0), analogy=_CLASS),
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
    Step("The context vector", ("v", "attention_weights", "context"), _context,
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
