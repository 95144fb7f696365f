"""Ways to the page Language model."""

from collections.abc import Iterator
from dataclasses import replace

from attnviz.features.models.parameters import MODEL_HEAD, SENTENCE, texts_of_models
from attnviz.link.ways import Way
from attnviz.words import say

_BEST_HEAD = "3.1"  # the included encoder's head whose adjectives, verbs and pronouns most often read their noun


def way(sentence: str) -> Way:
    """Return the way to a sentence, read by its best head.

    All else is left blank: a second text, changes and written words on the page belong to another sentence.
    """
    query = dict.fromkeys(texts_of_models(), "") | {SENTENCE: sentence, MODEL_HEAD: _BEST_HEAD}
    return Way(say("app.model.title"), "model", query)


def beside(place: str, *, sentence: str = "", **_others: object) -> Iterator[Way]:
    """Yield the way to the model, beside a sentence that it reads."""
    if place == "sentence":
        yield replace(way(sentence), title=say("models.reads_sentence"))
