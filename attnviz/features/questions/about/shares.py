"""Questions about rows of shares: masks, two softmaxes, averages and slopes."""

import math
from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor

from attnviz.core.matrix_input import Edit
from attnviz.core.scenario import Scenario
from attnviz.core.stages import STAGES
from attnviz.explanation.summary import attends_most
from attnviz.features.questions.about.cat import CAT
from attnviz.features.questions.about.masks_and_heads import ACTORS
from attnviz.features.questions.asking import Question
from attnviz.features.questions.offered import QUERY, Option
from attnviz.features.questions.predicted import READS, Prediction
from attnviz.features.questions.seeing import Now, QuestionView
from attnviz.features.questions.variations import softmax_over
from attnviz.figures.small_tables import Table
from attnviz.words import listed, plural, say

# https://github.com/pytorch/pytorch/issues/21518 and torch.nn.MultiheadAttention: attn_mask is (queries, keys).
_CAUSAL = replace(CAT, causal=True)


def _with_mask(scenario: Scenario, chosen: Mapping[str, str]) -> Scenario:
    """Return the example with its mask, transposed if so chosen."""
    if chosen["way"] == "rows":
        return scenario
    n = len(scenario.tokens)
    hidden = tuple(Edit("mask", row, column, -math.inf) for row in range(n) for column in range(row))
    return replace(scenario, causal=False, masking="painted", edits=hidden)


def _query_key(now: Now) -> QuestionView:
    hidden = now.drawn.is_hidden
    return QuestionView(tuple(
        say("seen.query_key.may", token=name, names=listed([
            f"“{other}”" for j, other in enumerate(now.names) if not hidden[i, j]
        ]))
        for i, name in enumerate(now.names)
    ))  # fmt: skip


QUERY_KEY = Question(
    "query_key",
    _CAUSAL,
    _query_key,
    subject="softmax",
    follows=2,
    predicts=Prediction(READS, {"way": "columns"}, {"same": {QUERY: "0"}, "more": {QUERY: "3"}}),
    makes=_with_mask,
    fixed=True,
    card=("scores", "attention_weights"),
    shows=("scores", "scaled_scores", "mask", "attention_weights"),
    options=(Option("way", "questions.query_key.way", ("rows", "columns"), "rows"),),
    step=6,
)


# Frequent on https://discuss.pytorch.org: a softmax before a loss, or before a layer, that takes one itself.
TIMES = {"once": 1, "twice": 2, "thrice": 3}
_HIDDEN = ("scaled_scores", "attention_weights")


def _after_softmaxes(now: Now) -> Tensor:
    """Return the attention weights, after as many softmaxes as chosen."""
    weights = now.trace.attention_weights
    for _ in range(TIMES[now.options["times"]] - 1):
        weights = softmax_over(weights, "rows")
    return weights


def _twice(now: Now) -> QuestionView:
    weights, n = _after_softmaxes(now), len(now.names)
    says = [say("seen.twice.largest", weight=now.write(weights.max()), even=now.write(1 / n))]
    if TIMES[now.options["times"]] == 1:
        return QuestionView(tuple(says))
    says.append(say("seen.twice.most", tokens=plural(n, "token"), most=now.write(math.e / (math.e + n - 1))))
    title = STAGES["attention_weights"].title
    return QuestionView(
        tuple(says), (Table(title, weights, "share", now.marked_names, now.names, sums=True, limit=1.0),)
    )


TWICE = Question(
    "twice",
    CAT,
    _twice,
    subject="softmax",
    follows=0,
    predicts=Prediction(
        lambda now: _after_softmaxes(now)[now.query, 1],
        {"times": "twice"},
        {"same": {"times": "thrice"}, "more": {QUERY: "2"}},
    ),
    then={"times": "thrice"},
    fixed=True,
    card=_HIDDEN,
    shows=_HIDDEN,
    hidden={"twice": _HIDDEN, "thrice": _HIDDEN},
    options=(Option("times", "questions.twice.times", tuple(TIMES), "once"),),
    step=7,
)


