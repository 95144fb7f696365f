"""The catalogue of all the app's sentences, and how these are filled.

The catalogue of a language is a folder, such as `en`, with a TOML file for each subject; in `pages.toml` and
`shared.toml`, each table is a small subject. A key is the subject and the path in it: ``lesson.softmax.title``. A
sentence names its places, ``"{query} reads {key} most"``. If its form depends on a number, it has the forms `one` and
`other`, chosen by the place `n`:

    masked = { one = "{n} cell is masked", other = "{n} cells are masked" }

The page's script fills the same sentences, which Python sends it.

A feature's folder has a catalogue of its own, `words/en`, whose files are merged with those of the same names, table by
table.
"""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache, wraps
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar

from attnviz.feature import features

Template = str | Mapping[str, str]  # a sentence, or its forms
FORMS = frozenset({"one", "other"})
DEFAULT = "en"
LANGUAGE = ContextVar("language", default=DEFAULT)  # the session's language, named by its folder
P = ParamSpec("P")
Made = TypeVar("Made")
_SHARED = ("pages", "shared")  # the files whose tables are subjects of their own
_MOST_ACCEPTED = 400  # characters of an Accept-Language header; those of browsers have some 50
_COUNTS = ("n", "count")  # places that hold counts


def by_language(most: int | None = None) -> Callable[[Callable[P, Made]], Callable[P, Made]]:
    """Cache a function's results separately for each language, at most `most`."""

    def caching(function: Callable[P, Made]) -> Callable[P, Made]:
        @lru_cache(most)
        def cached(_: str, /, *args: Any, **more: Any) -> Made:
            return function(*args, **more)

        return wraps(function)(lambda *args, **more: cached(LANGUAGE.get(), *args, **more))

    return caching


@by_language()
def catalogue() -> Mapping[str, Template]:
    """Return every sentence, or its forms, by its key.

    Sentences that a language lacks are in English.
    """
    found: dict[str, Template] = {}
    for language in (DEFAULT, LANGUAGE.get()):
        for name in (*_small(language), *(name for name in _subjects(language) if name not in _SHARED)):
            found |= _subject(language, name)
    return MappingProxyType(found)


@cache
def _subjects(language: str) -> Mapping[str, Sequence[Traversable]]:
    """Return a catalogue's files by name, the kernel's before features'."""
    folder = files(__name__).joinpath(language)
    of_features = (each.folder.joinpath("words", language) for each in features())
    folders = dict.fromkeys((folder, *folder.iterdir(), *of_features))
    found: dict[str, list[Traversable]] = {}
    for file in (file for each in folders if each.is_dir() for file in each.iterdir() if file.name.endswith(".toml")):
        found.setdefault(file.name.removesuffix(".toml"), []).append(file)
    return MappingProxyType(dict(sorted(found.items())))


@cache
def _tables(language: str, name: str) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for file in _subjects(language)[name]:
        _lay_over(found, tomllib.loads(file.read_text(encoding="utf-8")), name)
    return MappingProxyType(found)


def _lay_over(below: dict[str, Any], tables: Mapping[str, Any], key: str) -> None:
    """Merge tables; raise ``ValueError`` for a key that both have."""
    for name, value in tables.items():
        if name not in below:
            below[name] = value
        elif isinstance(below[name], dict) and isinstance(value, dict):
            _lay_over(below[name], value, f"{key}.{name}")
        else:
            raise ValueError(f"the catalogue has {key}.{name} twice")


@cache
def _small(language: str) -> Mapping[str, Any]:
    files = (file for file in _SHARED if file in _subjects(language))
    return MappingProxyType({name: table for file in files for name, table in _tables(language, file).items()})


@cache
def _subject(language: str, name: str) -> Mapping[str, Template]:
    """Return a subject's sentences by key, read when first needed.

    Reading them all takes a quarter of the package's import time.
    """
    found: dict[str, Template] = {}
    _collect(found, name, _tables(language, name) if name in _subjects(language) else _small(language).get(name, {}))
    return MappingProxyType(found)


