"""Questions about scores and softmax: its axis, symmetry, and raw embeddings."""

from dataclasses import replace
from typing import get_args

import torch

from attnviz.core.carry_over import edit_matrix
from attnviz.core.scenario import Scenario
from attnviz.explanation import explain
from attnviz.features.questions.about.cat import CAT, eye, rows
from attnviz.features.questions.asking import OF_OLDER_LINKS, Question
from attnviz.features.questions.offered import QUERY, Control, Option, Preset
from attnviz.features.questions.predicted import Prediction
from attnviz.features.questions.seeing import Now, QuestionView, real_difference
from attnviz.features.questions.variations import Axis, distance_outside, own_share, softmax_over, with_matrix
from attnviz.figures.small_tables import Points, Table
from attnviz.words import say, thousands

_ROUNDED = 1e-6  # how far outside of a triangle rounding may put a point, relative to its size


def _axis(now: Now) -> QuestionView:
    chosen: Axis = now.options["axis"]  # type: ignore[assignment]
    axis = say(f"questions.axis.choice.{chosen}")
    weights = softmax_over(now.trace.scaled_scores, chosen)
    contexts, names = weights @ now.trace.v, now.names
    over = say("seen.axis.table", axis=axis)
    says = [
        *([say("seen.axis.divided", divisor=_divisor(now))] if now.trace.divisor != 1 else []),
        say("seen.axis.rows", axis=axis, sums=now.for_each(weights.sum(-1))),
        *_against_one(now, weights.sum(-1), "each_query", "queries"),
        say("seen.axis.columns", sums=now.for_each(weights.sum(-2))),
        *_against_one(now, weights.sum(-2), "each_key", "keys"),
    ]
    size = max(1.0, float(now.trace.v.abs().max()))
    distances = distance_outside(contexts, now.trace.v)
    outside = [name for name, distance in zip(names, distances, strict=True) if distance > _ROUNDED * size]
    if outside:
        says.append(say("seen.axis.outside", names=_listed(outside)))
    else:
        says.append(say("seen.axis.inside"))
    return QuestionView(
        tuple(says), (Table(over, weights, "share", names, names, sums=True),), Points(now.trace.v, contexts, names)
    )


def _divisor(now: Now) -> str:
    return f"√d_k = √{now.scenario.d_out} = {now.write(now.trace.divisor)}"


def _against_one(now: Now, sums: torch.Tensor, each: str, some: str) -> list[str]:
    """Say which sums are, as shown, above, at or below 100 %."""
    names: dict[str, list[str]] = {"more": [], "all": [], "less": []}
    for name, total in zip(now.names, sums, strict=True):
        than_one = "all" if now.write(total) == now.write(1.0) else "more" if total > 1 else "less"
        names[than_one].append(name)
    said = {than_one: of_these for than_one, of_these in names.items() if of_these}
    if len(said) == 1:
        return [say(f"seen.axis.{each}.{than_one}") for than_one in said]
    return [say(f"seen.axis.{some}.{key}", names=_listed(those)) for key, those in said.items()]


def _listed(names: list[str]) -> str:
    quoted = [f"“{name}”" for name in names]
    return quoted[0] if len(quoted) == 1 else say("seen.and", first=", ".join(quoted[:-1]), last=quoted[-1])


# The values form a thin triangle far from the origin, so that shares that sum to less or more than 1 lead out of it.
_AXIS = Question(
    "axis",
    Scenario(
        "black cat sat", d_in=3, d_out=3, x="identity", w_k="identity",
        w_q=rows((3, 2, 0), (3, 0, 2), (3, 0, 0)), w_v=rows((2, 6), (6, 2), (4, 4.5)),
    ),
    _axis,
    subject="softmax",
    follows=0,
    predicts=Prediction(
        lambda now: softmax_over(now.trace.scaled_scores, now.options["axis"])[now.query].sum(),  # type: ignore[arg-type]
        {"axis": "columns"},
        {"same": {"axis": "whole"}, "less": {QUERY: "1"}}
    ),
    then={"axis": "whole"},
    card=("scores", "attention_weights"),
    shows=("x", "w_q", "w_k", "q", "k", "scores", "scaled_scores"),
    in_hall=("scores", "scaled_scores"),
    options=(Option("axis", "questions.axis.choice", get_args(Axis), "rows"),),
    varies=OF_OLDER_LINKS,
    step=7,
    what_if=True,
)  # fmt: skip

_SMALLEST = Scenario("A B", d_in=2, d_out=2, x="identity", w_q=rows((0, 1), (0, 0)), w_k="identity", w_v="identity")


def _own_keys(scenario: Scenario) -> Scenario:
    """Return the scenario with W_k = W_q."""
    return with_matrix(scenario, "w_k", scenario.matrix("w_q"))


def _identities(scenario: Scenario) -> Scenario:
    return with_matrix(with_matrix(scenario, "w_q", "identity"), "w_k", "identity")


_IDENTITIES = Preset("questions.symmetry.press.identity", _identities)


