"""Questions about what is learned, and about the order of words."""

from dataclasses import replace

import torch

from attnviz.core.attention import AttentionTrace
from attnviz.core.matrix_input import Edit
from attnviz.core.scenario import Scenario, traced
from attnviz.core.stages import STAGES
from attnviz.core.tokens import token_labels
from attnviz.features.questions.about.cat import rows
from attnviz.features.questions.asking import Question
from attnviz.features.questions.offered import Preset
from attnviz.features.questions.predicted import READS, Prediction
from attnviz.features.questions.seeing import Now, QuestionView, in_float64, real_difference
from attnviz.features.questions.variations import (
    PROJECTIONS,
    next_token_loss,
    training_step,
    with_positions,
    without_positions,
)
from attnviz.figures.small_tables import Table
from attnviz.words import say

RATE = 0.5
_DRAWN = Scenario("the cat sat on the mat", d_in=3, d_out=2, d_v=3, init="linear", seed=1, causal=True)
# Vectors by kind of word: words that come before a noun, nouns, verbs.
_KINDS = {
    "the": (1, 0, 0), "a": (1, 0, 0.1), "cat": (0, 1, 0), "dog": (0, 1, 0.2), "mat": (0, 0.9, -0.2), "sat": (0, 0, 1),
    "lay": (0, 0.1, 1), "on": (0.4, -0.4, 0.6), "down": (-0.4, -0.4, 0.6),
}  # fmt: skip


def _of_kinds(text: str) -> tuple[tuple[float, ...], ...]:
    return rows(*(_KINDS[word] for word in text.split()))


_TRAINED = replace(_DRAWN, init="normal", seed=4, x=_of_kinds(_DRAWN.text))


def _learned(now: Now) -> QuestionView:
    there = [stage for name, stage in STAGES.items() if getattr(now.trace, name) is not None]
    learned, computed = (
        ", ".join(stage.symbol for stage in there if stage.origin == origin) for origin in ("learned", "computed")
    )
    if not torch.isfinite(next_token_loss(now.trace)):
        return QuestionView((say("seen.too_large"),))
    says = [
        say("seen.learned.origins", learned=learned, computed=computed),
        *_loss(now),
        *now.says_changes(*PROJECTIONS, *(("attention_weights",) if _same_sentence(now) else ())),
    ]
    if not _same_sentence(now):
        says.append(say("seen.learned.other_sentence"))
    return QuestionView(tuple(says))


def _same_sentence(now: Now) -> bool:
    return now.trace.tokens == now.start.tokens


def _loss(now: Now) -> list[str]:
    loss = next_token_loss(now.trace)
    says = [say("seen.learned.loss", loss=now.write(loss))]
    if _same_sentence(now) and now.scenario != now.begun_with:
        says.append(say("seen.learned.loss_before", loss=now.write(next_token_loss(now.start))))
    next_loss = _loss_after_a_step(now.scenario)
    if next_loss is None:
        return [*says, say("seen.learned.next.too_large")]
    told, now_told = now.write(next_loss), now.write(loss)
    key = "same" if told == now_told else "lower" if next_loss < loss else "higher"
    return [*says, say(f"seen.learned.next.{key}", loss=told)]


def _loss_after_a_step(scenario: Scenario) -> torch.Tensor | None:
    """Return the loss after another training step; None beyond float32's range."""
    try:
        loss = next_token_loss(traced(training_step(scenario, RATE)))
    except ValueError:  # an edit isn't a finite number
        return None
    return loss if torch.isfinite(loss) else None


def _steps(n: int) -> Preset:
    def change(scenario: Scenario) -> Scenario:
        for _ in range(n):
            scenario = training_step(scenario, RATE)
        return scenario

    return Preset("questions.learned.press.steps", change, of="now", places={"n": n})


def _of_projections(scenario: Scenario) -> tuple[Edit, ...]:
    return tuple(edit for edit in scenario.edits if edit.matrix != "x")


def _read(key: str, text: str) -> Preset:
    return Preset(key, lambda s: replace(s, text=text, x=s.x and _of_kinds(text), edits=_of_projections(s)), of="now")


_OF_DOG = _read("questions.learned.press.dog", text="the dog sat on the mat")
_LEARNED = Question(
    "learned",
    _TRAINED,
    _learned,
    subject="training",
    predicts=Prediction(READS, _steps(20).change, dict.fromkeys(("same", "less"), _steps(1))),
    follows=2,
    then=_OF_DOG,
    card=("w_q", "w_k", "w_v", "attention_weights"),
    shows=("x", "w_q", "w_k", "w_v", "q", "k", "v", "scores", "scaled_scores", "attention_weights", "context"),
    presets=(
        _steps(1),
        _steps(20),
        _OF_DOG,
        _read("questions.learned.press.another", "a dog lay down"),
        _read("questions.learned.press.first", _TRAINED.text),
    ),
    framed=True,
    step=3,
)

