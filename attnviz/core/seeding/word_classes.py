"""Kinds of words, and the row of X that each has."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from attnviz.core.limits import Kinds, RefusedError

Row = tuple[float, float, float]

# The features that X's columns stand for, as in the worked example “fluffy cat”.
FEATURES = ("noun", "adjective", "verb")
MOST_CHARACTERS = 4000  # limit for a text of chosen classes
MOST_CHOSEN = 64


@dataclass(frozen=True)
class WordClass:
    """A kind of word.

    - `row`: what X holds for its words: how much of a noun, an adjective and a verb they are.
    - `of_two`: whether its words belong to two classes, so that readers may say which one their sentence means.
    """

    name: str
    row: Row
    of_two: bool = False


# To add a kind of word, add a row here, and a list of its words in `english_words.toml`. A determiner goes with a noun
# as an adjective does, so it counts as half an adjective, and three columns are enough.
WORD_CLASSES: Kinds[WordClass] = Kinds("word class", (
    WordClass("noun", (1, 0, 0)),
    WordClass("adjective", (0, 1, 0)),
    WordClass("verb", (0, 0, 1)),
    WordClass("determiner", (0, 0.5, 0)),
    WordClass("pronoun", (0.3, 0.7, 0)),  # it stands for a noun in the sentence: he, she, it, they, who
    WordClass("person", (0.6, 0, 0)),  # it stands for somebody outside the sentence: I, you, we, everyone
    WordClass("auxiliary", (0, 0, 0.3)),
    WordClass("adverb", (0, 0, 0.1)),
    WordClass("function", (0, 0, 0)),  # prepositions, conjunctions, punctuation
    WordClass("noun_or_verb", (0.6, 0, 0.5), of_two=True),
    WordClass("noun_or_adjective", (0.6, 0.5, 0), of_two=True),
    WordClass("adjective_or_verb", (0, 0.7, 0.5), of_two=True),
))  # fmt: skip


@dataclass(frozen=True)
class FoundClass:
    """The class of one word, and how it was found.

    `by` is "chosen" (by the reader), "list", "ending", or "default": the word is in no list, so it's taken for a noun.
    """

    kind: WordClass
    by: str


def class_of(word: str, chosen: Mapping[str, str] | None = None) -> FoundClass:
    """Return the class of a word of English.

    `chosen` maps lower-case words to classes that override all others.

    >>> class_of("fluffy").kind.name, class_of("grok").by
    ('adjective', 'default')
    >>> class_of("grok", {"grok": "verb"}).kind.row
    (0, 0, 1)
    """
    word = plain_word(word)
    if chosen and word in chosen:
        return FoundClass(WORD_CLASSES[chosen[word]], "chosen")
    if name := listed_words().get(word):
        return FoundClass(WORD_CLASSES[name], "list")
    if not any(sign.isalpha() for sign in word):
        return FoundClass(WORD_CLASSES["determiner" if any(map(str.isdigit, word)) else "function"], "list")
    if name := next((name for name, ending in endings_of_classes().items() if ending.search(word)), ""):
        return FoundClass(WORD_CLASSES[name], "ending")
    return FoundClass(WORD_CLASSES["noun"], "default")


def plain_word(token: str) -> str:
    """Return a token in lower case, without outer punctuation.

    >>> plain_word("Don’t!"), plain_word("...")
    ("don't", '...')
    """
    word = token.lower().replace("\u2019", "'")
    return word.strip('.,;:!?"“”„«»()[]…') or word


def chosen_classes(text: str) -> dict[str, str]:
    """Return the classes that a text like "grok:verb rule:noun" chooses, by word.

    Raises ``ValueError`` for a text of another form, a class that can't be chosen, and too many words.

    >>> chosen_classes("rule:noun grok:verb")
    {'grok': 'verb', 'rule': 'noun'}
    """
    if not isinstance(text, str) or len(text) > MOST_CHARACTERS:
        raise RefusedError("word_classes", value=text)
    chosen = {}
    for part in text.split():
        word, colon, name = part.rpartition(":")
        if not colon or not word or name not in FEATURES:
            raise RefusedError("word_classes", value=part)
        chosen[plain_word(word)] = name
    if len(chosen) > MOST_CHOSEN:
        raise RefusedError("word_classes", value=text)
    return dict(sorted(chosen.items()))


def classes_text(chosen: Mapping[str, str]) -> str:
    """Return chosen classes as the text that :func:`chosen_classes` reads."""
    return " ".join(f"{word}:{name}" for word, name in sorted(chosen.items()))


@cache
def _lists() -> Mapping[str, Any]:
    text = files("attnviz").joinpath("core", "seeding", "english_words.toml").read_text(encoding="utf-8")
    return MappingProxyType(tomllib.loads(text))


@cache
def listed_words() -> Mapping[str, str]:
    """Return the class of each listed word and of its forms."""
    lists = _lists()
    listed: dict[str, str] = {}
    for name in lists["words"]:
        for word in lists["words"][name].split():
            listed.setdefault(word, name)
    forms: dict[str, str] = {}
    for line in lists["irregular_verbs"].strip().splitlines():
        base, *past = line.split()
        forms |= dict.fromkeys((base, *past, _with_s(base), _with_ing(base)), "verb")
    for name in ("noun_or_verb", "verb"):
        for verb in lists["words"][name].split():
            forms |= {_with_s(verb): name, _with_ed(verb): "verb", _with_ing(verb): "verb"}
    for adjective in lists["words"]["adjective"].split():
        forms |= dict.fromkeys(_grades(adjective), "adjective")
    for noun in lists["words"]["noun"].split():
        forms[_with_s(noun)] = "noun"
    return MappingProxyType(forms | listed)


@cache
def endings_of_classes() -> Mapping[str, re.Pattern[str]]:
    """Return each class's endings, in the order of trying."""
    return MappingProxyType({name: re.compile(pattern) for name, pattern in _lists()["endings"].items()})


