"""Notes on a sentence whose vectors depend on kinds of words."""

from dataclasses import dataclass

from attnviz.core.scenario import Scenario
from attnviz.core.seeding.word_classes import FEATURES, FoundClass, classes_text, plain_word
from attnviz.core.tokens import visible
from attnviz.words import plural, say

_KNOWN = 0.25  # a sentence with no more listed words isn't English; each of 60 English ones had at least 40 %
_OFFERED = 3  # words that may be the verb, at most


@dataclass(frozen=True)
class Choice:
    """A button's title, and the classes that pressing it chooses."""

    title: str
    word_classes: str


@dataclass(frozen=True)
class OfWord:
    """A note about a picked token, and what a reader may choose."""

    note: str = ""
    choices: tuple[Choice, ...] = ()


def is_unknown_language(scenario: Scenario) -> bool:
    """Whether so few words are in the list that it's another language.

    >>> from attnviz.published.by_class import by_class
    >>> is_unknown_language(by_class("Der Hund jagt die Katze")), is_unknown_language(by_class("my dog sleeps"))
    (True, False)
    """
    words = [found for found in scenario.found_classes if found.kind.name != "function"]
    known = sum(found.by != "default" for found in words)
    return bool(words) and known <= _KNOWN * len(words)


def known_words(scenario: Scenario) -> str:
    """Return "known" or "unknown" where vectors are by class, else blank."""
    if not scenario.found_classes:
        return ""
    return "unknown" if is_unknown_language(scenario) else "known"


def of_words(scenario: Scenario) -> tuple[OfWord, ...]:
    """Return a note on each token; none unless vectors depend on classes.

    >>> from attnviz.published.by_class import by_class
    >>> of_words(by_class("we grok it"))[1].note
    "“grok” isn't in the list. It's taken for a noun."
    """
    return tuple(
        _of_word(scenario, visible(token), plain_word(token), found)
        for token, found in zip(scenario.tokens, scenario.found_classes, strict=False)
    )


def _of_word(scenario: Scenario, token: str, word: str, found: FoundClass) -> OfWord:
    if found.kind.name == "pronoun":
        return OfWord(say("words.pronoun", token=token))
    if found.by == "default":
        note = say("words.default", token=token)
    elif found.by == "chosen":
        note = say("words.chosen", token=token, kind=say(f"word_class.{found.kind.name}"))
    elif found.kind.of_two:
        note = say(f"words.{found.kind.name}", token=token)
    else:
        return OfWord()
    return OfWord(note, tuple(_choice(scenario, word, feature, say(f"words.as.{feature}")) for feature in FEATURES))


def _choice(scenario: Scenario, word: str, feature: str, title: str) -> Choice:
    return Choice(title, classes_text({**scenario.chosen_classes, word: feature}))


def missing_verb(scenario: Scenario) -> OfWord:
    """Return the question which word is the verb, if none is.

    >>> from attnviz.published.by_class import by_class
    >>> [choice.title for choice in missing_verb(by_class("the astronaut dreams of a planet")).choices]
    ['dreams']
    """
    kinds = scenario.found_classes
    if not kinds or any(found.kind.name in ("verb", "auxiliary", "adjective_or_verb") for found in kinds):
        return OfWord()
    maybe = {
        plain_word(token): visible(token)
        for token, found in zip(scenario.tokens, kinds, strict=True)
        if found.kind.name == "noun_or_verb" or found.by == "default"
    }
    choices = tuple(_choice(scenario, word, "verb", token) for word, token in list(maybe.items())[:_OFFERED])
    return OfWord(say("words.no_verb"), choices) if choices else OfWord()


def changed_in_words(scenario: Scenario) -> str:
    """Return how many numbers were changed by hand; blank where none was."""
    edited = len(scenario.edits)
    return say("words.changed", numbers=plural(edited, "number")) if edited and scenario.found_classes else ""
