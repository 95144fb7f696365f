"""A reader's own sentence: kinds of words, and each set-up's boards."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any
from urllib.parse import parse_qsl, urlencode

from attnviz.board.drawn import BoardOptions, drawn_data
from attnviz.core.scenario import Scenario, traced
from attnviz.core.seeding.word_classes import WORD_CLASSES, endings_of_classes, listed_words
from attnviz.features.site.story import with_second_head
from attnviz.link.set_up import query_of
from attnviz.published.by_class import by_class
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS

FEWEST, MOST = 2, 12  # tokens in a typed sentence
# The settings that a reader may choose, with their choices; the first of each is the usual one.
SETTINGS: dict[str, tuple[bool | int | float, ...]] = {
    "causal": (False, True),
    "scale": (True, False),
    "temperature": (1.0, 0.5, 2.0),
    "n_heads": (1, 2),
}
_WORD = "a"
_KINDS = ("fluffy", "cat", "chased")  # words whose numbers give boards the colour limits of common sentences
_OF_TOKENS = ("tokens", "labels", "names", "keys", "readNames", "text", "about", "query", "tips")  # the page has them
_PER_N = "per_n"  # [slope, offset], in place of a number that depends on the number of tokens


def words_data() -> dict[str, Any]:
    """Return what the page needs to compute a typed sentence."""
    classes: dict[str, list[str]] = {}
    for word, name in sorted(listed_words().items()):
        classes.setdefault(name, []).append(word)
    return {
        "rows": {kind.name: kind.row for kind in WORD_CLASSES.values()},
        "kinds": {name: say(f"word_class.{name}") for name in WORD_CLASSES},
        "listed": {name: " ".join(words) for name, words in classes.items()},
        "endings": [[name, pattern.pattern] for name, pattern in endings_of_classes().items()],
        "fewest": FEWEST, "most": MOST,
    } | _boards()  # fmt: skip


def set_ups() -> Iterator[dict[str, Any]]:
    """Yield each combination of settings that a reader may choose."""
    for values in product(*SETTINGS.values()):
        yield dict(zip(SETTINGS, values, strict=True))


def set_up_name(set_up: dict[str, Any]) -> str:
    """Return the name by which the page finds a set-up.

    >>> set_up_name({"causal": True, "scale": True, "temperature": 2.0, "n_heads": 1})
    'true,true,2,1'
    """
    return ",".join(f"{value:g}" if isinstance(value, float) else str(value).lower() for value in set_up.values())


def scenario_of(text: str, set_up: dict[str, Any]) -> Scenario:
    """Return the scenario of a typed sentence with these settings."""
    settings = {name: value for name, value in set_up.items() if name != "n_heads"}
    scenario = replace(by_class(text), **settings)
    return with_second_head(scenario) if set_up["n_heads"] == 2 else scenario


def board_of(n: int, set_up: dict[str, Any]) -> dict[str, Any]:
    """Return a board of `n` tokens, without X and computed matrices."""
    scenario = scenario_of(" ".join(_KINDS[at % len(_KINDS)] for at in range(n)), set_up)
    trace = traced(scenario).for_head(0)
    data = drawn_data(scenario, trace, 0, DEFAULT_DIGITS, BoardOptions(sentence=True), is_current=True)
    given = {name for name, stage in trace.stages.items() if stage.rule is None and name != "x"}
    heads = [{"short": say(f"site.story.own.head_{at}"), "full": say(f"site.story.own.head_{at}")} for at in range(2)]
    board: dict[str, Any] = data | {
        "key": "alone", "origins": {}, "scaled": True, "heads": heads[: len(data["heads"])],
        "limits": data["limits"] | {"attention_weights": (0.0, 1.0)},
        "matrices": {name: sent for name, sent in data["matrices"].items() if name in given},
    }  # fmt: skip
    plain: dict[str, Any] = json.loads(json.dumps(board))
    return {name: value for name, value in plain.items() if name not in _OF_TOKENS}


def _boards() -> dict[str, Any]:
    """Return the boards of all set-ups, each part that several share once.

    A board of any number of tokens is computed from that of `MOST`: numbers that depend on it have their slope and
    offset, and matrices are cut.
    """
    usual: dict[str, Any] = {}
    stages: dict[str, int] = {}  # each stage as text -> its place in the list
    boards = {}
    for set_up in set_ups():
        board = board_of(MOST, set_up)
        fewer = board_of(MOST - 1, set_up)["stages"]
        usual = usual or {name: value for name, value in board.items() if name != "stages"}
        board["stages"] = [
            stages.setdefault(json.dumps(in_n(one, other)), len(stages))
            for one, other in zip(board["stages"], fewer, strict=True)
        ]
        own = {name: value for name, value in board.items() if usual.get(name) != value}
        boards[set_up_name(set_up)] = {"board": own, "query": _query(set_up)}
    return {"usual": usual, "stages": [json.loads(each) for each in stages], "boards": boards}


def in_n(most: Any, fewer: Any) -> Any:
    """Return data for any number of tokens.

    It is made of the data for `MOST` tokens and for one fewer.

    Raises ``ValueError`` where the two differ in something else than numbers.

    >>> in_n({"shape": [12, 23]}, {"shape": [11, 21]})
    {'shape': [{'per_n': [1, 0]}, {'per_n': [2, -1]}]}
    """
    if most == fewer:
        return most
    if isinstance(most, dict) and isinstance(fewer, dict) and most.keys() == fewer.keys():
        return {name: in_n(value, fewer[name]) for name, value in most.items()}
    if isinstance(most, list) and isinstance(fewer, list) and len(most) == len(fewer):
        return [in_n(one, other) for one, other in zip(most, fewer, strict=True)]
    if isinstance(most, (int, float)) and isinstance(fewer, (int, float)):
        slope = most - fewer
        return {_PER_N: [slope, most - slope * MOST]}
    raise ValueError(f"boards of {MOST} and {MOST - 1} tokens have {most!r} and {fewer!r}, expected numbers")


def _query(set_up: dict[str, Any]) -> str:
    """Return the app's query for a set-up, without a sentence."""
    asked = parse_qsl(query_of(scenario_of(_WORD, set_up)))
    return urlencode([(name, value) for name, value in asked if name != "text"], safe="*")


def app_query(text: str) -> str:
    """Return the app's query for this sentence, with vectors by word class."""
    usual = next(set_ups())
    return urlencode({"text": text} | dict(parse_qsl(_query(usual))), safe="*")
