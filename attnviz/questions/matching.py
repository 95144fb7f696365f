"""Questions about scores and softmax: over which axis, why not symmetric, why not the embeddings themselves."""

from dataclasses import replace

import torch

from attnviz.changes import edit_matrix
from attnviz.explanation import explain
from attnviz.questions.asking import Control, Now, Option, Points, Preset, Question, Seen, Table, eye, rows
from attnviz.scenario import Scenario
from attnviz.variations import Axis, own_share, softmax_over, with_matrix

_AXES: dict[str, Axis] = {"each row": "rows", "each column": "columns", "the whole matrix": "whole"}


def _axis(now: Now) -> Seen:
    axis = now.options["axis"]
    weights = softmax_over(now.trace.scaled_scores, _AXES[axis])
    contexts, names = weights @ now.trace.v, now.trace.tokens
    sums = weights.sum(-1)
    says = [
        f"Softmax over {axis}. Row sums: {', '.join(now.write(each) for each in sums)}; column sums: "
        f"{', '.join(now.write(each) for each in weights.sum(-2))}.",
    ]
    if torch.allclose(sums, torch.ones_like(sums), atol=1e-5):
        says.append("Each query hands out 100 %: every context is a mix of the values, and lies between them.")
    else:
        says.append("Some queries hand out more or less than 100 %: their contexts are no mix of the values any more.")
    points = Points(now.trace.v, contexts, names) if contexts.shape[1] == 2 else None
    return Seen(tuple(says), (Table(f"Softmax over {axis}", weights, "share", names, names, sums=True),), points)


_AXIS = Question(
    "Over which axis is the softmax taken? Should not the columns sum to 1?",
    (
        "Over the keys, for each query by itself: each row sums to 1, because each query hands out 100 % of its "
        "attention. Columns need not: a token may be read by many, or by none.",
        "Over the columns every token would be forced to be read equally much in all; over the whole matrix every "
        "context would shrink. Over an axis of length 1 all weights are 1, a common bug.",
    ),
    "Choose the axis and read the sums in the margins. Contexts leave the values' triangle unless the rows sum to 1. "
    "The scores are W_q here: edit them.",
    Scenario(
        "black cat sat", d_in=3, d_out=3, scale=False, x="identity", w_k="identity",
        w_q=rows((2, 1, 0), (2, 0, 1), (2, 0, 0)), w_v=rows((0, 0), (2, 0), (1, 2)),
    ),
    _axis,
    shows=("w_q", "scaled_scores", "v"),
    options=(Option("axis", "Softmax over", tuple(_AXES), "each row"),),
    step=7,
)  # fmt: skip

_SMALLEST = Scenario(
    "A B", d_in=2, d_out=2, scale=False, x="identity", w_q=rows((0, 1), (0, 0)), w_k="identity", w_v="identity"
)
_FOUR = Scenario("the cat sat down", d_in=3, d_out=3, init="uniform", seed=6)


def _mirrored(now: Now) -> Seen:
    names = now.trace.tokens
    scores, weights = now.trace.scores, now.trace.attention_weights
    says = []
    for i, j in ((0, 1), (1, 0)):
        cell = explain(now.trace, "scores", i, j, digits=now.digits)
        says.append(f"'{names[i]}' asks '{names[j]}': {cell.symbols} = {cell.numbers}")
    tables = [
        Table("S − Sᵀ", scores - scores.mT, rows=names, columns=names),
        Table("A − Aᵀ", weights - weights.mT, rows=names, columns=names, limit=1.0),
    ]
    gaps = [float(table.matrix.abs().max()) for table in tables]
    for gap, words in zip(gaps, ("scores", "attention weights"), strict=True):
        says.append(
            f"The {words} are symmetric."
            if gap < 1e-5
            else f"The {words} are not symmetric: the largest difference of two mirror images is {now.write(gap)}."
        )
    return Seen(tuple(says), tuple(tables))


