"""Questions about divisors, dropout, low precision, and X times c."""

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor

from attnviz.core.dropout import dropout, mean_of_draws, n_draws
from attnviz.core.scenario import Scenario
from attnviz.core.stages import STAGES
from attnviz.explanation.factors import factors, times
from attnviz.features.questions.about.cat import CAT, rows
from attnviz.features.questions.asking import Question
from attnviz.features.questions.offered import QUERY, Exponent, Option, Preset
from attnviz.features.questions.predicted import READS, Prediction
from attnviz.features.questions.seeing import ByWidth, Now, QuestionView
from attnviz.features.questions.variations import with_matrix
from attnviz.features.sweeps.experiment import sweep_scaling
from attnviz.features.sweeps.settings import SCALE_CHOICES, SweepSettings
from attnviz.features.sweeps.typical_rows import typical_rows
from attnviz.figures.small_tables import Table
from attnviz.words import say, thousands
from attnviz.words.numbers import in_format, significant

SHARES = {"none": 0.0, "tenth": 0.1, "half": 0.5}
DRAWS = ("first", "second", "third", "mean")
FACTORS = {"half": 0.5, "one": 1.0, "two": 2.0, "ten": 10.0}
DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


# https://github.com/pytorch/pytorch/issues/42929, https://github.com/pytorch/pytorch/issues/33360,
# https://github.com/karpathy/ng-video-lecture/issues/30, https://github.com/facebookresearch/fairseq/issues/351
def _after_dropout(now: Now) -> Tensor:
    mean = now.options["draw"] == "mean"
    return mean_of_draws(now.trace.attention_weights, SHARES[now.options["p"]]) if mean else now.drawn.attention_weights


def _dropout(now: Now) -> QuestionView:
    weights, made = now.trace.attention_weights, _after_dropout(now)
    sums = say("seen.dropout.sums", sums=now.for_each(made.sum(-1)))
    if now.options["draw"] != "mean":
        return QuestionView((sums, say("seen.dropout.zeros", n=int((made == 0).sum()), count=made.numel())))
    told = say("seen.dropout.mean", draws=thousands(n_draws(weights)), gap=now.write(now.gap(made, weights)))
    weights_title = STAGES["attention_weights"].title
    return QuestionView((sums, told), (Table(weights_title, made, "share", now.names, now.names, sums=True),))


def _with_dropout(scenario: Scenario, chosen: Mapping[str, str]) -> Scenario:
    p, draw = SHARES[chosen["p"]], chosen["draw"]
    made = dropout(scenario, p, DRAWS.index(draw)) if p and draw != "mean" else None
    return made or scenario


