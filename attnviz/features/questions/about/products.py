"""Questions about the products that make queries, keys and scores."""

from collections.abc import Mapping
from dataclasses import replace

import torch
import torch.nn.functional as F

from attnviz.core.scenario import Scenario
from attnviz.explanation.head_figures import score_parts
from attnviz.features.questions.about.cat import CAT, rows
from attnviz.features.questions.about.masks_and_heads import NUMBERED
from attnviz.features.questions.asking import Question
from attnviz.features.questions.offered import QUERY, Option
from attnviz.features.questions.predicted import READS, Prediction
from attnviz.features.questions.seeing import Now, QuestionView
from attnviz.figures.small_tables import Table
from attnviz.words import plural, say

SAME = 1e-5  # largest difference between two ways to the same product, relative to its largest number


def _are_same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return float((a.double() - b.double()).abs().max()) <= SAME * max(1.0, float(b.abs().max()))


# https://community.deeplearning.ai/t/why-do-we-use-square-root-of-key-dimension-for-scaling/776800
_COMPARED = {"dot": "", "cosine": "scores:cosine"}
_COMPARES = ("q", "k", "scores", "scaled_scores", "attention_weights")
LONG = 1  # the token that is made longer


def _lengthened(scenario: Scenario, chosen: Mapping[str, str]) -> Scenario:
    x = scenario.inputs.clone()
    x[LONG] *= NUMBERED[chosen["times"]]
    longer = scenario if chosen["times"] == "one" else replace(scenario, x=tuple(map(tuple, x.tolist())))
    return replace(longer, what_if=_COMPARED[chosen["scores"]])


def _cosine(now: Now) -> QuestionView:
    made = now.drawn
    largest = made.scores.abs().max()
    says = (
        say("seen.cosine.largest", score=now.write(largest)),
        say("seen.cosine.weight", token=now.names[LONG], weight=now.write(made.attention_weights[:, LONG].max()),
            even=now.write(1 / len(made.tokens))),
    )  # fmt: skip
    return QuestionView(says)


COSINE = Question(
    "cosine",
    CAT,
    _cosine,
    subject="scaling",
    follows=0,
    predicts=Prediction(READS, {"scores": "cosine"}, {"more": {"times": "ten"}, "same": {"times": "ten"}}),
    then={"times": "ten"},
    makes=_lengthened,
    fixed=True,
    card=("q", "k", "attention_weights"),
    shows=_COMPARES,
    options=(
        Option("scores", "questions.cosine.scores", tuple(_COMPARED), "dot"),
        Option("times", "questions.cosine.times", ("one", "three", "ten"), "one"),
    ),
    step=4,
    what_if=True,
)


# https://groups.google.com/g/tensor2tensor/c/urMbWCU87U0 asks which other products are possible.
_WAYS = {
    "usual": "", "keys-first": "scores:keys-first", "exchanged": "projections:exchanged",
    "both": "projections:exchanged,scores:keys-first",
}  # fmt: skip


def _keys_first(now: Now) -> QuestionView:
    made, usual = now.drawn.scores, now.trace.scores
    first, second = now.query, (now.query + 1) % len(now.names)
    says = (
        say(f"seen.keys_first.{'usual' if _are_same(made, usual) else 'turned'}"),
        say("seen.keys_first.scores", first=now.names[first], second=now.names[second],
            there=now.write(made[first, second]), back=now.write(made[second, first])),
    )  # fmt: skip
    return QuestionView(says)


KEYS_FIRST = Question(
    "keys_first",
    CAT,
    _keys_first,
    subject="meaning",
    follows=0,
    predicts=Prediction(
        ("scores", 1),
        {"way": "keys-first"},
        {"more": {"way": "exchanged"}, "same": {"way": "exchanged"}},
        kind="number",
    ),
    then={"way": "both"},
    makes=lambda s, chosen: replace(s, what_if=_WAYS[chosen["way"]]),
    fixed=True,
    card=("q", "k", "scores"),
    shows=_COMPARES,
    options=(Option("way", "questions.keys_first.way", tuple(_WAYS), "usual"),),
    step=4,
    what_if=True,
)


# A frequent question on https://discuss.pytorch.org: why does nn.Linear multiply by the transpose? See
# torch.nn.functional.linear: y = x Aᵀ + b.
_ASKS = replace(CAT, d_out=3, w_q=rows((0, 2, 0), (2, 0, 0), (1.5, 0.5, 1)), w_k="identity", w_v="identity")
_LINEARS = {"x-w": "", "x-w-t": "projections:transposed"}


def _linear(now: Now) -> QuestionView:
    made = now.drawn.q
    of_torch = F.linear(now.trace.x, now.trace.w_q)
    gap = now.write(now.gap(made, of_torch))
    says = (say(f"seen.linear.{'same' if _are_same(made, of_torch) else 'other'}", gap=gap),)
    return QuestionView(says)