_SYMMETRY = Question(
    "If A is relevant to B, should B not be equally relevant to A? Which of the two numbers is right?",
    (
        "Both are: a_12 is how much 1 reads of 2, a_21 how much 2 reads of 1. s_12 = q_1 · k_2 and s_21 = q_2 · k_1 "
        "are different products. The scores are symmetric for every X only if W_q W_kᵀ is.",
        "And even symmetric scores give attention weights that are not: each row is divided by a sum of its own.",
    ),
    "Make W_k equal to W_q: S − Sᵀ goes blank, A − Aᵀ does not. Take the smallest example: A asks B, B does not ask A.",
    _FOUR,
    _mirrored,
    shows=("x", "w_q", "w_k", "q", "k", "scores", "attention_weights"),
    presets=(
        Preset("W_k = W_q", lambda s: with_matrix(s, "w_k", s.matrix("w_q"))),
        Preset("The smallest example", lambda s: _SMALLEST),
    ),
    step=5,
)

_PLAIN = Scenario("the cat sat down", d_in=2, d_out=2, scale=False, w_q="identity", w_k="identity", seed=5)


def _lengthened(scenario: Scenario) -> Scenario:
    """Make the second token three times as long."""
    x = scenario.matrix("x").clone()
    x[min(1, len(x) - 1)] *= 3
    return edit_matrix(scenario, "x", x)


def _shifted(scenario: Scenario) -> Scenario:
    """One-hot tokens, and keys that are those of the token before: each query finds its neighbour."""
    n_tokens = len(scenario.tokens)
    shift = torch.eye(n_tokens).roll(1, 0) * 4
    return replace(scenario, d_in=n_tokens, d_out=n_tokens, x="identity", w_q="identity", edits=(),
                   w_k=tuple(map(tuple, shift.tolist())))  # fmt: skip


def _own(now: Now) -> Seen:
    weights, names = now.trace.attention_weights, now.trace.tokens
    most = weights.nan_to_num().argmax(-1).tolist()
    reads = ", ".join(f"'{names[i]}' reads {'itself' if i == j else f'{names[j]!r}'} most" for i, j in enumerate(most))
    lengths = ", ".join(f"'{name}' {now.write(row.norm())}" for name, row in zip(names, now.trace.x, strict=True))
    shares = ", ".join(f"{own_share(d, trials=500):.0%} at d = {d}" for d in (2, 4, 8, 16))
    return Seen(
        (
            f"{reads}.",
            f"Lengths of the input vectors: {lengths}. Only the longest is sure to prefer itself.",
            f"Of rows of X Xᵀ with 6 random tokens, so many have their own score as the largest: {shares}.",
        )
    )


def _with_d(scenario: Scenario, d: float) -> Scenario:
    return replace(_PLAIN, d_in=int(d), d_out=int(d))


_SELF = Question(
    "Why not compare the embeddings with each other directly? Would every word not attend to itself?",
    (
        "With S = X Xᵀ (W_q = W_k = I) the own score is the squared length of x_i, but a longer neighbour can win: for "
        "(1, 0) and (3, 0) the scores of the first are 1 and 3. In high dimension nearly every token does prefer "
        "itself; in small examples not.",
        "Separate W_q and W_k let a token look for something unlike itself, as 'it' looks for a noun.",
    ),
    "W_q = W_k = I: the diagonal is bright. Lengthen one token: its column lights up, and rows switch to it. With "
    "one-hot tokens, a cyclic shift in W_k alone makes the diagonal dark. Raise d and watch the diagonal win.",
    _PLAIN,
    _own,
    shows=("x", "w_q", "w_k", "scores", "attention_weights"),
    presets=(
        Preset("W_q = W_k = identity", lambda s: with_matrix(with_matrix(s, "w_q", "identity"), "w_k", "identity")),
        Preset("Lengthen 'cat'", _lengthened),
        Preset("(1, 0) and (3, 0)", lambda s: replace(_PLAIN, text="A B", x=rows((1, 0), (3, 0)), edits=())),
        Preset("One-hot tokens, W_k = I", lambda s: replace(_shifted(_PLAIN), w_k=eye(4, 4, 4))),
        Preset("One-hot tokens, W_k shifts", lambda s: _shifted(_PLAIN)),
    ),
    controls=(Control("d", "d, of embeddings compared directly", 2, 16, 1, lambda s: s.d_in, _with_d),),
    step=5,
)

MATCHING = (_AXIS, _SYMMETRY, _SELF)