def _mirrored(now: Now) -> QuestionView:
    names, i = now.names, now.query
    j = 1 if i == 0 else 0
    says = []
    for query, key in ((i, j), (j, i)):
        score, share = (now.write(matrix[query, key]) for matrix in (now.trace.scores, now.trace.attention_weights))
        made = explain(now.trace, "scores", query, key, digits=now.digits).numbers
        says.append(
            say("seen.symmetry.asks", query=names[query], key=names[key], score=score, share=share, numbers=made)
        )
    tables = []
    for name, symbol, limit in (("scores", "S", None), ("attention_weights", "A", 1.0)):
        matrix = getattr(now.exact, name)
        apart = real_difference(matrix, matrix.mT, now.sizes[name])
        verdict = "seen.symmetry.different" if apart.any() else "seen.symmetry.same"
        says.append(say(verdict, matrix=say(f"seen.symmetry.{name}"), gap=now.write(apart.abs().max())))
        tables.append(Table(f"{symbol} − {symbol}ᵀ", apart, rows=names, columns=names, limit=limit))
    return QuestionView(tuple(says), tuple(tables))


_SYMMETRY = Question(
    "symmetry",
    CAT,
    _mirrored,
    subject="meaning",
    follows=0,
    predicts=Prediction(
        lambda now: now.gap(now.trace.scores, now.trace.scores.mT),
        _own_keys,
        dict.fromkeys(("more", "same"), _IDENTITIES),
        kind="number",
    ),
    then=Preset("questions.symmetry.press.smallest", lambda _: _SMALLEST),
    card=("scores", "attention_weights"),
    shows=("x", "w_q", "w_k", "q", "k", "scores", "scaled_scores", "attention_weights"),
    presets=(
        Preset("questions.symmetry.press.equal", _own_keys, of="now"),
        Preset("questions.symmetry.press.smallest", lambda _: _SMALLEST),
    ),
    varies=OF_OLDER_LINKS,
    step=5,
    what_if=True,
)

_DRAWN = Scenario("the cat sat down", d_in=2, d_out=2, w_q="identity", w_k="identity", seed=5)
_PLAIN = replace(_DRAWN, text=CAT.text, x=rows((0.4, 0.9), (1, 0.1), (-0.6, 0.8), (0.8, -0.6)))
_TRIALS = 2000
_LENGTHENED = 1  # the position of "cat"


def _lengthened(scenario: Scenario) -> Scenario:
    """Make one token three times as long."""
    x = scenario.matrix("x").clone()
    x[_LENGTHENED] *= 3
    return edit_matrix(scenario, "x", x)


def _shifted(scenario: Scenario) -> Scenario:
    """Return the example with one-hot tokens whose queries match the next key."""
    n_tokens = len(scenario.tokens)
    shift = torch.eye(n_tokens).roll(1, 0) * 4
    return replace(scenario, d_in=n_tokens, d_out=n_tokens, x="identity", w_q="identity", edits=(),
                   w_k=tuple(map(tuple, shift.tolist())))  # fmt: skip


def _own(now: Now) -> QuestionView:
    weights, names = now.trace.attention_weights, now.names
    says = []
    itself = 0
    for i, row in enumerate(weights):
        most = [j for j in range(len(row)) if now.write(row[j]) == now.write(row.max())]
        itself += most == [i]
        key = "seen.self.itself" if most == [i] else "seen.self.other" if len(most) == 1 else "seen.self.several"
        says.append(say(key, token=names[i], other=_listed([names[j] for j in most]), share=now.write(row.max())))
    says.append(say("seen.self.count", n=itself, tokens=len(names)))
    lengths = now.exact.x.norm(dim=-1)
    says.append(say("seen.self.lengths", lengths=now.for_each(lengths)))
    if _compares_directly(now):
        longest = [i for i, length in enumerate(lengths) if now.write(length) == now.write(lengths.max())]
        if len(longest) == 1:
            says.append(say("seen.self.longest", token=names[longest[0]]))
    d = now.scenario.d_in
    says.append(
        say(
            "seen.self.random",
            share=f"{100 * own_share(d, len(names), _TRIALS):.1f} %",
            d=d,
            n=len(names),
            trials=thousands(_TRIALS),
        )
    )
    return QuestionView(tuple(says))


def _n_read_themselves(now: Now) -> int:
    return sum(int(row.argmax()) == i for i, row in enumerate(now.trace.attention_weights))


def _compares_directly(now: Now) -> bool:
    """Whether queries and keys are the embeddings: S = X Xᵀ."""
    return torch.equal(now.trace.q, now.trace.x) and torch.equal(now.trace.k, now.trace.x)


_TWO = Preset(
    "questions.self.press.two", lambda s: replace(_PLAIN, text="A B", x=rows((1, 0), (3, 0)), edits=()), follows=0
)
_SELF = Question(
    "self",
    _PLAIN,
    _own,
    subject="meaning",
    predicts=Prediction(
        _n_read_themselves, _lengthened, dict.fromkeys(("same", "end"), _TWO), kind="count", end=0
    ),
    then=Preset("questions.self.press.shift", lambda _: _shifted(_PLAIN)),
    card=("x", "attention_weights"),
    shows=("x", "w_q", "w_k", "q", "k", "scores", "scaled_scores", "attention_weights"),
    presets=(
        Preset("questions.self.press.lengthen", _lengthened),
        _TWO,
        Preset("questions.self.press.one_hot", lambda s: replace(_shifted(_PLAIN), w_k=eye(4, 4, 4))),
        Preset("questions.self.press.shift", lambda s: _shifted(_PLAIN)),
    ),
    controls=(
        Control("d", "questions.self.control", 2, 16, 1, lambda s: s.d_in,
                lambda s, d: replace(_DRAWN, text=_PLAIN.text, d_in=int(d), d_out=int(d))),
    ),
    varies=OF_OLDER_LINKS | {"d_in", "d_out"},
    fits=lambda s: s.d_in == s.d_out,
    step=5,
)  # fmt: skip

MATCHING = (_AXIS, _SYMMETRY, _SELF)