DROPOUT = Question(
    "dropout",
    CAT,
    _dropout,
    subject="training",
    predicts=Prediction(
        lambda now: _after_dropout(now)[now.query].sum(),
        {"p": "none"},
        {"same": {"p": "half", "draw": "mean"}, "less": {"draw": "third"}},
    ),
    then={"p": "half", "draw": "mean"},
    makes=_with_dropout,
    fixed=True,
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
    """Return exponentials and softmax in `dtype`, `shifted` by each row's maximum.

    >>> softmax_in(torch.tensor([[12.0, 0.0]]), torch.float16, False)[0]
    tensor([[inf, 1.]], dtype=torch.float16)
    """
    given = scores.to(dtype)
    powers = (given - given.amax(-1, keepdim=True) if shifted else given).exp()
    return powers, powers / powers.sum(-1, keepdim=True)


# https://github.com/pytorch/pytorch/issues/110213 (float32 and float16 differ), and why softmax subtracts its maximum:
# Blanchard, Higham and Higham 2021, Accurately computing the log-sum-exp and softmax functions
_LOUD = replace(CAT, w_q=rows(*(4 * CAT.matrix("w_q")).tolist()), scale=False)  # queries four times as long


def _numerics(now: Now) -> QuestionView:
    scores = now.trace.scores
    powers, shares = softmax_in(scores, DTYPES[now.options["dtype"]], now.options["shift"] == "on")
    n_broken, n_zeros, count = int(shares.isnan().sum()), int((shares == 0).sum()), shares.numel()
    says = [say("seen.numerics.largest", score=now.write(scores.max()), power=significant(float(powers.max()), 3))]
    says.append(say("seen.numerics.broken", n=n_broken, count=count) if n_broken else say("seen.numerics.whole"))
    says.append(say("seen.numerics.zeros", n=n_zeros, count=count))
    if not n_broken:
        exact = torch.softmax(scores.double(), -1)
        says.append(say("seen.numerics.gap", gap=in_format(float(now.gap(shares, exact)), ".1e")))
    given = Table(STAGES["scores"].title, scores, rows=now.names, columns=now.names)
    return QuestionView(
        tuple(says), (given, Table(STAGES["attention_weights"].title, shares.float(), "share", now.names, now.names))
    )


_LONGER = Preset("questions.numerics.press.longer", lambda s: with_matrix(s, "w_q", 10 * s.matrix("w_q")))
NUMERICS = Question(
    "numerics",
    _LOUD,
    _numerics,
    subject="softmax",
    follows=0,
    predicts=Prediction(
        lambda now: _numerics(now).tables[-1].matrix.isnan().sum(),
        {"dtype": "float16", "shift": "off"},
        dict.fromkeys(("same", "end"), _LONGER),
        kind="count",
        end=16,
    ),
    then={"shift": "on"},
    fixed=True,
    options=(
        Option("dtype", "questions.numerics.dtype", tuple(DTYPES), "float32"),
        Option("shift", "questions.numerics.shift", ("on", "off"), "on"),
    ),
    step=7,
    what_if=True,
)


# https://datascience.stackexchange.com/questions/55901 and the factor √d_model of Vaswani et al. 2017, section 3.4:
# what a larger X does to all later matrices.
def _multiply(now: Now) -> QuestionView:
    made, before = now.drawn, now.trace
    found = factors(before, made)
    largest = [float(trace.attention_weights.amax(-1).mean()) for trace in (before, made)]
    fitting = {name: factor for name in ("q", "v", "scores") if (factor := found[name]) is not None}
    parts = ", ".join(say(f"seen.multiply.{name}", factor=now.write(factor)) for name, factor in fitting.items())
    says = [say("seen.multiply.times", parts=parts)] if parts else []
    says.append(say("seen.multiply.largest", before=now.write(largest[0]), after=now.write(largest[1])))
    return QuestionView(tuple(says))


MULTIPLY = Question(
    "multiply",
    CAT,
    _multiply,
    subject="scaling",
    follows=0,
    predicts=Prediction(READS, {"c": "half"}, {"more": {QUERY: "2"}, "same": {"c": "ten"}}),
    then={"c": "ten"},
    makes=lambda s, chosen: times(s, FACTORS[chosen["c"]]),
    fixed=True,
    card=("x", "attention_weights"),
    shows=("x", "q", "k", "scores", "scaled_scores", "attention_weights"),
    options=(Option("c", "questions.multiply.c", tuple(FACTORS), "two"),),
    step=6,
    what_if=True,
)

NUMBERS = (DROPOUT, NUMERICS, MULTIPLY)


DIMS = (2, 8, 64, 512)
TRIALS, KEYS = 300, 6
LADDER = (1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512)  # the slider, by steps of √2
FLAT = 0.06  # chance alone can change the mean largest weight of 300 trials by this much


def _divisors(now: Now) -> QuestionView:
    p = now.options["p"]
    swept = sweep_scaling(DIMS, trials=TRIALS, seed=0, n_keys=KEYS, scales=("none", "sqrt", "linear", float(p)))
    measured = torch.tensor(swept[["largest_attention_weight", "std"]].to_numpy().copy()).reshape(len(DIMS), 4, 2)
    columns = tuple(f"d_k = {dim}" for dim in DIMS)
    largest, spread = measured.transpose(0, 1).unbind(-1)  # (divisors, dimensions) each
    own = [f"{weight:.2f}" for weight in largest[3]]
    if float(largest[3].max() - largest[3].min()) <= FLAT:
        verdict = say("seen.root.flat", p=p, least=min(own), most=max(own))
    else:
        key = "seen.root.too_little" if largest[3, -1] > largest[3, 0] else "seen.root.too_much"
        verdict = say(key, p=p, first=own[0], last=own[-1], narrow=DIMS[0], wide=DIMS[-1])
    says = [verdict, say("seen.root.measured", keys=KEYS, trials=TRIALS, even=f"{1 / KEYS:.2f}")]
    plain = {0.0: say("seen.root.raw"), 0.5: say("seen.root.divided", divisor="√d_k"),
             1.0: say("seen.root.divided", divisor="d_k")}  # fmt: skip
    # The chosen divisor comes last, and only once. Undivided scores stand alone, so as not to give the answer away.
    beside = [i for i, exponent in enumerate(plain) if exponent != float(p)] if float(p) else []
    at = [*beside, 3]
    own_name = plain.get(float(p)) or say("seen.root.divided", divisor=f"d_k^{p}")
    names = (*([*plain.values()][i] for i in beside), own_name)
    return QuestionView(
        tuple(says),
        (
            Table(say("seen.root.largest"), largest[at], "share", names, columns, limit=1.0),
            Table(say("seen.root.spread"), spread[at], rows=names, columns=columns, limit=4.0),
        ),
        by_width=_by_width(float(p)),
    )


def _by_width(p: float) -> ByWidth:
    """Return typical rows of the tables' trials, undivided and divided by d^p."""
    exponents = tuple(dict.fromkeys((0.0, p)))
    rows = typical_rows(LADDER, 0, TRIALS, n_keys=KEYS, exponents=exponents)
    return ByWidth(LADDER, dict(zip(exponents, rows, strict=True)))


ROOT = Question(
    "root",
    Scenario("the cat sat", d_in=4, d_out=2, d_v=3, init="normal", seed=2),
    _divisors,
    subject="scaling",
    predicts=Prediction(
        lambda now: _divisors(now).tables[0].matrix[-1, -1], {"p": "0.5"}, {"more": {"p": "1"}, "same": {"p": "1"}}
    ),
    then={"p": "1"},
    options=(Exponent("p", "questions.root.control", "0"),),
    sweep=SweepSettings(dims=DIMS, keys=KEYS, scales=SCALE_CHOICES),
    step=6,
)

_PLACES = ("queries", "both", "scores")


def _where(now: Now) -> QuestionView:
    chosen, t = now.options["place"], now.trace
    n_divided = {"queries": t.q.numel(), "both": t.q.numel() + t.k.numel(), "scores": t.scores.numel()}[chosen]
    names = ("q", "k", "scaled_scores", "attention_weights") if chosen != "scores" else ()
    return QuestionView(
        (
            say("seen.where.block", place=say(f"questions.where.choice.{chosen}")),
            *(_against(now, name) for name in names),
            say("seen.where.largest", size=now.write(now.drawn.scores.abs().max())),
            say("seen.where.divided", n=n_divided),
        )
    )


def _against(now: Now, name: str) -> str:
    """Say how a matrix differs from the usual, perhaps by rounding alone."""
    usual, other = now.trace[name], now.drawn[name]
    title, gap = STAGES[name].title, now.write(now.gap(usual, other))
    if name in ("q", "k") and not torch.equal(usual, other):
        return say("seen.where.other", matrix=title, gap=gap)
    return say("seen.where.same" if now.looks_same(usual, other) else "seen.where.rounded", matrix=title, gap=gap)


def _divided(scenario: Scenario, chosen: Mapping[str, str]) -> Scenario:
    """Return the example with its W's divided, in place of its scores."""
    parts = {"queries": {"w_q": 0.5}, "both": {"w_q": 0.25, "w_k": 0.25}, "scores": {}}[chosen["place"]]
    made = {name: scenario.matrix(name) / scenario.d_out**power for name, power in parts.items()}
    given = {name: tuple(map(tuple, matrix.tolist())) for name, matrix in made.items()}
    return replace(scenario, scale=not parts, **given)  # type: ignore[arg-type]


WHERE = Question(
    "where",
    CAT,
    _where,
    subject="scaling",
    follows=0,
    predicts=Prediction(READS, {"place": "queries"}, {"more": {"place": "both"}, "less": {"place": "both"}}),
    then={"place": "both"},
    makes=_divided,
    fixed=True,
    card=("q", "k", "scaled_scores", "attention_weights"),
    shows=("q", "k", "scores", "scaled_scores", "attention_weights"),
    options=(Option("place", "questions.where.choice", _PLACES, "scores"),),
    step=6,
)
