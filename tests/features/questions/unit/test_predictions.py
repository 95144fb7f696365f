"""Which prediction is right is computed here anew, in float64, for every setting that a question offers."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from attnviz import Scenario
from attnviz.features.questions.about.masks_and_heads import NUMBERED
from attnviz.features.questions.about.numerics import FACTORS
from attnviz.features.questions.questions import QUESTIONS, Exponent, Question
from attnviz.words import catalogue
from attnviz.words.numbers import percent
from tests.features.questions.unit.seen import of_inputs, of_models
from tests.features.questions.unit.seen import of_what_if as by_hand
from tests.features.questions.unit.seen.of_matching import over
from tests.features.questions.unit.seen.world import IDS, World, array
from tests.unit.helpers import softmax

Made = tuple[Scenario, dict[str, str], int]  # with the token that is followed


def _largest(w: World) -> float:
    """The mean largest share of one of 6 random keys of 512 numbers, by another generator."""
    return float(softmax(_random_scores() / 512 ** float(w.options["p"]), -1).max(-1).mean())


@cache
def _random_scores() -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.asarray(np.einsum("td,tkd->tk", rng.normal(size=(1500, 512)), rng.normal(size=(1500, 6, 512))))


def _part(w: World) -> float:
    vectors, w_q, w_k = {"w": array(w.now["e"]), "p": array(w.now["p"])}, array(w.now.w_q), array(w.now.w_k)
    parts = {a + b: (vectors[a][w.query] @ w_q) @ (vectors[b][w.query + 1] @ w_k) for a in "wp" for b in "wp"}
    return float(sum(parts.values()) if w.options["part"] == "all" else parts[w.options["part"]])


def _own_rows(w: World) -> int:
    q = array(w.now.q)
    first = q.reshape(2, len(q), -1)[0] if w.options["way"] == "view" else q[:, : q.shape[1] // 2]
    return sum({*row} <= {*own} for row, own in zip(first, q, strict=True))


def _widths(w: World) -> float:
    return float({"d_k": w.scenario.d_out, "d_in": w.scenario.d_in}[w.options["divisor"]])


def _transposed(w: World) -> np.ndarray:
    w_q = array(w.now.w_q)
    return array(w.now.x) @ (w_q if w.options["way"] == "x-w" else w_q.T)


NUMBERS: dict[str, Callable[[World], Any]] = {
    "values": lambda w: w.ref["attention_weights"][w.query, 1],
    "sum": lambda w: np.abs(w.ref["context"][0] - w.ref["context"][1]).max(),
    "biases": lambda w: w.ref["attention_weights"][w.query, 1],
    "sizes": lambda w: len(w.names) ** 2,
    "root": _largest,
    "which_d": lambda w: softmax(w.ref["scores"] / np.sqrt(_widths(w)), -1)[w.query, 1],
    "where": lambda w: softmax(w.ref["scores"] / np.sqrt(w.scenario.d_out), -1)[w.query, 1],
    "axis": lambda w: over(w)[w.query].sum(),
    "symmetry": lambda w: np.abs(w.ref["scores"] - w.ref["scores"].T).max(),
    "self": lambda w: sum(row.argmax() == i for i, row in enumerate(w.ref["scores"])),
    "learned": lambda w: w.ref["attention_weights"][w.query, 1],
    "order": lambda w: w.ref["attention_weights"][w.now.tokens.index("bites"), w.now.tokens.index("dog")],
    "late_mask": lambda w: by_hand._late(w)[w.query].sum(),
    "padding": lambda w: by_hand._padded(w)[0][w.query, 1],
    "heads": lambda w: by_hand._of_head(w, 0)[w.query, 0],
    "reshape": _own_rows,
    "cosine": lambda w: softmax(by_hand._compared(w) / np.sqrt(w.scenario.d_out), -1)[w.query, 1],
    "keys_first": lambda w: by_hand._ordered(w)[w.query, 1],
    "linear": lambda w: _transposed(w)[w.query, 0],
    "one_matrix": lambda w: min(w.scenario.d_in, NUMBERED[w.options["d"]]),
    "parts": _part,
    "dropout": lambda w: by_hand._dropped(w)[w.query].sum(),
    "numerics": lambda w: int(by_hand._in_bits(w)[2].isnan().sum()),
    "multiply": lambda w: softmax(FACTORS[w.options["c"]] ** 2 * by_hand._scaled(w), -1)[w.query, 1],
    "cached": lambda w: of_models.cached(w)[w.query, 1],
    "shared_keys": of_models.different_rows,
    "turned_values": lambda w: of_models.turned(w)[1][w.query, 0],
    "packed": lambda w: of_models.cut_out(w)[w.query, 1],
    "query_key": lambda w: of_models.masked(w)[w.query, 1],
    "twice": lambda w: of_models.repeated(w)[w.query, 1],
    "averaged": lambda w: of_models.averaged(w)[w.query, 0],
    "slope": of_models.slope_of,
    "cross": lambda w: len(w.names),
    "factor": of_inputs.ratio_of,
    "next_word": of_inputs.leaks,
}


def number(question: Question, made: Made) -> float:
    return float(NUMBERS[question.name](World(question, *made[:2], 4, made[2])))


def becomes(question: Question, made: Made) -> str:
    """What became of the number since the start, of the same token, as it is written."""
    before, after = number(question, (question.start, question.defaults, made[2])), number(question, made)
    kind = question.predicts.kind
    one, other = (percent(n) if kind == "share" else f"{n:.{2 * (kind == 'number')}f}" for n in (before, after))
    if one.replace("-0.00", "0.00") == other.replace("-0.00", "0.00"):
        return "same"
    end = question.predicts.end
    if end is not None and other == f"{end:.{2 * (kind == 'number')}f}":
        return "end"
    return "more" if after > before else "less"


def acted(question: Question) -> Made:
    return *question.acted, question.first_followed(question.start)


def settings_of(question: Question) -> Iterator[Made]:
    """All that a question offers: its button, each end and the middle of each slider, each choice; and what it asks."""
    follows = question.first_followed(question.start)
    yield acted(question)
    for view in (question.then, *question.predicts.wrong.values(), *question.presets):
        if view is not None:
            yield question.viewed(view, *acted(question))
    for control in question.controls:
        for at in (control.low, (control.low + control.high) // 2, control.high):
            yield control.change(question.start, at), question.defaults, follows
    for option in question.options:
        for choice in ("0.25", "0.5", "1") if isinstance(option, Exponent) else option.names:
            yield question.start, question.defaults | {option.name: choice}, follows


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
def test_the_right_prediction_is_right_for_every_setting(question: Question) -> None:
    predicts = question.predicts
    for made in settings_of(question):
        scenario, options, query = made
        before = predicts.number(question.now(question.start, question.defaults, query=query))
        now = predicts.number(question.now(scenario, options, query=query))
        # The means of random draws are those of other draws.
        assert now == pytest.approx(number(question, made), abs=0.05 if question.name == "root" else 2e-4, nan_ok=True)
        assert predicts.answer(before, now) == becomes(question, made), made
    assert question.asked.right == becomes(question, acted(question))


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
def test_each_other_prediction_names_a_misconception_and_fails_in_its_view(question: Question) -> None:
    asked = question.asked
    right, wrong = asked.right, question.predicts.wrong
    assert {*asked.choices} == {right, *wrong}
    assert 3 <= len(asked.choices) <= 4
    assert right not in wrong
    for answer, view in wrong.items():
        shown = question.viewed(view, *acted(question))
        assert shown != acted(question), "it leads elsewhere"
        assert becomes(question, shown) != answer
        if not question.board_matrices(shown[1]):
            assert _drawn(question, *shown) != _drawn(question, *acted(question)), "what it leads to is seen"
        assert question.is_own(shown[0]), "a link can carry it"
    said = f"questions.{question.name}.wrong."
    assert {key.removeprefix(said) for key in catalogue() if key.startswith(said)} == set(wrong)


def _drawn(question: Question, scenario: Scenario, options: dict[str, str], query: int) -> list[object]:
    """All that tables say, where no board marks the row of the token that is followed."""
    seen = question.look(scenario, options, 4, query)
    return [(each.title, each.rows, each.columns, each.matrix.tolist()) for each in seen.tables]
