"""Limits of settings, texts and files, and the errors beyond them."""

import operator
import reprlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Generic, Protocol, TypeVar

from attnviz.words import catalogue, plural, say

_MOST_SHOWN = 60  # characters of a refused value, in a message
_COUNTED = {"rows": "row", "columns": "column", "characters": "character", "heads": "head", "layers": "layer",
            "tokens": "token"}  # fmt: skip
Write = Callable[[str, object], str | None]


class RefusedError(ValueError):
    """A ``ValueError`` whose message is a catalogue sentence with its facts.

    `kind` is the key of the sentence in refused.toml, `facts` fill its places. A page shows the same :meth:`sentence`,
    with the names and numbers that readers know. `detail` is for programmers only.

    >>> error = RefusedError("edits", n=5000, most=4096)
    >>> str(error)[:29], error.kind, error.facts
    ('These are 5000 changed cells,', 'edits', {'n': 5000, 'most': 4096})
    """

    def __init__(self, kind: str, /, *, detail: str = "", **facts: object) -> None:
        super().__init__(kind)
        self.kind, self.detail, self.facts = kind, detail, facts

    def __str__(self) -> str:
        sentence = self.sentence(lambda name, value: None)
        return f"{sentence} ({self.detail})" if self.detail else sentence

    def sentence(self, write: Write) -> str:
        """Return the sentence, with each fact as `write` writes it.

        Where `write` returns None, the fact stands as in code.
        """
        return say(f"refused.{self.kind}", **{
            name: _plain(name, value) if (written := write(name, value)) is None else written
            for name, value in self.facts.items()
        })  # fmt: skip


class ReaderError(ValueError):
    """A ``ValueError`` whose message can be shown to the reader unchanged."""


def counted(name: str, value: object) -> str | None:
    """Return a count or a phrase in words; None for other facts."""
    noun = name.rpartition("_")[2]
    if noun in _COUNTED and isinstance(value, int):
        return plural(value, _COUNTED[noun])
    if noun == "counted" and isinstance(value, tuple):
        return plural(*value)
    if name == "why":
        key = f"refused.counts.{value}"
        return say(key) if key in catalogue() else say("refused.counts.other", size=value)
    return say(f"models.otherwise.{value}") if name == "otherwise" else None


def _plain(name: str, value: object) -> str:
    if (words := counted(name, value)) is not None:
        return words
    if isinstance(value, tuple) and name != "value":
        return ", ".join(map(str, value))
    return value if isinstance(value, str) and name != "value" else in_short(value)


def in_short(value: object) -> str:
    """Return a value as Python writes it, cut to 60 characters.

    The value may be of any size: no more of it is converted to text than is shown.

    >>> in_short("cat"), len(in_short("cat" * 10**6)), in_short([[0] * 9])
    ("'cat'", 60, '[[0, 0, 0, 0, 0, 0, ...]]')
    """
    short = reprlib.Repr()
    short.maxlevel, short.maxstring, short.maxother = 2, _MOST_SHOWN, _MOST_SHOWN
    try:
        text = short.repr(value)
    except ValueError:  # a whole number with more digits than Python converts
        text = f"{type(value).__name__} with too many digits to be written"
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 3] + "..."


def check_type(name: str, value: object, kinds: type | tuple[type, ...], expected: str) -> None:
    """Raise ``ValueError`` for a value of another type, saying what is expected.

    >>> check_type("trace", 3, str, "a text")
    Traceback (most recent call last):
    ValueError: trace is 3, expected a text
    """
    if not isinstance(value, kinds):
        raise ValueError(f"{name} is {in_short(value)}, expected {expected}")


class Named(Protocol):
    """An entry of a registry: an object that has a name."""

    @property
    def name(self) -> str: ...


Kind = TypeVar("Kind", bound=Named)


class Kinds(Mapping[str, Kind], Generic[Kind]):
    """A registry of kinds by name, in the order they're offered.

    `setting` is the name of the setting that chooses one of them.

    >>> from attnviz.core.masks import MASKS
    >>> MASKS["causal"].name
    'causal'
    >>> MASKS["diagonal"]  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    attnviz.core.limits.RefusedError: 'diagonal' can't be masking. Take one of these: none, causal, window, ...
    """

    def __init__(self, setting: str, kinds: Iterable[Kind]) -> None:
        self.setting = setting
        self._kinds = {kind.name: kind for kind in kinds}

    def __getitem__(self, name: str) -> Kind:
        """Return the kind of this name; ``ValueError`` lists the names there are."""
        if not isinstance(name, str) or name not in self._kinds:
            raise RefusedError("choice", name=self.setting, value=name, allowed=tuple(self._kinds))
        return self._kinds[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._kinds

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    def where(self, holds: str) -> tuple[str, ...]:
        """Return the names of the kinds of which this attribute is true."""
        return tuple(name for name, kind in self._kinds.items() if getattr(kind, holds))


MAX_TOKENS = 1024
MAX_D = 1024
MAX_HEADS = 16
MAX_LAYERS = 4
MAX_SCORES = 2**21  # scores in all heads and layers; three float32 matrices of this size take 24 MiB
MAX_SEED = 2**32 - 1  # torch's CPU generator uses 32 bits of a seed, so larger ones would repeat
MIN_TEMPERATURE = 0.01
MAX_TEMPERATURE = 100.0
MAX_EDITS = 4096

MAX_TEXT_CHARACTERS = 20_000
MAX_SECOND_CHARACTERS = 2_000  # a second sentence is shorter, because links, clicks and reloads carry both
MAX_FILE_BYTES = 5 * 2**20  # the largest file to open, as server.maxUploadSize in .streamlit/config.toml
MAX_UPLOADS = 4  # files that a session keeps; no page asks for more than two at once
MAX_UPLOADED_BYTES = 128 * 2**20  # bytes in all sessions together


def check_whole(name: str, value: object, low: int, high: int) -> int:
    """Return `value` as an int from `low` to `high`, or raise ``ValueError``.

    Raises ``ValueError`` naming the value and the limits.
    """
    try:
        whole = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        whole = low - 1
    if isinstance(value, bool) or not low <= whole <= high:
        raise RefusedError("whole", name=name, value=value, low=low, high=high)
    return whole


def check_temperature(value: object) -> float:
    """Return the temperature as a float, or raise ``ValueError`` with its limits."""
    return check_number("temperature", value, MIN_TEMPERATURE, MAX_TEMPERATURE)


def check_number(name: str, value: object, low: float, high: float) -> float:
    """Return a float from `low` to `high`, or raise ``ValueError`` naming it."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise RefusedError("number", name=name, value=value, low=low, high=high)
    return float(value)


def check_choice(name: str, value: object, allowed: Collection[object]) -> None:
    """Raise ``ValueError`` naming a value that is none of those allowed."""
    if value not in tuple(allowed):  # a tuple, because a set would need a hashable value
        raise RefusedError("choice", name=name, value=value, allowed=tuple(allowed))
