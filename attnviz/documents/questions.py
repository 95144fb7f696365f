"""A question with what is predicted of it: how its board looks, and what a page of its own asks and tells."""

from collections.abc import Mapping
from typing import Any

from attnviz.board.drawn import Looks, drawn_data
from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import Scenario
from attnviz.teach.questions import Question
from attnviz.words import say


def shown_of(question: Question, trace: AttentionTrace, options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the matrices that the board of a question shows; none where it has no board."""
    return tuple(name for name in question.shown(options) if name in trace.stages)


def looks_of(question: Question, scenario: Scenario, options: Mapping[str, str], *, fixed: bool) -> Looks:
    """Return how the board of a question looks; if it is `fixed`, no number is changed on it."""
    shown = shown_of(question, question.made(scenario, options).seen_from(0), options)
    read = "attention_weights" in shown
    return Looks(
        names=shown, framed=question.framed, sentence=len(shown) > 1, says=read,
        ribbons=read or None, notes={name: size for name, size in question.notes.items() if name in shown},
        about=question.random_in_words(scenario), fixed=fixed,
    )  # fmt: skip


def asked_data(question: Question, digits: int) -> dict[str, Any]:
    """Return what a page of its own draws of a question: the board before, what is asked of it, and the board `then`,
    with what happened by each choice. Raises ``ValueError`` for a question without a board."""
    if not question.shown(question.defaults):
        raise ValueError(f"the question {question.slug!r} has no board, expected one that shows matrices")
    asked = question.asked
    told = {choice: [*asked.outcome(choice), *question.answer] for choice in ("", *asked.choices)}
    said = {"about": asked.about, "title": question.title, "act": asked.act, "asks": asked.asks, "right": asked.right}
    choices = [*asked.choices.items(), ("", say("predicting.skip"))]
    return {
        "data": _board(question, question.start, question.defaults, digits, fixed=True),
        "asked": said | {"first": say("predicting.first"), "choices": choices, "told": told},
        "then": _board(question, *question.acted, digits, fixed=question.fixed),
    }


def _board(
    question: Question, scenario: Scenario, options: Mapping[str, str], digits: int, *, fixed: bool
) -> dict[str, Any]:
    looks = looks_of(question, scenario, options, fixed=fixed)
    trace = question.made(scenario, options).seen_from(0)
    query = question.first_followed(scenario)
    return drawn_data(question.makes(scenario, options), trace, query, digits, looks, of_now=False) | {"key": "alone"}
