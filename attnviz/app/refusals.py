"""What the core refuses, told to the reader: its own message is for those who program, and stays out of the page."""

from collections.abc import Mapping

from attnviz.app.text import literal
from attnviz.core.errors import RefusedError, SaidError
from attnviz.core.stages import ALL_STAGES
from attnviz.tables.typed_numbers import NoNumberError, why_no_number
from attnviz.words import catalogue, plural, say
from attnviz.words.numbers import significant

_MOST = 40  # characters of a number or a text that was refused
_COUNTED = {"rows": "row", "columns": "column", "characters": "character", "heads": "head", "layers": "layer",
            "tokens": "token"}  # fmt: skip


def told(error: Exception) -> str:
    """Return in whole sentences why something was refused, and what to do, as `as_message` and `literal` write.

    >>> told(RefusedError("w_q has shape (1, 2), expected (3, 2)", "edits", n=5000, most=4096))[:44]
    'These are 5,000 changed cells, and at most 4'
    >>> told(KeyError("w_q"))
    "It doesn't fit what is here now."
    """
    if isinstance(error, SaidError):
        return str(error)
    if isinstance(error, NoNumberError):
        return why_no_number(error, literal(error.text))
    if isinstance(error, RefusedError):
        return say(f"refused.{error.kind}", **_in_words(error.facts))
    return say("refused.other")


def _in_words(facts: Mapping[str, object]) -> dict[str, str]:
    return {name: _fact(name, value) for name, value in facts.items()}


def _fact(name: str, value: object) -> str:
    noun = name.rpartition("_")[2]
    if isinstance(value, int) and noun in _COUNTED:
        return plural(value, _COUNTED[noun])
    match name:
        case "matrix" | "table" | "other":
            return ALL_STAGES[str(value)].symbol
        case "name":
            key = f"refused.name.{str(value).replace(' ', '_')}"
            return say(key) if key in catalogue() else str(value)
        case "counted" | "other_counted" if isinstance(value, tuple):
            return plural(*value)
        case "why":
            key = f"refused.counts.{value}"
            return say(key) if key in catalogue() else say("refused.counts.other", size=value)
        case "otherwise":
            return say(f"models.otherwise.{value}")
        case "allowed" if isinstance(value, tuple):
            return ", ".join(literal(str(each)) for each in value)
        case _:
            return _shown(value)


def _shown(value: object) -> str:
    if isinstance(value, str):
        return literal(value, _MOST)
    if isinstance(value, int | float) and not isinstance(value, bool):
        whole = isinstance(value, int) and value.bit_length() < 128
        return f"{value:,}".replace("-", "−") if whole else significant(float(value))
    return say("refused.that")
