"""Questions about masks, padding, and the cutting of vectors into heads."""

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor

from attnviz.core.scenario import Scenario, traced
from attnviz.explanation.summary import attends_most
from attnviz.features.questions.about.cat import CAT, rows
from attnviz.features.questions.asking import Question
from attnviz.features.questions.offered import QUERY, Option
from attnviz.features.questions.predicted import READS, Prediction
from attnviz.features.questions.seeing import Now, QuestionView
from attnviz.figures.small_tables import Table
from attnviz.words import plural, say

NUMBERED = {"one": 1, "two": 2, "three": 3, "four": 4, "ten": 10}  # links name choices in words


def for_some(now: Now, values: Tensor) -> str:
    """Write one number for each of the first tokens."""
    named = zip(now.names, values, strict=False)
    return ", ".join(say("seen.for", token=name, number=now.write(value)) for name, value in named)


# Why −∞ before the softmax: https://sachinkalsi.github.io/blog/why-do-we-use-negative-inf-for-masking,
# https://github.com/karpathy/ng-video-lecture/issues/30
_LATER = replace(CAT, causal=True)
_MIXED = ("q", "k", "v", "scores", "scaled_scores", "attention_weights", "context")


def _late_mask(now: Now) -> QuestionView:
    weights, hidden = now.drawn.attention_weights, torch.from_numpy(now.drawn.is_hidden)
    says = (
        say("seen.late_mask.sums", sums=now.for_each(weights.sum(-1))),
        say("seen.late_mask.hidden", shares=now.for_each(weights.where(hidden, 0.0).sum(-1))),
    )
    return QuestionView(says)


LATE_MASK = Question(
    "late_mask",
    _LATER,
    _late_mask,
    subject="softmax",
    predicts=Prediction(
        lambda now: now.drawn.attention_weights[now.query].sum(),
        {"use": "zeroed"},
        {"more": {QUERY: "0"}, "same": {QUERY: "0"}},
    ),
    then={"use": "factor"},
    makes=lambda s, chosen: replace(s, mask_use=chosen["use"]),
    fixed=True,
    card=("scores", "attention_weights"),
    shows=_MIXED,
    options=(Option("use", "questions.late_mask.use", ("added", "zeroed", "renormalized", "factor"), "added"),),
    step=6,
)


# Padding that other tokens read: https://github.com/pytorch/pytorch/issues/103749, https://github.com/allenai/OLMo/issues/322
_PADDED = replace(CAT, text=f"{CAT.text} [pad] [pad]", tokenizer="whitespace")
N_PADDING = 2


def _padding(now: Now) -> QuestionView:
    made = now.drawn
    n_words = len(made.tokens) - N_PADDING
    alone = traced(replace(now.scenario, text=" ".join(made.tokens[:n_words])))
    says = (
        say("seen.padding.shares", shares=for_some(now, made.attention_weights[:n_words, n_words:].sum(-1))),
        say("seen.padding.gap", gap=now.write(now.gap(made.context[:n_words], alone.context))),
    )
    return QuestionView(says)


PADDING = Question(
    "padding",
    _PADDED,
    _padding,
    subject="softmax",
    follows=0,
    predicts=Prediction(READS, {"mask": "on"}, {"same": {QUERY: "2"}, "less": {QUERY: "3"}}),
    makes=lambda s, chosen: replace(s, masking="padding", mask_size=N_PADDING) if chosen["mask"] == "on" else s,
    fixed=True,
    card=("scores", "attention_weights"),
    shows=_MIXED,
    options=(Option("mask", "questions.padding.mask", ("off", "on"), "off"),),
    step=6,
)


# Why several heads: https://datarekha.com/interview/deep-learning/multi-head-attention-use-multiple-heads/,
# https://github.com/harvardnlp/annotated-transformer/issues/17
# Each head's keys point north, south, east and west, and each query points at one of them: in head 0, "chased" finds
# who chases, in head 1, who is chased.
ACTORS = Scenario(
    "cat chased small mouse", d_in=4, d_out=4, x="identity", w_v="identity",
    w_q=rows((3, 0, 0, 3), (3, 0, 0, -3), (0, -3, -3, 0), (-3, 0, 0, 3)),
    w_k=rows((1, 0, 1, 0), (0, 1, 0, 1), (-1, 0, -1, 0), (0, -1, 0, -1)),
)  # fmt: skip


