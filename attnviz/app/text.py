"""Plain text and messages as Markdown, and errors as sentences."""

import re

import streamlit as st

from attnviz.core.limits import ReaderError, RefusedError, counted
from attnviz.core.stages import ALL_STAGES
from attnviz.core.tokens import visible
from attnviz.typed_numbers import NoNumberError, why_no_number
from attnviz.words import catalogue, say, thousands
from attnviz.words.numbers import significant


def literal(text: str, most: int = 60) -> str:
    """Return Markdown that shows a text letter by letter, as code.

    >>> literal("**b** `x`")
    '`` **b** `x` ``'
    """
    shown = visible(text.replace(" ", "\N{NO-BREAK SPACE}")).replace("⟨U+00A0⟩", " ") or " "
    if len(shown) > most:
        shown = shown[: most - 1] + "…"
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


_MARKUP = re.compile(
    r"(?P<code>(?<!`)(`+)(?!`).+?(?<!`)\2(?!`))"
    # Streamlit turns some texts without any markup into links, icons, emoji or arrows.
    r"|(?P<made>[^\s`]*(?::[^\s`]|@|www\.|<-|->|--|[<>~!]=)[^\s`]*)"
    r"|(?P<sign>[\\`*_\[\]<>&$~])",
    re.IGNORECASE,
)


def as_message(text: str) -> str:
    """Return Markdown that shows a message unchanged, except code from `literal`.

    >>> as_message("`a` is no ![x](y) of http://b")
    '`a` is no !\\\\[x\\\\](y) of `http://b`'
    """
    return _MARKUP.sub(_as_text, " ".join(text.splitlines()))


def _as_text(match: re.Match[str]) -> str:
    if match["made"]:
        return literal(match["made"], most=200)
    return match["code"] or f"\\{match['sign']}"


def is_dark() -> bool:
    """Whether the reader's page is dark."""
    return st.context.theme.type == "dark"


_MOST = 40  # characters of a refused number or text that a message shows


def message_of(error: Exception) -> str:
    """Return an error in sentences: what was refused and what to do.

    >>> message_of(RefusedError("edits", n=5000, most=4096))[:44]
    'These are 5,000 changed cells, and at most 4'
    >>> message_of(KeyError("w_q"))
    "It doesn't fit what is here now."
    """
    if isinstance(error, ReaderError):
        return str(error)
    if isinstance(error, NoNumberError):
        return why_no_number(error, literal(error.text))
    return error.sentence(_fact) if isinstance(error, RefusedError) else say("refused.other")


def _fact(name: str, value: object) -> str:
    """Return a fact of an error message, in words that readers know."""
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
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 1000:  # small enough for a float
        return thousands(value).replace("-", "−") if value.bit_length() < 128 else significant(float(value))
    if isinstance(value, float):
        return significant(value)
    return say("refused.that")