# The features are noun, animal, verb and person: a verb looks for nouns, most of all for animals, and nouns for verbs.
_BITES = Scenario(
    "dog bites man", d_in=4, d_out=2, init="uniform", seed=9, x=rows((1, 1, 0, 0), (0, 0, 1, 0), (1, 0, 0, 1)),
    w_q=rows((0, 1), (0, 0.5), (2, 0), (0, 1)), w_k=rows((1, 0), (1, 0), (0, 1.5), (0.2, 0)),
    w_v=rows((1, 0.2), (0.5, 0), (0, 1), (-0.5, 0.2)),
)  # fmt: skip
_VECTORS = dict(zip(_BITES.tokens, _BITES.matrix("x").tolist(), strict=True))
_ORDERS = ("man bites dog", "bites man dog", "dog bites dog")


def in_words(scenario: Scenario, text: str) -> Scenario:
    """Return the scenario with this text; edits of vectors follow their tokens."""
    tokens, vectors = scenario.tokens, scenario.token_matrix
    edits = [edit for edit in scenario.edits if edit.matrix != vectors]
    for row, token in enumerate(text.split()):
        old_row = tokens.index(token) if token in tokens else -1
        edits += [e._replace(row=row) for e in scenario.edits if e.matrix == vectors and e.row == old_row]
    given = {vectors: rows(*(_VECTORS[token] for token in text.split()))} if getattr(scenario, vectors) else {}
    return replace(scenario, text=text, edits=tuple(edits), **given)  # type: ignore[arg-type]


def _reordered(text: str) -> Preset:
    return Preset("questions.order.press.text", lambda scenario: in_words(scenario, text), "now", {"text": text})


def _order(now: Now) -> QuestionView:
    says = [say("seen.order.with_positions" if now.scenario.adds_positions else "seen.order.without_positions")]
    first = traced(in_words(now.scenario, _BITES.text))  # positions and edits are the same; only the order differs
    says += [_context_of(now, first, i) for i in range(len(now.names))]
    for token in dict.fromkeys(now.trace.tokens):
        one, *others = (i for i, each in enumerate(now.trace.tokens) if each == token)
        says += [_twice(now, token, one, other) for other in others]
    traces = (now.trace, first)
    limit = max(float(trace.attention_weights.max()) for trace in traces)
    tables = tuple(
        Table(say("seen.order.table", text=" ".join(trace.tokens)), trace.attention_weights, "share",
              token_labels(trace.tokens), token_labels(trace.tokens), limit=limit)
        for trace in traces
    )  # fmt: skip
    return QuestionView(tuple(says), tables)


def _context_of(now: Now, first: AttentionTrace, i: int) -> str:
    """Say a token's context vector, compared with the first order's."""
    how = "first"
    if now.trace.tokens != first.tokens:
        how = _alike(now, i, first, first.tokens.index(now.trace.tokens[i]))
    return say(f"seen.order.context.{how}", token=now.names[i], context=now.row(now.trace.context[i]),
               text=" ".join(first.tokens))  # fmt: skip


def _twice(now: Now, token: str, first: int, other: int) -> str:
    return say(f"seen.order.twice.{_alike(now, other, now.trace, first)}", token=token,
               gap=now.write(now.gap(now.trace.context[first], now.trace.context[other])))  # fmt: skip


def _alike(now: Now, i: int, shown: AttentionTrace, other: int) -> str:
    """Return whether two context vectors are the "same", "rounded" or "other"."""
    exact = in_float64(shown)
    apart = real_difference(now.exact.context[i], exact.context[other], now.sizes["context"])
    if now.looks_same(now.trace.context[i], shown.context[other]):
        return "same"
    return "other" if apart.any() else "rounded"


_ORDER = Question(
    "order",
    _BITES,
    _order,
    subject="order",
    predicts=Prediction(
        lambda now: now.trace.attention_weights[now.trace.tokens.index("bites"), now.trace.tokens.index("dog")],
        _reordered(_ORDERS[0]).change, dict.fromkeys(("more", "less"), _reordered(_ORDERS[1]))
    ),
    card=("x", "attention_weights"),
    then=Preset("questions.order.press.add", with_positions, of="now"),
    shows=("e", "p", "x", "q", "k", "v", "scores", "scaled_scores", "attention_weights", "context"),
    presets=(
        *map(_reordered, _ORDERS),
        Preset("questions.order.press.add", lambda s: s if s.adds_positions else with_positions(s), of="now"),
        Preset("questions.order.press.remove", without_positions, of="now"),
    ),
    varies=frozenset({"text", "positions"}),
    fits=lambda s: s.positions in ("none", "sinusoidal")
    and sorted({*s.tokens, *_BITES.tokens}) == sorted(_BITES.tokens)
    and len(s.tokens) == len(_BITES.tokens),
    step=2,
)  # fmt: skip

ORDER = (_LEARNED, _ORDER)
