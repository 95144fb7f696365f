"""Questions about values: their purpose, what sums keep, and biases."""

from collections.abc import Callable
from dataclasses import replace

import torch

from attnviz.core.carry_over import edit_matrix
from attnviz.core.scenario import Scenario
from attnviz.core.stages import attention_table
from attnviz.features.questions.about.cat import CAT, rows
from attnviz.features.questions.asking import OF_OLDER_LINKS, Question
from attnviz.features.questions.offered import Control, Preset
from attnviz.features.questions.predicted import READS, Prediction
from attnviz.features.questions.seeing import Now, QuestionView, real_difference
from attnviz.features.questions.variations import contexts_tell_weights, weights_from_contexts, with_matrix
from attnviz.figures.small_tables import Points, Table
from attnviz.words import plural, say


def _times_two(name: str) -> Callable[[Scenario], Scenario]:
    return lambda scenario: with_matrix(scenario, name, 2 * scenario.matrix(name))


def _filled(name: str, fill: str) -> Callable[[Scenario], Scenario]:
    return lambda scenario: with_matrix(scenario, name, fill)


_plain_values, _no_values = _filled("w_v", "identity"), _filled("w_v", "zeros")


def _one_feature(scenario: Scenario) -> Scenario:
    kept = torch.zeros(scenario.shape_of("w_v"))
    kept[0, 0] = 1.0
    return with_matrix(scenario, "w_v", kept)


def _apart(now: Now) -> QuestionView:
    says = now.says_changes("attention_weights", "context")
    weights = now.trace.attention_weights
    even = torch.full_like(weights, 1 / len(weights))
    if now.looks_same(weights, even):
        says.append(say("seen.values.even", tokens=plural(len(weights), "token"), share=now.write(even[0, 0])))
        mean = now.trace.v.mean(0)
        if now.looks_same(now.trace.context, mean.expand_as(now.trace.context)):
            says.append(say("seen.values.mean", mean=now.row(mean)))
    return QuestionView(tuple(says))


_VALUES = Question(
    "values",
    CAT,
    _apart,
    subject="meaning",
    follows=0,
    predicts=Prediction(
        READS,
        _times_two("w_v"),
        {
            "more": Preset("questions.values.press.zeros", _no_values),
            "less": Preset("questions.values.press.identity", _plain_values),
        },
    ),
    then=Preset("questions.values.press.double_keys", _times_two("w_k")),
    card=("attention_weights", "v", "context"),
    shows=tuple(attention_table(biases=())),
    presets=(
        Preset("questions.values.press.identity", _plain_values),
        Preset("questions.values.press.zeros", _no_values),
        Preset("questions.values.press.one_feature", _one_feature),
        Preset("questions.values.press.no_keys", _filled("w_k", "zeros")),
    ),
    step=8,
)

# One-hot tokens: the rows of W_q are the scores, the rows of W_v the values.
_ONE_HOT = Scenario(
    "black cat sat", d_in=3, d_out=3, x="identity", w_k="identity",
    w_q=rows((2, 1, 0), (0, 2, 1), (1, 0, 2)), w_v=rows((2, 0), (0, 1), (3, 3)),
)  # fmt: skip
_ON_A_LINE = torch.tensor([[0.0, 0.0], [2.0, 0.0], [1.0, 0.0]])
_HALF_OR_THIRD = torch.tensor([[40.0, 40.0, 0.0], [0.0, 0.0, 40.0], [0.0, 0.0, 0.0]])


def _on_a_line(scenario: Scenario) -> Scenario:
    return with_matrix(with_matrix(scenario, "w_v", _ON_A_LINE), "w_q", _HALF_OR_THIRD)