def _heads(now: Now) -> QuestionView:
    made = now.drawn
    numbers = sum(made[name].numel() for name in ("w_q", "w_k", "w_v"))
    says = [
        say(
            "seen.heads.numbers", numbers=plural(numbers, "number"), shares=plural(made.n_heads * len(now.names), "row")
        )
    ]
    says += [
        say("seen.heads.reads", head=head, reads=attends_most(each, now.query, now.digits))
        for head, each in enumerate(made.heads)
    ]
    if now.options["n"] != "four":
        return QuestionView(tuple(says))
    limit = max(float(each.attention_weights.max()) for each in made.heads)
    tables = [
        Table(say("seen.heads.table", head=head), each.attention_weights, "share", now.names, now.names, limit=limit)
        for head, each in enumerate(made.heads)
    ]
    return QuestionView(tuple(says), tuple(tables))


HEADS = Question(
    "heads",
    ACTORS,
    _heads,
    subject="shapes",
    predicts=Prediction(
        lambda now: now.drawn.heads[0].attention_weights[now.query, 0],
        {"n": "one"},
        {"more": {QUERY: "0"}, "same": {"n": "four"}},
    ),
    then={"n": "four"},
    makes=lambda s, chosen: replace(s, n_heads=NUMBERED[chosen["n"]]),
    fixed=True,
    card=("scaled_scores", "attention_weights"),
    shows=("scaled_scores", "attention_weights"),
    in_hall=("attention_weights",),
    hidden={"four": ("scaled_scores", "attention_weights")},
    options=(Option("n", "questions.heads.n", ("one", "two", "four"), "two"),),
    step=3,
)


# https://github.com/hyunwoongko/transformer/issues/15, https://github.com/harvardnlp/annotated-transformer/issues/118,
# https://github.com/bentrevett/pytorch-seq2seq/issues/148, https://github.com/reczoo/FuxiCTR/issues/30
_TWO_HEADS = 2
# Each number of Q shows whose it is: 2.3 is the second token's third number.
_CUT = Scenario(
    CAT.text, d_in=4, d_out=4, x="identity",
    w_q=rows(*((i + 0.1, i + 0.2, i + 0.3, i + 0.4) for i in range(1, 5))), w_k="identity",
)  # fmt: skip


def cut(matrix: Tensor, n_heads: int, way: str) -> Tensor:
    """Cut ``(n_tokens, d)`` to ``(n_heads, n_tokens, d / n_heads)``, by `way`.

    >>> cut(torch.tensor([[0, 1], [2, 3]]), 2, "view")[0].tolist()
    [[0], [1]]
    """
    n_tokens, width = matrix.shape
    if way == "view":
        return matrix.reshape(n_heads, n_tokens, width // n_heads)
    return matrix.view(n_tokens, n_heads, width // n_heads).transpose(0, 1)


def _owners(now: Now) -> list[list[int]]:
    """Return, by head and row, the token whose numbers it holds."""
    q = now.trace.q
    owners: list[list[int]] = cut(torch.arange(len(q))[:, None].expand(q.shape), _TWO_HEADS, now.options["way"])[
        ..., 0
    ].tolist()
    return owners


def _reshape(now: Now) -> QuestionView:
    named = [", ".join(f"“{now.names[token]}”" for token in of) for of in _owners(now)]
    return QuestionView(tuple(say("seen.reshape.rows", head=head, tokens=each) for head, each in enumerate(named)))


def _cut_in_two(scenario: Scenario, chosen: Mapping[str, str]) -> Scenario:
    return replace(scenario, n_heads=_TWO_HEADS, what_if="cut:view" if chosen["way"] == "view" else "")


RESHAPE = Question(
    "reshape",
    _CUT,
    _reshape,
    subject="shapes",
    predicts=Prediction(
        lambda now: sum(map(int.__eq__, _owners(now)[0], range(4))),
        {"way": "view"},
        {"same": {QUERY: "3"}, "end": {QUERY: "3"}},
        kind="count",
        end=0,
    ),
    makes=_cut_in_two,
    fixed=True,
    card=("q",),
    shows=("x", "q"),
    options=(Option("way", "questions.reshape.way", ("transpose", "view"), "transpose"),),
    step=3,
    what_if=True,
)

MASKS_AND_HEADS = (LATE_MASK, PADDING, HEADS, RESHAPE)