LINEAR = Question(
    "linear",
    _ASKS,
    _linear,
    subject="shapes",
    follows=2,
    predicts=Prediction(("q", 0), {"way": "x-w-t"}, {"more": {QUERY: "3"}, "same": {QUERY: "3"}}, kind="number"),
    makes=lambda s, chosen: replace(s, what_if=_LINEARS[chosen["way"]]),
    fixed=True,
    card=("x", "w_q", "q"),
    shows=("x", "w_q", "q"),
    options=(Option("way", "questions.linear.way", tuple(_LINEARS), "x-w"),),
    step=3,
    what_if=True,
)


# https://community.deeplearning.ai asks why W_q and W_k aren't one matrix; Elhage et al. 2021, A Mathematical
# Framework for Transformer Circuits, calls the one matrix W_QK. For longer queries and keys, these are columns 2 and 3
# of W_q, and of W_k.
_FOURTH, _FIFTH = rows((0.4, 0.3, 1.2), (1.1, -0.2, 0.5)), rows((0.8, -0.4, 1.5), (0.2, 0.6, -0.7))


def _widened(scenario: Scenario, chosen: Mapping[str, str]) -> Scenario:
    """Return the example with queries and keys of the chosen length."""
    d = NUMBERED[chosen["d"]]
    if scenario.x is None:
        return replace(scenario, d_out=d)
    given = {
        name: torch.cat([scenario.matrix(name), torch.tensor(more).T], -1)[:, :d].tolist()
        for name, more in (("w_q", _FOURTH), ("w_k", _FIFTH))
    }
    return replace(scenario, d_out=d, d_v=2, **given)  # type: ignore[arg-type]


def _product(now: Now) -> torch.Tensor:
    return now.drawn.w_q.double() @ now.drawn.w_k.double().T


def _one_matrix(now: Now) -> QuestionView:
    made, m = now.drawn, _product(now)
    x = made.x.double()
    says = (
        say("seen.one_matrix.rank", size=f"{m.shape[0]} × {m.shape[1]}", rank=int(torch.linalg.matrix_rank(m))),
        say(
            "seen.one_matrix.numbers",
            one=plural(m.numel(), "number"),
            two=plural(made.w_q.numel() + made.w_k.numel(), "number"),
        ),
        say("seen.one_matrix.gap", gap=now.write(now.gap(x @ m @ x.T, made.scores))),
    )
    return QuestionView(says, (Table(say("seen.one_matrix.table"), m.float(), role="x"),))


ONE_MATRIX = Question(
    "one_matrix",
    CAT,
    _one_matrix,
    subject="meaning",
    follows=0,
    predicts=Prediction(
        lambda now: torch.linalg.matrix_rank(_product(now)),
        {"d": "three"},
        {"same": {"d": "one"}, "less": {"d": "four"}},
        kind="count",
    ),
    then={"d": "four"},
    makes=_widened,
    fixed=True,
    card=("w_q", "w_k", "scores"),
    shows=("x", "w_q", "w_k", "q", "k", "scores"),
    options=(Option("d", "questions.one_matrix.d", ("one", "two", "three", "four"), "two"),),
    step=3,
    what_if=True,
)

# https://datascience.stackexchange.com/questions/55901, why positions are added to embeddings and not put beside them
_SUMS = replace(CAT, text="the fluffy cat chased mouse", x=None, e=CAT.x, positions="sinusoidal")
PARTS = ("ww", "wp", "pw", "pp")


def _parts(now: Now) -> QuestionView:
    made, other = now.trace, (now.query + 1) % len(now.names)
    parts = dict(zip(PARTS, score_parts(made), strict=True))
    numbers = {name: now.write(part[now.query, other]) for name, part in parts.items()}
    says = (
        say("seen.parts.sum", token=now.names[now.query], other=now.names[other],
            score=now.write(made.scores[now.query, other]), **numbers),
    )  # fmt: skip
    chosen = made.scores.double() if now.options["part"] == "all" else parts[now.options["part"]]
    limit = max(float(each.abs().max()) for each in (made.scores, *parts.values()))
    title = say(f"questions.parts.part.{now.options['part']}")
    return QuestionView(says, (Table(title, chosen.float(), rows=now.names, columns=now.names, limit=limit),))


def _one_part(scenario: Scenario, chosen: Mapping[str, str]) -> Scenario:
    """Return the example without positions or without words, if so chosen."""
    if scenario.e is None or chosen["part"] not in ("ww", "pp"):
        return scenario
    return (
        replace(scenario, x=scenario.e, e=None, positions="none")
        if chosen["part"] == "ww"
        else replace(scenario, e="zeros")
    )


POSITIONS_ADDED = Question(
    "parts",
    _SUMS,
    _parts,
    subject="order",
    predicts=Prediction(
        lambda now: _parts(now).tables[0].matrix[now.query, now.query + 1],
        {"part": "ww"},
        {"more": {"part": "pp"}, "same": {"part": "pp"}},
        kind="number",
    ),
    makes=_one_part,
    then={"part": "pp"},
    fixed=True,
    card=("e", "p", "scores"),
    shows=("e", "p", "x", "w_q", "w_k", "q", "k", "scores"),
    in_hall=("e", "p", "x", "scores", "scaled_scores"),
    options=(Option("part", "questions.parts.part", ("all", *PARTS), "all"),),
    step=2,
)

PRODUCTS = (COSINE, KEYS_FIRST, LINEAR, ONE_MATRIX, POSITIONS_ADDED)