# torch.nn.MultiheadAttention returns the mean over heads unless average_attn_weights is False.
_TWO = replace(ACTORS, n_heads=2)


def _weights_shown(now: Now) -> Tensor:
    """Return attention weights of head 0, or of all on average."""
    each = [head.attention_weights for head in now.drawn.heads]
    return torch.stack(each).mean(0) if now.options["shown"] == "mean" else each[0]


def _averaged(now: Now) -> QuestionView:
    heads = now.drawn.heads
    if now.options["shown"] == "each":
        return QuestionView(tuple(
            say("seen.averaged.reads", head=head, reads=attends_most(each, now.query, now.digits))
            for head, each in enumerate(heads)
        ))  # fmt: skip
    mean = _weights_shown(now)
    gap = max(float(now.gap(mean @ each.v, each.context)) for each in heads)
    says = (
        say("seen.averaged.largest", token=now.names[now.query], share=now.write(mean[now.query].max())),
        say("seen.averaged.gap", gap=now.write(gap)),
    )
    rows = torch.stack([*(each.attention_weights[now.query] for each in heads), mean[now.query]])
    names = (*(say("heads.called", head=head) for head in range(len(heads))), say("questions.averaged.shown.mean"))
    title = say("seen.averaged.rows", token=now.names[now.query])
    return QuestionView(says, (Table(title, rows, "share", names, now.names, limit=1.0),))


AVERAGED = Question(
    "averaged",
    _TWO,
    _averaged,
    subject="shapes",
    predicts=Prediction(
        lambda now: _weights_shown(now)[now.query, 0],
        {"shown": "mean"},
        {"same": {QUERY: "2"}, "more": {QUERY: "0"}},
    ),
    fixed=True,
    card=("q", "k", "v"),
    shows=_HIDDEN,
    in_hall=("attention_weights",),
    hidden={"mean": _HIDDEN},
    options=(Option("shown", "questions.averaged.shown", ("each", "mean"), "each"),),
    step=7,
)  # fmt: skip


# ∂a_i / ∂s_i = a_i (1 − a_i): Vaswani et al. 2017, section 3.2.1, on softmax where its gradients are extremely small.
APART = {"zero": 0.0, "one": 1.0, "two": 2.0, "five": 5.0, "ten": 10.0}


def share_and_slope(gap: float) -> tuple[float, float]:
    """Return the larger share of two scores `gap` apart, and its slope.

    >>> share_and_slope(0.0)
    (0.5, 0.25)
    """
    share, other = torch.softmax(torch.tensor([gap, 0.0], dtype=torch.float64), -1).tolist()
    return share, share * other


def _slope(now: Now) -> QuestionView:
    gap = APART[now.options["gap"]]
    share, slope = share_and_slope(gap)
    reached = [each for each in APART.values() if each <= gap]  # larger gaps are still to be predicted
    table = torch.tensor([share_and_slope(each) for each in reached]).T
    titles = say("seen.slope.share"), say("seen.slope.slope")
    columns = tuple(f"{each:g}" for each in reached)
    says = (say("seen.slope.at", gap=f"{gap:g}", share=now.write(share), slope=now.write(slope)),)
    return QuestionView(says, tuple(
        Table(title, row[None], "share", columns=columns, rows=("",), limit=limit)
        for title, row, limit in zip(titles, table, (1.0, 0.25), strict=True)
    ))  # fmt: skip


SLOPE = Question(
    "slope",
    CAT,
    _slope,
    subject="training",
    predicts=Prediction(
        lambda now: share_and_slope(APART[now.options["gap"]])[1],
        {"gap": "two"},
        {"same": {"gap": "five"}, "more": {"gap": "one"}},
        kind="number",
    ),
    then={"gap": "ten"},
    fixed=True,
    card=("scaled_scores", "attention_weights"),
    options=(Option("gap", "questions.slope.gap", tuple(APART), "zero"),),
    step=7,
)

SHARES = (QUERY_KEY, TWICE, AVERAGED, SLOPE)
