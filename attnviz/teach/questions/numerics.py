"""Questions about numbers: what dropout does to sums, what few bits do to a softmax, and what X times c does."""

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor

from attnviz.core.scenario import Scenario
from attnviz.core.stages import STAGES
from attnviz.teach.dropping import mean_of_draws, n_draws
from attnviz.teach.questions.asking import CAT, READS, Option, Prediction, Question, rows
from attnviz.teach.questions.seeing import Now, Seen, Table
from attnviz.teach.replaced import dropout
from attnviz.words import say
from attnviz.words.numbers import in_format, significant

_WEIGHTS = STAGES["attention_weights"].title
SHARES = {"none": 0.0, "tenth": 0.1, "half": 0.5}
DRAWS = ("first", "second", "third", "mean")
FACTORS = {"half": 0.5, "one": 1.0, "two": 2.0, "ten": 10.0}
DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


# https://github.com/pytorch/pytorch/issues/42929, https://github.com/pytorch/pytorch/issues/33360,
# https://github.com/karpathy/ng-video-lecture/issues/30, https://github.com/facebookresearch/fairseq/issues/351
_TRAINED = Scenario(say("questions.before"), d_in=4, d_out=3, init="normal", seed=9)


def _after_dropout(now: Now) -> Tensor:
    mean = now.options["draw"] == "mean"
    return mean_of_draws(now.trace.attention_weights, SHARES[now.options["p"]]) if mean else now.made.attention_weights


def _dropout(now: Now) -> Seen:
    weights, made = now.trace.attention_weights, _after_dropout(now)
    sums = say("seen.dropout.sums", sums=now.for_each(made.sum(-1)))
    if now.options["draw"] != "mean":
        return Seen((sums, say("seen.dropout.zeros", n=int((made == 0).sum()), count=made.numel())))
    told = say("seen.dropout.mean", draws=f"{n_draws(weights):,}", gap=now.write(now.gap(made, weights)))
    return Seen((sums, told), (Table(_WEIGHTS, made, "share", now.names, now.names, sums=True),))


def _with_dropout(scenario: Scenario, chosen: Mapping[str, str]) -> Scenario:
    p, draw = SHARES[chosen["p"]], chosen["draw"]
    made = dropout(scenario, p, DRAWS.index(draw)) if p and draw != "mean" else None
    return made or scenario


DROPOUT = Question(
    "dropout",
    CAT,
    _dropout,
    subject="training",
    predicts=Prediction(lambda now: _after_dropout(now)[1].sum(), {"p": "none"}, {"same": None, "less": None}),
    then={"p": "half", "draw": "mean"},
    makes=_with_dropout,
    fixed=True,
    earlier=(_TRAINED,),
    card=("scores", "attention_weights"),
    shows=("scores", "scaled_scores", "attention_weights"),
    options=(
        Option("p", "questions.dropout.p", tuple(SHARES), "half"),
        Option("draw", "questions.dropout.draw", DRAWS, "first"),
    ),
    step=7,
    what_if=True,
)


def softmax_in(scores: Tensor, dtype: torch.dtype, shifted: bool) -> tuple[Tensor, Tensor]:
    """Return the exponentials of scores in a precision and their shares, with or without each row's largest number
    subtracted first.

    >>> softmax_in(torch.tensor([[12.0, 0.0]]), torch.float16, False)[0]
    tensor([[inf, 1.]], dtype=torch.float16)
    """
    given = scores.to(dtype)
    powers = (given - given.amax(-1, keepdim=True) if shifted else given).exp()
    return powers, powers / powers.sum(-1, keepdim=True)


# https://github.com/pytorch/pytorch/issues/110213 (float32 and float16 differ), and why softmax subtracts its maximum:
# Blanchard, Higham and Higham 2021, Accurately computing the log-sum-exp and softmax functions
_LARGE = Scenario(say("questions.before"), d_in=4, d_out=4, init="normal", seed=3, scale=False)


_LOUD = replace(CAT, w_q=rows(*(4 * CAT.matrix("w_q")).tolist()), scale=False)  # queries four times as long


def _numerics(now: Now) -> Seen:
    scores = now.trace.scores
    powers, shares = softmax_in(scores, DTYPES[now.options["dtype"]], now.options["shift"] == "on")
    n_broken, n_zeros, count = int(shares.isnan().sum()), int((shares == 0).sum()), shares.numel()
    says = [say("seen.numerics.largest", score=now.write(scores.max()), power=significant(float(powers.max()), 3))]
    says.append(say("seen.numerics.broken", n=n_broken, count=count) if n_broken else say("seen.numerics.whole"))
    says.append(say("seen.numerics.zeros", n=n_zeros, count=count))
    if not n_broken:
        exact = torch.softmax(scores.double(), -1)
        says.append(say("seen.numerics.gap", gap=in_format(float(now.gap(shares, exact)), ".1e")))
    return Seen(tuple(says), (Table(_WEIGHTS, shares.float(), "share", now.names, now.names),))


NUMERICS = Question(
    "numerics",
    _LOUD,
    _numerics,
    subject="softmax",
    follows=0,
    predicts=Prediction(
        lambda now: _numerics(now).tables[0].matrix.isnan().sum(),
        {"dtype": "float16", "shift": "off"},
        {"same": None},
        kind="count",
    ),
    then={"shift": "on"},
    fixed=True,
    earlier=(_LARGE,),
    options=(
        Option("dtype", "questions.numerics.dtype", tuple(DTYPES), "float32"),
        Option("shift", "questions.numerics.shift", ("on", "off"), "on"),
    ),
    step=7,
    what_if=True,
)


# https://datascience.stackexchange.com/questions/55901 and the factor √d_model of Vaswani et al. 2017, section 3.4:
# what a larger X does to everything behind it.
_SCALED = Scenario(say("questions.before"), d_in=4, d_out=3, init="normal", seed=2)


def _times(now: Tensor, before: Tensor) -> float:
    """Return what a matrix was multiplied by: the factor that fits best."""
    a, b = now.double(), before.double()
    return float((a * b).sum() / b.square().sum())


def _multiply(now: Now) -> Seen:
    made, before = now.made, now.trace
    factors = {name: now.write(_times(made[name], before[name])) for name in ("q", "v", "scores")}
    largest = [float(trace.attention_weights.amax(-1).mean()) for trace in (before, made)]
    says = (
        say("seen.multiply.times", **factors),
        say("seen.multiply.largest", before=now.write(largest[0]), after=now.write(largest[1])),
    )
    return Seen(says)


MULTIPLY = Question(
    "multiply",
    CAT,
    _multiply,
    subject="scaling",
    follows=0,
    predicts=Prediction(READS, {"c": "half"}, {"more": None, "same": {"c": "ten"}}),
    then={"c": "ten"},
    makes=lambda s, chosen: replace(s, x=tuple(map(tuple, (s.inputs * FACTORS[chosen["c"]]).tolist()))),
    fixed=True,
    earlier=(_SCALED,),
    card=("x", "attention_weights"),
    shows=("x", "q", "k", "scores", "scaled_scores", "attention_weights"),
    options=(Option("c", "questions.multiply.c", tuple(FACTORS), "two"),),
    step=6,
    what_if=True,
)

NUMBERS = (DROPOUT, NUMERICS, MULTIPLY)
