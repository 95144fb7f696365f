"""Why something is refused: a kind, whose sentence stands in refused.toml, and the facts in it."""

import reprlib
from collections.abc import Callable

from attnviz.words import catalogue, plural, say

_MOST_SHOWN = 60  # characters of what a message refuses
_COUNTED = {"rows": "row", "columns": "column", "characters": "character", "heads": "head", "layers": "layer",
            "tokens": "token"}  # fmt: skip
Write = Callable[[str, object], str | None]


class RefusedError(ValueError):
    """A ``ValueError`` whose message is a sentence of the catalogue, with its facts as code has them.

    `kind` is the key of the sentence in refused.toml, `facts` are what its places are filled from. A page tells the
    same sentence, with names and numbers as readers know them: :meth:`told`. `detail` is for those who program alone.

    >>> error = RefusedError("edits", n=5000, most=4096)
    >>> str(error)[:29], error.kind, error.facts
    ('These are 5000 changed cells,', 'edits', {'n': 5000, 'most': 4096})
    """

    def __init__(self, kind: str, /, *, detail: str = "", **facts: object) -> None:
        super().__init__(kind)
        self.kind, self.detail, self.facts = kind, detail, facts

    def __str__(self) -> str:
        told = self.told(lambda name, value: None)
        return f"{told} ({self.detail})" if self.detail else told

    def told(self, write: Write) -> str:
        """Return the sentence with each fact as `write` writes it by its name, or as code has it where that is None."""
        return say(f"refused.{self.kind}", **{
            name: _plain(name, value) if (written := write(name, value)) is None else written
            for name, value in self.facts.items()
        })  # fmt: skip


class SaidError(ValueError):
    """A ``ValueError`` whose message is a sentence of the catalogue, for the reader as it stands."""


def counted(name: str, value: object) -> str | None:
    """Return a fact that counts things, or is a part of a sentence, in words; None for any other.

    >>> counted("need_rows", 2), counted("value", 2)
    ('2 rows', None)
    """
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
    """Return a value as Python writes it, cut to 60 characters, for the message that refuses it.

    It may be anything of any size: no more of it is written out than is shown.

    >>> in_short("cat"), len(in_short("cat" * 10**6)), in_short([[0] * 9])
    ("'cat'", 60, '[[0, 0, 0, 0, 0, 0, ...]]')
    """
    short = reprlib.Repr()
    short.maxlevel, short.maxstring, short.maxother = 2, _MOST_SHOWN, _MOST_SHOWN
    try:
        text = short.repr(value)
    except ValueError:  # a whole number of more digits than Python writes
        text = f"{type(value).__name__} with too many digits to be written"
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 3] + "..."
