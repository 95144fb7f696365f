"""Text that a person typed, made safe to stand inside Markdown."""

import re

import streamlit as st

from attnviz.tokens import visible


def literal(text: str, most: int = 60) -> str:
    """Return Markdown that shows a text exactly as it is: a code span, in which nothing is markup.

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


def is_dark() -> bool:
    """Whether the reader's page is dark."""
    return st.context.theme.type == "dark"
