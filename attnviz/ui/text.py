"""Text that a person typed, made safe to stand inside Markdown."""

import re

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

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


# Nothing to see. Drawn first of all, it makes the browser fetch what components need before what two dozen widgets
# need: the board stands on the first visit 0.4 s earlier.
_first = st.components.v2.component("attnviz_first", html="<span></span>")


def show_headline(title: str, line: str) -> DeltaGenerator:
    """Draw what this is and what one can do here, in one line; return its container, for what stands at its end."""
    with st.container(key="first"):
        _first(key="first_component", height=1)
    headline = st.container(horizontal=True, vertical_alignment="center", gap="small", key="headline")
    with headline:
        st.markdown(f"#### {title}", width="content")
        st.markdown(f":gray[{line}]")
    return headline


def is_dark() -> bool:
    """Whether the reader's page is dark."""
    return st.context.theme.type == "dark"