def languages() -> list[str]:
    """Return the names of the languages with a catalogue."""
    return [each.name for each in files(__name__).iterdir() if each.joinpath("shared.toml").is_file()]


def spoken(accepts: str) -> str:
    """Return the language for an Accept-Language header.

    It's the most preferred one that has a catalogue, or English.

    >>> spoken("tlh, en-GB;q=0.8"), spoken(""), spoken("../de;q=x, *")
    ('en', 'en', 'en')
    """
    wanted = (part.partition(";") for part in accepts[:_MOST_ACCEPTED].lower().split(","))
    liked = [(_liking(rest), name.strip().partition("-")[0]) for name, _, rest in wanted]
    best_first = sorted(liked, key=lambda each: -each[0])
    there = languages()
    return next((name for liking, name in best_first if liking and name in there), DEFAULT)


def _liking(rest: str) -> float:
    """Return how much a language is preferred, from 0 to 1: q=0.8."""
    found = re.fullmatch(r"\s*q\s*=\s*([01](?:\.[0-9]{0,3})?)\s*", rest)
    return float(found[1]) if found else float(not rest)


def _template(key: str) -> Template:
    subject = key.partition(".")[0]
    found = _subject(LANGUAGE.get(), subject)
    return found[key] if key in found else _subject(DEFAULT, subject)[key]


def _collect(found: dict[str, Template], key: str, value: Any) -> None:
    if isinstance(value, Mapping) and set(value) != FORMS:
        for name, inner in value.items():
            if isinstance(inner, Mapping) and "like" in inner:
                inner = {**value[inner["like"]], **{text: each for text, each in inner.items() if text != "like"}}
            _collect(found, f"{key}.{name}", inner)
    else:
        found[key] = value


def say(key: str, /, **places: object) -> str:
    """Return a sentence with its places filled; `n` chooses its form.

    Counts, in the places `n` and `count`, are written as :func:`plural` writes them: 1,024.

    Raises ``KeyError`` for a key that the catalogue does not have, or a place that is not given.

    >>> say("count.token", n=1), say("count.token", n=3)
    ('1 token', '3 tokens')
    """
    template = _template(key)
    if not isinstance(template, str):
        template = template["one" if places["n"] == 1 else "other"]
    counts = {name: thousands(n) for name in _COUNTS if isinstance(n := places.get(name), int)}
    return template.format_map(places | counts)


@dataclass(frozen=True)
class Later:
    """A sentence made only when read; its places may be such, too.

    >>> str(later("stages.head.title", title=later("stages.x.title"), number=1))
    'X, head 1'
    """

    key: str
    places: tuple[tuple[str, object], ...] = ()

    def __str__(self) -> str:
        return say(self.key, **dict(self.places))


def later(key: str, /, **places: object) -> Later:
    """Return a sentence of :func:`say` that is made only when read."""
    return Later(key, tuple(places.items()))


class DeferredText:
    """An attribute that reads as a sentence, filled with its owner's `places`."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __get__(self, owner: object, _: type) -> str:
        return say(self._key.format(its=owner), **getattr(owner, "places", {}))


def plural(n: int, noun: str) -> str:
    """Return "1 token" or "6 tokens"; `noun` is a key of `count`.

    >>> plural(1, "row"), plural(0, "row"), plural(2000, "character")
    ('1 row', '0 rows', '2,000 characters')
    """
    template = _template(f"count.{noun}")
    assert not isinstance(template, str)
    return template["one" if n == 1 else "other"].format(n=thousands(n))


def thousands(n: int) -> str:
    """Write a whole number, with the language's sign between thousands.

    >>> thousands(-12000), thousands(999)
    ('-12,000', '999')
    """
    return f"{n:,}".replace(",", say("language.thousands"))


def listed(names: Sequence[str]) -> str:
    """Name several things in a row.

    >>> listed(["W_q", "W_k", "W_v"])
    'W_q, W_k and W_v'
    """
    return say("summary.and", first=", ".join(names[:-1]), last=names[-1]) if len(names) > 1 else names[0]
