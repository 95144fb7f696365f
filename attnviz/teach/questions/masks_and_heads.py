"""Questions about masks, padding, and how queries, keys and values are cut into heads."""

from dataclasses import replace

import torch
from torch import Tensor

from attnviz.core.scenario import Scenario, traced
from attnviz.core.stages import STAGES
from attnviz.teach.questions.asking import Option, Question
from attnviz.teach.questions.seeing import Now, Seen, Table
from attnviz.words import plural, say

NUMBERED = {"one": 1, "two": 2, "three": 3, "four": 4, "ten": 10}  # links name choices in words
_WEIGHTS = STAGES["attention_weights"].title


def choice(question: str, name: str, choices: tuple[str, ...], default: str) -> Option:
    """Return a choice whose words stand in the catalogue, where a hyphen is written as _."""
    key = f"questions.{question}.{name}"
    called = {each: say(f"{key}.{each.replace('-', '_')}") for each in choices}
    return Option(name, say(f"{key}.label"), called, default)


def for_some(now: Now, values: Tensor) -> str:
    """Write a number of each of the first tokens."""
    named = zip(now.names, values, strict=False)
    return ", ".join(say("seen.for", token=name, number=now.write(value)) for name, value in named)


# Why −∞ before the softmax: https://sachinkalsi.github.io/blog/why-do-we-use-negative-inf-for-masking,
# https://github.com/karpathy/ng-video-lecture/issues/30
_CAUSAL = Scenario(say("questions.late_mask.text"), d_in=4, d_out=2, init="normal", seed=3, causal=True)


def _late_mask(now: Now) -> Seen:
    made = traced(replace(now.scenario, mask_use=now.options["use"]))
    weights, hidden = made.attention_weights, torch.from_numpy(made.is_hidden)
    says = (
        say("seen.late_mask.sums", sums=now.for_each(weights.sum(-1))),
        say("seen.late_mask.hidden", shares=now.for_each(weights.where(hidden, 0.0).sum(-1))),
    )
    return Seen(says, (Table(_WEIGHTS, weights, "share", now.names, now.names, sums=True),))


LATE_MASK = Question(
    "late_mask",
    _CAUSAL,
    _late_mask,
    subject="softmax",
    options=(choice("late_mask", "use", ("added", "zeroed", "renormalized", "factor"), "added"),),
    fits=lambda s: s == _CAUSAL,
    step=6,
)


# Padding that is read: https://github.com/pytorch/pytorch/issues/103749, https://github.com/allenai/OLMo/issues/322
_PADDED = Scenario(say("questions.padding.text"), tokenizer="whitespace", d_in=4, d_out=3, init="normal", seed=5)
N_PADDING = 2


def _padding(now: Now) -> Seen:
    masked = now.options["mask"] == "on"
    made = traced(replace(now.scenario, masking="padding", mask_size=N_PADDING)) if masked else now.trace
    n_words = len(made.tokens) - N_PADDING
    alone = traced(replace(now.scenario, text=" ".join(made.tokens[:n_words])))
    says = (
        say("seen.padding.shares", shares=for_some(now, made.attention_weights[:n_words, n_words:].sum(-1))),
        say("seen.padding.gap", gap=now.write(now.gap(made.context[:n_words], alone.context))),
    )
    return Seen(says, (Table(_WEIGHTS, made.attention_weights, "share", now.names, now.names, sums=True),))


PADDING = Question(
    "padding",
    _PADDED,
    _padding,
    subject="softmax",
    options=(choice("padding", "mask", ("off", "on"), "off"),),
    fits=lambda s: s == _PADDED,
    step=6,
)


# Why several: https://datarekha.com/interview/deep-learning/multi-head-attention-use-multiple-heads/,
# https://github.com/harvardnlp/annotated-transformer/issues/17
# Of this seed, heads read different tokens most.
_WIDE = Scenario(say("questions.heads.text"), d_in=4, d_out=4, init="normal", seed=11)


def _heads(now: Now) -> Seen:
    made = traced(replace(now.scenario, n_heads=NUMBERED[now.options["n"]]))
    numbers = sum(made[name].numel() for name in ("w_q", "w_k", "w_v"))
    says = [
        say(
            "seen.heads.numbers", numbers=plural(numbers, "number"), shares=plural(made.n_heads * len(now.names), "row")
        )
    ]
    for head, each in enumerate(made.heads):
        row = each.attention_weights[now.query]
        most = int(row.argmax())
        says.append(say("seen.heads.reads", head=head, token=now.names[now.query], other=now.names[most],
                        weight=now.write(row[most])))  # fmt: skip
    limit = max(float(each.attention_weights.max()) for each in made.heads)
    tables = [
        Table(say("seen.heads.table", head=head), each.attention_weights, "share", now.names, now.names, limit=limit)
        for head, each in enumerate(made.heads)
    ]
    return Seen(tuple(says), tuple(tables))


HEADS = Question(
    "heads",
    _WIDE,
    _heads,
    subject="shapes",
    options=(choice("heads", "n", ("one", "two", "four"), "two"),),
    fits=lambda s: s == _WIDE,
    step=3,
)


# https://github.com/hyunwoongko/transformer/issues/15, https://github.com/harvardnlp/annotated-transformer/issues/118,
# https://github.com/bentrevett/pytorch-seq2seq/issues/148, https://github.com/reczoo/FuxiCTR/issues/30
_TWO_HEADS = 2
_CUT = Scenario(say("questions.reshape.text"), d_in=4, d_out=4, init="normal", seed=2)


def cut(matrix: Tensor, n_heads: int, way: str) -> Tensor:
    """Cut ``(n_tokens, d)`` into ``(n_heads, n_tokens, d / n_heads)``, the right way or by one view alone.

    >>> cut(torch.tensor([[0, 1], [2, 3]]), 2, "view")[0].tolist()
    [[0], [1]]
    """
    n_tokens, width = matrix.shape
    if way == "view":
        return matrix.reshape(n_heads, n_tokens, width // n_heads)
    return matrix.view(n_tokens, n_heads, width // n_heads).transpose(0, 1)


def _reshape(now: Now) -> Seen:
    q, way = now.trace.q, now.options["way"]
    owners = cut(torch.arange(len(q))[:, None].expand(q.shape), _TWO_HEADS, way)[..., 0]  # each row is of one token
    says, tables = [], []
    for head, (part, of) in enumerate(zip(cut(q, _TWO_HEADS, way), owners.tolist(), strict=True)):
        named = tuple(now.names[token] for token in of)
        says.append(say("seen.reshape.rows", head=head, tokens=", ".join(f"“{each}”" for each in named)))
        tables.append(Table(say("seen.reshape.table", head=head), part, rows=named, role="q"))
    return Seen(tuple(says), tuple(tables))


RESHAPE = Question(
    "reshape",
    _CUT,
    _reshape,
    subject="shapes",
    options=(choice("reshape", "way", ("transpose", "view"), "transpose"),),
    fits=lambda s: s == _CUT,
    step=3,
    what_if=True,
)

MASKS_AND_HEADS = (LATE_MASK, PADDING, HEADS, RESHAPE)
