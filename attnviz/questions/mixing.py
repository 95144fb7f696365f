"""Questions about values: why there are any, what a sum keeps, and what biases do."""

from dataclasses import replace

import torch

from attnviz.changes import edit_matrix
from attnviz.questions.asking import Control, Now, Points, Preset, Question, Seen, Table, rows
from attnviz.scenario import Scenario
from attnviz.variations import contexts_tell_weights, weights_from_contexts, with_matrix

_PHRASE = Scenario("the black cat sleeps", d_in=3, d_out=2, d_v=3, init="normal", seed=4)
_FIRST_FEATURE = torch.diag(torch.tensor([1.0, 0.0, 0.0]))


def _apart(now: Now) -> Seen:
    return Seen(
        (
            now.says_change_of("attention_weights", "Attention weights"),
            now.says_change_of("context", "Context vectors"),
        )
    )


_VALUES = Question(
    "Queries and keys have told how relevant each word is. Why multiply by yet another matrix, V?",
    (
        "Scores say how much to read from each token; values say what is read there. W_v has no part in any score.",
        "A W_v is not required: with W_v = I the embeddings themselves are mixed, and some models do that. One of "
        "its own lets a head hand on something else than what it matched on, and sets the width of what comes out.",
    ),
    "Press the buttons that set W_v one after the other: the attention weights stand still, the contexts do not. "
    "Then W_k = 0: every row of attention weights is uniform, every context the plain mean of the values.",
    _PHRASE,
    _apart,
    shows=("w_q", "w_k", "w_v", "v", "attention_weights", "context"),
    presets=(
        Preset("W_v = identity", lambda s: with_matrix(s, "w_v", "identity")),
        Preset("W_v = zeros", lambda s: with_matrix(s, "w_v", "zeros")),
        Preset("W_v keeps one feature", lambda s: with_matrix(s, "w_v", _FIRST_FEATURE)),
        Preset("W_k = zeros", lambda s: with_matrix(s, "w_k", "zeros")),
    ),
    step=8,
)

# One-hot tokens: the rows of W_q are the scores, the rows of W_v the values.
_ONE_HOT = Scenario(
    "black cat sat", d_in=3, d_out=3, scale=False, x="identity", w_k="identity",
    w_q=rows((2, 1, 0), (0, 2, 1), (1, 0, 2)), w_v=rows((2, 0), (0, 1), (3, 3)),
)  # fmt: skip
_ON_A_LINE = torch.tensor([[0.0, 0.0], [2.0, 0.0], [1.0, 0.0]])
_HALF_OR_THIRD = torch.tensor([[40.0, 40.0, 0.0], [0.0, 0.0, 40.0], [0.0, 0.0, 0.0]])


def _same_context(now: Now) -> Seen:
    v, weights, context = now.trace.v, now.trace.attention_weights, now.trace.context
    labels = now.trace.tokens
    points = Points(v, context, labels) if v.shape[1] == 2 else None
    if not torch.isfinite(weights).all():
        return Seen(("Some attention weights are no numbers.",))
    if contexts_tell_weights(v):
        error = now.write((weights_from_contexts(now.trace) - weights).abs().max())
        return Seen(
            (
                "The values are affinely independent: each context has one recipe only. Solving for the attention "
                f"weights from contexts and values gives them back, to within {error}.",
            ),
            points=points,
        )
    says = ["The values depend on each other: a context can be mixed in more than one way."]
    pairs = [(i, j) for i in range(len(v)) for j in range(i)]
    alike = [(i, j) for i, j in pairs if torch.allclose(context[i], context[j], atol=1e-5)]
    for i, j in alike:
        gap = (weights[i] - weights[j]).abs().max()
        if gap > 1e-3:
            says.append(
                f"Row {j} ('{labels[j]}') and row {i} ('{labels[i]}') of the attention weights differ by up to "
                f"{now.write(gap)}, and their contexts are the same."
            )
    return Seen(tuple(says), points=points)


_SUM = Question(
    "All values are added into one vector. How does it still know that 'black' attended to 'cat'?",
    (
        "Often it does not, and need not: the layer delivers content, not a list of who was read. A context is a point "
        "between the values. If these are affinely independent (at most d_v + 1 tokens), the point fixes the weights.",
        "If not, different weights give the same point: the values (0, 0), (2, 0), (1, 0) mixed with (½, ½, 0) or with "
        "(0, 0, 1) both give (1, 0). Where identity matters, W_v has to write it into the values.",
    ),
    "With V = identity the context matrix is the matrix of attention weights: nothing is lost. Then take three values "
    "on a line, or two equal ones, and find rows of different attention weights with the same context.",
    _ONE_HOT,
    _same_context,
    shows=("w_q", "w_v", "attention_weights", "v", "context"),
    presets=(
        Preset("V = identity", lambda s: with_matrix(s, "w_v", "identity")),
        Preset(
            "Three values on a line",
            lambda s: with_matrix(with_matrix(s, "w_v", _ON_A_LINE), "w_q", _HALF_OR_THIRD),
        ),
        Preset(
            "Two equal values",
            lambda s: with_matrix(
                with_matrix(s, "w_v", torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])),
                "w_q", torch.tensor([[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]),
            ),
        ),
    ),
    step=9,
)  # fmt: skip


def _bias(name: str, symbol: str) -> Control:
    return Control(
        name, symbol, -3.0, 3.0, 0.5,
        read=lambda s: round(s.matrix(name)[0, 0].item(), 4),
        change=lambda s, value: edit_matrix(s, name, torch.full(s.shape_of(name), float(value))),
    )  # fmt: skip


def _biases(now: Now) -> Seen:
    shift = now.trace.context - now.start.context
    says = [
        now.says_change_of("scores", "Scores"),
        now.says_change_of("attention_weights", "Attention weights"),
        now.says_change_of("context", "Context vectors"),
    ]
    if now.change_of("context") and torch.allclose(shift, shift[:1].expand_as(shift), atol=1e-5):
        moved = ", ".join(now.write(value) for value in shift[0])
        says.append(f"Every context row moved by the same ({moved}): that is b_v.")
    scores = now.trace.scores - now.start.scores
    names = now.trace.tokens
    return Seen(tuple(says), (Table("Scores now − at the start", scores, rows=names, columns=names),))


_BIASES = Question(
    "Should queries, keys and values have biases? Why do some models leave out the key's alone?",
    (
        "A key bias adds q_i · b_k to every score of row i. What is constant along a row cancels in its softmax: the "
        "key bias changes no attention weight at all, and gets no gradient.",
        "A query bias adds b_q · k_j to column j, which does change the weights. A value bias adds exactly b_v to "
        "every context, because each row of weights sums to 1.",
    ),
    "Guess first which of the three leaves the attention weights alone. Then move them one at a time, or drag a "
    "number of b_q, b_k, b_v on the board.",
    replace(_PHRASE, d_v=2, bias=True),
    _biases,
    shows=("b_q", "b_k", "b_v", "q", "k", "scores", "attention_weights", "context"),
    controls=(_bias("b_q", "b_q, all its numbers"), _bias("b_k", "b_k, all its numbers"),
              _bias("b_v", "b_v, all its numbers")),
    step=3,
)  # fmt: skip

MIXING = (_VALUES, _SUM, _BIASES)
