"""Components of ours: HTML, looks, a script in the session's language."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from attnviz.scripts import CONTROLS, SLIDER
from attnviz.scripts import script as script_of
from attnviz.words import DEFAULT, LANGUAGE, by_language


def component(
    name: str,
    html: str,
    script: Path | Callable[[], str] | None = None,
    *,
    css: str = "",
    sent: Mapping[str, Any] | None = None,
    isolate_styles: bool = True,
) -> Callable[..., Any]:
    """Return what draws a component, registered when first drawn in a language.

    `script` is the file that its script begins with, or makes the script. Looks beside that file are taken where they
    are isolated, behind those of all buttons and sliders; those that dress the page are given as `css`.
    """

    @by_language()
    def registered() -> Callable[..., Any]:
        looks, language = css, LANGUAGE.get()
        if isinstance(script, Path) and not css and isolate_styles and (beside := script.with_suffix(".css")).exists():
            looks = beside.read_text(encoding="utf-8")
        if looks and isolate_styles:
            looks = CONTROLS + SLIDER + looks
        js = script_of(script, sent) if isinstance(script, Path) else script() if script else None
        called = f"attnviz_{name}" + ("" if language == DEFAULT else f"_{language}")
        return st.components.v2.component(called, html=html, css=looks, js=js, isolate_styles=isolate_styles)

    return lambda **drawn: registered()(**drawn)
