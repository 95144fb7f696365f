"""The search, which finds places in the app by words."""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from attnviz.feature import filled, pages
from attnviz.words import by_language, catalogue, say

PAGE = "pages"  # the kind of places that are whole pages
_FIRST = ("questions", "lesson", "history")  # places of these features come first among equally good ones
MOST = 8  # results, at most
_TITLE, _STEM = 2.0, 4  # a word's weight in a title; how many letters two forms of a word share, at least
_SYNONYM = 0.7  # the weight of a synonym, relative to the word itself
_MISTYPED, _SHORTEST = 0.8, 5  # similarity of a mistyped word to the intended one, and its length, at least
_WORD = re.compile(r"[^\W_]+(?:[_.-][^\W_]+)*")


@dataclass(frozen=True)
class Place:
    """A place in the app; `kind` is its feature, or `PAGE`."""

    kind: str
    name: str
    title: str

    @property
    def called(self) -> str:
        """The place's title, and where it is, if the catalogue says so."""
        where = f"finding.where.{self.kind}"
        return say("finding.place", title=self.title, where=say(where)) if where in catalogue() else self.title


def found(asked: str) -> tuple[Place, ...]:
    """Return the places that best fit a question's words, best first.

    >>> [place.name for place in found("kv cache")][0], found("zebra")
    ('cached', ())
    """
    common = set(say("finding.common").split())
    words = [meant for word in dict.fromkeys(_words(asked)) for meant in _meant(word) if meant not in common]
    scored = [(_score(words, title, text), place) for place, title, text in _places()]
    best = max((score for score, _ in scored), default=0.0)
    fitting = sorted((each for each in scored if each[0] > best / 3), key=lambda each: -each[0])
    return tuple(place for _, place in fitting[:MOST])


def _score(words: Iterable[str], title: frozenset[str], text: frozenset[str]) -> float:
    """Return how well a place fits: rare words and titles count more."""
    return sum(_fit(word, title, text) for word in words)


def _fit(word: str, title: frozenset[str], text: frozenset[str]) -> float:
    """Return what a word, or a synonym, adds to a place's score."""
    own = _rarity(word) * _counted(word, title, text)
    others = (_rarity(other) * _counted(other, title, text) for other in _synonyms(word))
    return max(own, _SYNONYM * max(others, default=0.0))


def _counted(word: str, title: frozenset[str], text: frozenset[str]) -> float:
    return _TITLE if _stands_in(word, title) else _stands_in(word, text)


@by_language(512)
def _rarity(word: str) -> float:
    n = sum(_stands_in(word, title | text) for _, title, text in _places())
    return math.log((1 + len(_places())) / (1 + n))


@by_language(512)
def _synonyms(word: str) -> frozenset[str]:
    """Return the words that learners use for the same thing."""
    groups = (frozenset(group.split()) for group in say("finding.synonyms").splitlines())
    return frozenset().union(*(group for group in groups if _stands_in(word, group))) - {word}


@by_language(512)
def _meant(word: str) -> tuple[str, ...]:
    """Return known words: a word, an unknown name's parts, or the closest."""
    known = _vocabulary()
    if len(word) < _SHORTEST or _stands_in(word, known):
        return (word,)
    if "_" in word:
        return tuple(part for part in word.split("_") if len(part) >= _STEM)
    return (word,) if any(map(str.isdigit, word)) else (*get_close_matches(word, sorted(known), 1, _MISTYPED),)


@by_language()
def _vocabulary() -> frozenset[str]:
    of_places = frozenset().union(*(title | text for _, title, text in _places()))
    return of_places | {*say("finding.synonyms").split(), *say("finding.common").split()}


def _stands_in(word: str, words: frozenset[str]) -> bool:
    """Whether a word occurs in some form, as "mask" in "masking"."""
    if word in words:
        return True
    stem = word if len(word) <= _STEM else word[: max(_STEM, len(word) - 2)]
    return len(stem) >= _STEM and any(each.startswith(stem) for each in words)


def _words(text: str) -> Iterator[str]:
    """Yield a text's words; hyphens and dots also split them."""
    for word in _WORD.findall(text.casefold().replace("√", " root ")):
        yield word
        if parts := re.split(r"[.-]", word)[1:]:
            yield from (word.split(parts[0])[0].strip(".-"), *parts)


@by_language()
def _places() -> tuple[tuple[Place, frozenset[str], frozenset[str]], ...]:
    """Return every place with the words of its title and its text."""
    return tuple(
        (place, frozenset(_words(f"{place.title} {_also(place)}")), frozenset(_words(text)))
        for place, text in _with_texts()
    )


def _also(place: Place) -> str:
    """Return a place's further words, if any."""
    also = f"finding.also.{place.kind}.{place.name}"
    return f"{re.sub('[_-]', ' ', place.name)} {say(also)}" if also in catalogue() else ""


def _with_texts() -> Iterator[tuple[Place, str]]:
    found = filled("places")
    for feature in dict.fromkeys((*(name for name in _FIRST if name in found), *found)):
        yield from ((Place(feature, name, title), text) for name, title, text in found[feature]())
    for page in (each.name for each in pages() if f"finding.also.{PAGE}.{each.name}" in catalogue()):
        yield Place(PAGE, page, say(f"app.{page}.title")), say(f"app.{page}.line")
