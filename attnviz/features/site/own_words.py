"""A reader's own sentence: kinds of words, boards without numbers."""

from typing import Any
from urllib.parse import parse_qsl, urlencode

from attnviz.board.drawn import BoardOptions, drawn_data
from attnviz.core.scenario import traced
from attnviz.core.seeding.word_classes import WORD_CLASSES, endings_of_classes, listed_words
from attnviz.link.set_up import query_of
from attnviz.published.by_class import by_class
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS

FEWEST, MOST = 2, 12  # tokens in a typed sentence
_WORD = "a"
_KINDS = ("fluffy", "cat", "chased")  # words whose numbers give boards the colour limits of common sentences


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
        "boards": {str(n): _board(n) for n in range(FEWEST, MOST + 1)},
        "fewest": FEWEST, "most": MOST,
    }  # fmt: skip


def _board(n: int) -> dict[str, Any]:
    """Return a board of `n` tokens, without X and computed matrices."""
    scenario = by_class(" ".join(_KINDS[at % len(_KINDS)] for at in range(n)))
    trace = traced(scenario).seen_from(0)
    data = drawn_data(scenario, trace, 0, DEFAULT_DIGITS, BoardOptions(sentence=True), is_current=True)
    given = {name for name, stage in trace.stages.items() if stage.rule is None and name != "x"}
    return data | {
        "key": "alone", "origins": {}, "tips": [""] * n, "scaled": True,
        "limits": data["limits"] | {"attention_weights": (0.0, 1.0)},
        "matrices": {name: sent for name, sent in data["matrices"].items() if name in given},
    }  # fmt: skip


def app_query(text: str) -> str:
    """Return the app's query for this sentence, with vectors by word class."""
    return urlencode(dict(parse_qsl(query_of(by_class(_WORD)))) | {"text": text}, safe="*")
