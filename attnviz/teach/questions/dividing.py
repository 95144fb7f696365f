"""Questions about the divisor: why it is the root of d_k, and where it may divide."""

from collections.abc import Mapping
from dataclasses import replace

import torch

from attnviz.core.scenario import Scenario
from attnviz.core.stages import STAGES
from attnviz.scaling.experiment import sweep_scaling
from attnviz.scaling.settings import SCALE_CHOICES, SweepSettings
from attnviz.teach.questions.asking import CAT, READS, Exponent, Option, Prediction, Question
from attnviz.teach.questions.seeing import Now, Seen, Table
from attnviz.words import say

DIMS = (2, 8, 64, 512)
TRIALS, KEYS = 300, 6
FLAT = 0.06  # a change of the mean largest weight that the draws of 300 trials can make


def _divisors(now: Now) -> Seen:
    p = now.options["p"]
    swept = sweep_scaling(DIMS, trials=TRIALS, seed=0, n_keys=KEYS, scales=("none", "sqrt", "linear", float(p)))
    measured = torch.tensor(swept[["largest_attention_weight", "std"]].to_numpy().copy()).reshape(len(DIMS), 4, 2)
    names = (say("seen.root.raw"), *(say("seen.root.divided", divisor=d) for d in ("√d_k", "d_k", f"d_k^{p}")))
    columns = tuple(f"d_k = {dim}" for dim in DIMS)
    largest, spread = measured.transpose(0, 1).unbind(-1)  # (divisors, dimensions) each
    own = [f"{weight:.2f}" for weight in largest[3]]
    if float(largest[3].max() - largest[3].min()) <= FLAT:
        verdict = say("seen.root.flat", p=p, least=min(own), most=max(own))
    else:
        key = "seen.root.too_little" if largest[3, -1] > largest[3, 0] else "seen.root.too_much"
        verdict = say(key, p=p, first=own[0], last=own[-1], narrow=DIMS[0], wide=DIMS[-1])
    says = [verdict, say("seen.root.measured", keys=KEYS, trials=TRIALS, even=f"{1 / KEYS:.2f}")]
    return Seen(
        tuple(says),
        (
            Table(say("seen.root.largest"), largest, "share", names, columns, limit=1.0),
            Table(say("seen.root.spread"), spread, rows=names, columns=columns, limit=4.0),
        ),
    )


ROOT = Question(
    "root",
    Scenario("the cat sat", d_in=4, d_out=2, d_v=3, init="normal", seed=2),
    _divisors,
    subject="scaling",
    predicts=Prediction(lambda now: _divisors(now).tables[0].matrix[3, -1], {"p": "0.5"}, {"same": {"p": "1"}}),
    then={"p": "1"},
    options=(Exponent("p", "questions.root.control", "0"),),
    sweep=SweepSettings(dims=DIMS, keys=KEYS, scales=SCALE_CHOICES),
    step=6,
)

_PLACES = ("queries", "both", "scores")


def _where(now: Now) -> Seen:
    chosen, t = now.options["place"], now.trace
    n_divided = {"queries": t.q.numel(), "both": t.q.numel() + t.k.numel(), "scores": t.scores.numel()}[chosen]
    names = ("q", "k", "scaled_scores", "attention_weights") if chosen != "scores" else ()
    return Seen((
        say("seen.where.block", place=say(f"questions.where.choice.{chosen}")),
        *(_against(now, name) for name in names),
        say("seen.where.largest", size=now.write(now.made.scores.abs().max())),
        say("seen.where.divided", n=n_divided),
    ))  # fmt: skip


def _against(now: Now, name: str) -> str:
    """Say how a matrix differs from that with the scores divided; a product of the same factors, by rounding alone."""
    usual, other = now.trace[name], now.made[name]
    title, gap = STAGES[name].title, now.write(now.gap(usual, other))
    if name in ("q", "k") and not torch.equal(usual, other):
        return say("seen.where.other", matrix=title, gap=gap)
    return say("seen.where.same" if now.looks_same(usual, other) else "seen.where.rounded", matrix=title, gap=gap)


def _divided(scenario: Scenario, chosen: Mapping[str, str]) -> Scenario:
    """Return the example with its W's divided, so that queries and keys are, and its scores aren't."""
    parts = {"queries": {"w_q": 0.5}, "both": {"w_q": 0.25, "w_k": 0.25}, "scores": {}}[chosen["place"]]
    made = {name: scenario.matrix(name) / scenario.d_out**power for name, power in parts.items()}
    given = {name: tuple(map(tuple, matrix.tolist())) for name, matrix in made.items()}
    return replace(scenario, scale=not parts, **given)  # type: ignore[arg-type]


_NORMAL = Scenario(say("questions.before"), d_in=3, d_out=3, init="normal", seed=5)
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
    earlier=(_NORMAL,),
    card=("q", "k", "scaled_scores", "attention_weights"),
    shows=("q", "k", "scores", "scaled_scores", "attention_weights"),
    options=(Option("place", "questions.where.choice", _PLACES, "scores", block=True),),
    step=6,
)
