"""A trace in sentences: what a token attends to, what a matrix shows, and what is out of the ordinary."""

import torch

from attnviz.attention import AttentionTrace
from attnviz.given import EXAMPLE_FILL
from attnviz.numbers import written
from attnviz.published import chosen_matrices
from attnviz.scenario import Scenario
from attnviz.stages import STAGES
from attnviz.tokens import token_labels


def _labels(trace: AttentionTrace) -> tuple[str, ...]:
    n_tokens = trace.x.shape[-2]
    return token_labels(trace.tokens, 40) if trace.tokens else tuple(f"token {i}" for i in range(n_tokens))


def attends_most(trace: AttentionTrace, query: int, digits: int) -> str:
    """Say which token a query attends to most, with the attention weight.

    >>> from attnviz.scenario import trace
    >>> attends_most(trace(Scenario(embedding="published")), 1, 4)
    "'journey' attends most to itself: attention weight 0.2264."
    """
    labels = _labels(trace)
    row = trace.attention_weights[query]
    if torch.isnan(row).any():
        return f"'{labels[query]}' has no attention weights: its scores are not all finite numbers."
    largest = row.max()
    if bool(((row - largest).abs() < 1e-6).all()) and len(row) > 1:
        each = written(largest.item(), digits)
        return f"'{labels[query]}' attends to all {len(row)} tokens equally: attention weight {each} each."
    ties = ((row - largest).abs() < 1e-6).nonzero()[:, 0].tolist()
    names = ["itself" if j == query else f"'{labels[j]}'" for j in ties]
    shown = " and ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    each = " each" if len(names) > 1 else ""
    return f"'{labels[query]}' attends most to {shown}: attention weight {written(largest.item(), digits)}{each}."


def vectors_in_words(scenario: Scenario) -> str:
    """Say which tokens have published vectors and which have seeded ones.

    >>> vectors_in_words(Scenario(embedding="published"))
    'All 6 tokens have their published vectors.'
    """
    if scenario.x is not None:
        if isinstance(scenario.x, str) and scenario.x.startswith(EXAMPLE_FILL):
            return f"The vectors are those of the worked example {scenario.x.removeprefix(EXAMPLE_FILL)}."
        return f"X is {scenario.x}." if isinstance(scenario.x, str) else "X is given."
    n_tokens = len(scenario.tokens)
    published = sum(scenario.is_published(row) for row in range(n_tokens))
    if scenario.embedding == "table":
        return f"The vectors are rows of nn.Embedding, drawn from seed {scenario.seed}."
    if published == n_tokens:
        return (
            f"All {n_tokens} tokens have their published vectors."
            if n_tokens > 1
            else "The token has its published vector."
        )
    if published:
        return (
            f"{published} of {n_tokens} tokens have published vectors (double rim); "
            f"those of the others are drawn from seed {scenario.seed}."
        )
    return f"The vector of each token is drawn from its text, d_in and seed {scenario.seed}."


def chosen_in_words(scenario: Scenario) -> str:
    """Say which matrices were chosen so that the scores of a worked example come out, while they are as chosen.

    >>> chosen_in_words(Scenario())
    ''
    """
    example = scenario.w_q.removeprefix(EXAMPLE_FILL) if isinstance(scenario.w_q, str) else ""
    chosen = chosen_matrices(example)
    as_chosen = (
        scenario.x == "identity" and scenario.w_k == scenario.w_q and scenario.d_in == len(scenario.tokens)
        and not any(edit.matrix in ("x", "w_q", "w_k") for edit in scenario.edits)
    )  # fmt: skip
    if not chosen or not as_chosen:
        return ""
    times = [row[0] for row in chosen["w_q"]]
    others = [f"query {i} (counted from 1) has it times {n:g}" for i, n in enumerate(times, 1) if n != 1]
    every = "all others have it as it is" if others else "every query has it"
    repeats = " W_v is the identity, so each context vector repeats its attention weights."
    return (
        f"The source of the worked example {example} prints one row of scores and no matrices. X, W_q and W_k are "
        f"chosen here so that this row comes out: {', '.join((*others, every))}."
        f"{repeats if scenario.w_v == 'identity' else ''}"
    )


def described(trace: AttentionTrace, name: str, query: int, digits: int) -> str:
    """Describe a matrix for someone who cannot see its picture.

    >>> from attnviz.scenario import trace
    >>> described(trace(Scenario(embedding="published")), "q", 1, 2)
    "Q, queries, 6 by 2: what each token asks for. Values from 0.23 to 1.46. The row of 'journey': 0.43, 1.46."
    """
    stage = STAGES[name]
    matrix = getattr(trace, name)
    matrix = matrix[None] if matrix.dim() == 1 else matrix  # a bias is one row
    finite = matrix[torch.isfinite(matrix)]
    parts = [f"{stage.title}, {matrix.shape[0]} by {matrix.shape[1]}: {stage.meaning}."]
    if finite.numel():
        low, high = written(finite.min().item(), digits), written(finite.max().item(), digits)
        parts.append(f"Values from {low} to {high}.")
    if finite.numel() < matrix.numel():
        parts.append(f"{matrix.numel() - finite.numel()} cells are masked or not finite.")
    if name == "attention_weights":
        parts.append(attends_most(trace, query, digits))
    elif stage.rows != "feature":
        row = matrix[query].tolist()
        more = ", and so on" if len(row) > 8 else ""
        numbers = ", ".join(written(value, digits) for value in row[:8])
        parts.append(f"The row of '{_labels(trace)[query]}': {numbers}{more}.")
    return " ".join(parts)


def out_of_the_ordinary(trace: AttentionTrace) -> list[str]:
    """Say in words which cells are masked, and where a number first left what float32 can hold.

    >>> from attnviz.scenario import trace
    >>> out_of_the_ordinary(trace(Scenario(text="a b", causal=True)))
    ['Grey cells (−∞) are masked: no token may attend to a later one (1 of 4 scaled scores).']
    """
    notes = []
    n_tokens = trace.x.shape[-2]
    if trace.causal and n_tokens > 1:
        masked = n_tokens * (n_tokens - 1) // 2
        notes.append(
            "Grey cells (−∞) are masked: no token may attend to a later one "
            f"({masked} of {n_tokens * n_tokens} scaled scores)."
        )
    for name in ("q", "k", "v", "scores", "scaled_scores", "attention_weights", "context"):
        note = _not_finite(trace, name)
        if note:
            notes.append(note)
            break  # what follows from it is not finite either
    undefined = int(torch.isnan(trace.attention_weights).any(-1).sum())
    if undefined:
        notes.append(
            f"{undefined} of {n_tokens} rows of attention weights are undefined (NaN): a softmax needs finite scores. "
            "Smaller numbers in X or in the W's bring them back."
        )
    return notes


def _not_finite(trace: AttentionTrace, name: str) -> str | None:
    matrix = getattr(trace, name)
    bad = ~torch.isfinite(matrix)
    if name == "scaled_scores" and trace.causal:
        bad &= torch.ones_like(bad).tril()
    if not bad.any():
        return None
    row, column = bad.nonzero()[0].tolist()
    value = written(matrix[row, column].item(), 1)
    return (
        f"{STAGES[name].title} overflow first: {int(bad.sum())} of {matrix.numel()} cells are no finite number "
        f"({STAGES[name].symbol}[{row}, {column}] is {value}). "
        "float32 holds numbers up to 3.4e38; beyond that a product becomes infinite; infinity minus infinity is NaN."
    )
