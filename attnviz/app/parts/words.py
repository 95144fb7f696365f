"""The board's data about a sentence's kinds of words."""

from typing import Any
from urllib.parse import parse_qsl

from attnviz.core.limits import RefusedError
from attnviz.core.scenario import Scenario
from attnviz.explanation.of_words import OfWord, changed_in_words, missing_verb, of_words
from attnviz.link.set_up import CHANGES, parameters, query_of
from attnviz.link.ways import ways_beside
from attnviz.published.by_class import NO_ORDER, ORDER, by_class
from attnviz.words import say


def words_of(scenario: Scenario, random: bool) -> dict[str, Any] | None:
    """Return the board's data about kinds of words, or None.

    `random` says whether random numbers decide which token reads which.
    """
    if scenario.found_classes:
        acts = [_order(scenario)] if scenario.positions in (ORDER, NO_ORDER) else []
    elif random:
        acts = _by_class(scenario)
    else:
        return None
    return {
        "tokens": [_sent(each) for each in of_words(scenario)],
        "verb": _sent(missing_verb(scenario)),
        "changed": changed_in_words(scenario),
        "acts": [*acts, *_elsewhere(scenario)],
    }


def _sent(of_word: OfWord) -> dict[str, Any]:
    choices = [{"title": each.title, "word_classes": each.word_classes} for each in of_word.choices]
    return {"note": of_word.note, "choices": choices}


def _act(title: str, patch: dict[str, str | None]) -> dict[str, Any]:
    return {"title": say(f"words.act.{title}"), "patch": patch, "page": None}


def _order(scenario: Scenario) -> dict[str, Any]:
    ordered = scenario.positions != NO_ORDER
    return _act("without_order" if ordered else "with_order", {"positions": None if ordered else ORDER})


def _by_class(scenario: Scenario) -> list[dict[str, Any]]:
    """Return the button that gives this sentence vectors by kinds of words."""
    try:
        query = dict(parse_qsl(query_of(by_class(scenario.text))))
    except RefusedError:  # for example, if only single characters cut the text into few enough tokens
        return []
    nothing: dict[str, str | None] = dict.fromkeys((*parameters(), CHANGES))
    return [_act("by_class", {name: text for name, text in (nothing | query).items() if name != "digits"})]


def _elsewhere(scenario: Scenario) -> list[dict[str, Any]]:
    """Return the buttons that lead to pages which can read the sentence."""
    return [
        {"title": way.title, "patch": {name: text or None for name, text in way.query.items()}, "page": way.page}
        for way in ways_beside("sentence", sentence=scenario.text)
    ]