def _with_s(word: str) -> str:
    if re.search("[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}es" if re.search("(s|x|z|ch|sh|o)$", word) else f"{word}s"


def _with_ed(verb: str) -> str:
    if verb.endswith("e"):
        return f"{verb}d"
    return f"{verb[:-1]}ied" if re.search("[^aeiou]y$", verb) else f"{_doubled(verb)}ed"


def _with_ing(verb: str) -> str:
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    return f"{verb[:-1]}ing" if re.search("[^eoy]e$", verb) else f"{_doubled(verb)}ing"


def _grades(adjective: str) -> Iterator[str]:
    """Yield "greener" and "greenest" of a short adjective."""
    long = _syllables(adjective) > 1 + adjective.endswith("y")
    if long or re.search("(ed|ing)$", adjective) or adjective in _lists()["not_compared"].split():
        return
    stem = f"{adjective[:-1]}i" if re.search("[^aeiou]y$", adjective) else _doubled(adjective).removesuffix("e")
    yield from (f"{stem}er", f"{stem}est")


def _doubled(word: str) -> str:
    """Return a word, its last letter doubled if its forms double it."""
    short = _syllables(word) == 1 and re.search("[^aeiou][aeiou][bdgklmnprt]$", word)
    return f"{word}{word[-1]}" if short or word in _lists()["doubled"].split() else word


def _syllables(word: str) -> int:
    return max(1, len(re.findall("[aeiouy]+", word.removesuffix("e"))))


def rows_of(tokens: tuple[str, ...], chosen: Mapping[str, str] | None = None) -> tuple[Row, ...]:
    """Return the row of X of each token.

    >>> rows_of(("the", "cat", "sleeps"))
    ((0, 0.5, 0), (1, 0, 0), (0, 0, 1))
    """
    return tuple(class_of(token, chosen).kind.row for token in tokens)
