"""Questions as documents: their boards, predictions and answers."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from attnviz.board.data import FEW_DIGITS
from attnviz.board.drawn import BoardOptions, drawn_data
from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import Scenario
from attnviz.documents.board_svg import table_svg
from attnviz.features.questions.questions import Question
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS


def shown_of(question: Question, trace: AttentionTrace, options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the matrices on a question's board; none without a board."""
    return tuple(name for name in question.board_matrices(options) if name in trace.stages)


def looks_of(
    question: Question, scenario: Scenario, options: Mapping[str, str], *, fixed: bool, holds: bool = False,
    in_hall: bool = False,
) -> BoardOptions:  # fmt: skip
    """Return how a question's board looks.

    On a `fixed` board, readers can't change numbers; a board that `holds` doesn't receive the numbers it doesn't show.
    """
    every = shown_of(question, question.drawn_trace(scenario, options).for_head(0), options)
    shown = tuple(name for name in every if name in question.in_hall) if in_hall and question.in_hall else every
    read = "attention_weights" in shown
    return BoardOptions(
        names=shown, framed=question.framed and not in_hall, sentence=len(every) > 1, says=read,
        ribbons=read or None, notes={name: size for name, size in question.notes.items() if name in shown},
        about=question.random_in_words(scenario), fixed=fixed, holds=holds,
    )  # fmt: skip


def asked_data(question: Question, digits: int, told: bool | None = None) -> dict[str, Any]:
    """Return a question's page as JSON values, before and after the answer.

    It has the board before the answer, the prediction with an outcome for each choice, and the board after it, `then`.
    A question without a board has tables instead. With `told`, the result is one of the two boards alone.
    """
    draw = _board if question.board_matrices(question.defaults) else _tables
    before = partial(draw, question, question.start, question.defaults, digits, before=True)
    then = partial(draw, question, *question.acted, digits, before=False)
    if told is not None:
        return {"data": then() if told else before()}
    asked = question.asked
    says = {choice: [*asked.outcome(choice), *question.answer] for choice in ("", *asked.choices)}
    said = {"about": asked.about, "title": question.title, "act": asked.act, "asks": asked.asks, "right": asked.right}
    choices = [*asked.choices.items(), ("", say("predicting.skip"))]
    return {
        "data": before(),
        "asked": said | {"first": say("predicting.first"), "choices": choices, "told": says},
        "then": then(),
    }


def _tables(
    question: Question, scenario: Scenario, options: Mapping[str, str], digits: int, *, before: bool
) -> dict[str, Any]:
    seen = question.look(scenario, options, digits, question.first_followed(scenario))
    few = min(FEW_DIGITS, digits) if digits == DEFAULT_DIGITS else digits
    return {
        "tables": {
            theme: "".join(table_svg(table, few, dark=theme == "dark") for table in seen.tables)
            for theme in ("light", "dark")
        }
    }


def _board(
    question: Question, scenario: Scenario, options: Mapping[str, str], digits: int, *, before: bool
) -> dict[str, Any]:
    looks = looks_of(question, scenario, options, fixed=before or question.fixed, holds=before)
    trace = question.drawn_trace(scenario, options).for_head(0)
    query = question.first_followed(scenario)
    return drawn_data(question.makes(scenario, options), trace, query, digits, looks, is_current=False) | {
        "key": "alone"
    }
