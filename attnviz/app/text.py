"""Texts in which Markdown is no markup: what a person typed, and messages."""

import re

import streamlit as st

from attnviz.core.tokens import visible


def literal(text: str, most: int = 60) -> str:
    """Return Markdown that shows a text letter by letter: a code span, in which nothing is markup.

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
    # Streamlit makes links, icons, emoji and arrows even of text in which no sign is markup.
    r"|(?P<made>[^\s`]*(?::[^\s`]|@|www\.|<-|->|--|[<>~!]=)[^\s`]*)"
    r"|(?P<sign>[\\`*_\[\]<>&$~])",
    re.IGNORECASE,
)


def as_message(text: str) -> str:
    """Return Markdown that shows a message unchanged: nothing in it is markup but the code that `literal` makes.

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
