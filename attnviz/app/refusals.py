"""What the core refuses, told to the reader: the same sentence, with names and numbers as pages write them."""

from attnviz.app.text import literal
from attnviz.core.limits import RefusedError, SaidError, counted
from attnviz.core.stages import ALL_STAGES
from attnviz.tables.typed_numbers import NoNumberError, why_no_number
from attnviz.words import catalogue, say
from attnviz.words.numbers import significant

_MOST = 40  # characters of a number or a text that was refused


def told(error: Exception) -> str:
    """Return in whole sentences why something was refused, and what to do, as `as_message` and `literal` write.

    >>> told(RefusedError("edits", n=5000, most=4096))[:44]
    'These are 5,000 changed cells, and at most 4'
    >>> told(KeyError("w_q"))
    "It doesn't fit what is here now."
    """
    if isinstance(error, SaidError):
        return str(error)
    if isinstance(error, NoNumberError):
        return why_no_number(error, literal(error.text))
    return error.told(_fact) if isinstance(error, RefusedError) else say("refused.other")


def _fact(name: str, value: object) -> str:
    """Return a fact of a refusal as readers know it."""
    if (words := counted(name, value)) is not None:
        return words
    match name:
        case "matrix" | "table" | "other":
            return ALL_STAGES[str(value)].symbol
        case "name":
            key = f"refused.name.{str(value).replace(' ', '_')}"
            return say(key) if key in catalogue() else str(value)
        case "allowed" | "called" if isinstance(value, tuple):
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