def _two_equal(scenario: Scenario) -> Scenario:
    equal = with_matrix(scenario, "w_v", torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    return with_matrix(equal, "w_q", 3 * torch.eye(3))


_EQUAL = Preset("questions.sum.press.equal", _two_equal)
_READ_BACK = 1e-3  # attention weights with a smaller error count as recovered from contexts


def _same_context(now: Now) -> QuestionView:
    v, weights, context = now.trace.v, now.trace.attention_weights, now.trace.context
    points = Points(v, context, now.trace.tokens) if v.shape[1] == 2 else None
    says = []
    if context.shape == weights.shape and torch.equal(context, weights):
        says.append(say("seen.sum.identity"))
    if contexts_tell_weights(v):
        error = now.gap(weights_from_contexts(now.trace), weights)
        key = "seen.sum.told" if error < _READ_BACK else "seen.sum.nearly"
        return QuestionView((*says, say(key, error=now.write(error))), points=points)
    says.append(say("seen.sum.hidden"))
    for i in range(len(v)):
        for j in range(i):
            if now.looks_same(context[i], context[j]) and not now.looks_same(weights[i], weights[j]):
                says.append(
                    say(
                        "seen.sum.alike", one=now.names[j], other=now.names[i], context=now.row(context[j]),
                        gap=now.write(now.gap(weights[i], weights[j])),
                    )
                )  # fmt: skip
    return QuestionView(tuple(says), points=points)


_SUM = Question(
    "sum",
    _ONE_HOT,
    _same_context,
    subject="meaning",
    predicts=Prediction(
        lambda now: now.gap(*now.trace.context[:2]), _on_a_line, {"more": _EQUAL, "same": _EQUAL}, kind="number"
    ),
    then=Preset("questions.sum.press.identity", _plain_values),
    card=("v", "context"),
    shows=("w_q", "w_v", "q", "k", "v", "scaled_scores", "attention_weights", "context"),
    in_hall=("attention_weights", "v", "context"),
    presets=(
        Preset("questions.sum.press.identity", _plain_values),
        Preset("questions.sum.press.line", _on_a_line),
        _EQUAL,
    ),
    varies=OF_OLDER_LINKS,
    step=9,
)


def _all_of(name: str, value: float) -> Callable[[Scenario], Scenario]:
    return lambda scenario: edit_matrix(scenario, name, torch.full(scenario.shape_of(name), float(value)))


def _bias(name: str) -> Control:
    return Control(
        name, "questions.biases.control", -3.0, 3.0, 0.5,
        read=lambda s: round(s.matrix(name)[0, 0].item(), 4),
        change=lambda s, value: _all_of(name, value)(s), places={"bias": name},
    )  # fmt: skip


def _biases(now: Now) -> QuestionView:
    says = now.says_changes("scores", "attention_weights", "context")
    scores = now.moved_by("scores")
    apart = real_difference(scores, scores[:, :1].expand_as(scores), now.sizes["scores"])
    if scores.any() and not apart.any():
        says.append(say("seen.biases.rows", moved=now.for_each(scores[:, 0])))
    added = now.exact.v[0] - now.exact_start.v[0]  # b_v, while W_v and X are unchanged
    if now.has_changed("context"):
        left = real_difference(now.moved_by("context"), added.expand_as(now.exact.context), now.sizes["context"])
        if not left.any():
            says.append(say("seen.biases.value", moved=now.row(added)))
    table = Table(say("seen.biases.table"), scores, rows=now.names, columns=now.names)
    return QuestionView(tuple(says), (table,) if scores.any() else ())


_BIASES = Question(
    "biases",
    replace(CAT, bias=True),
    _biases,
    subject="softmax",
    follows=0,
    predicts=Prediction(
        READS,
        _all_of("b_k", 2.0),
        dict.fromkeys(("more", "less"), Preset("questions.biases.negative", _all_of("b_k", -3.0))),
    ),
    then=Preset("questions.biases.then", _all_of("b_q", 2.0)),
    card=("scores", "attention_weights", "context"),
    shows=tuple(attention_table()),
    controls=(_bias("b_q"), _bias("b_k"), _bias("b_v")),
    step=3,
)

MIXING = (_VALUES, _SUM, _BIASES)
