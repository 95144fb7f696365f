"""Components of ours: HTML, looks, a script in the session's language."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2s
from pathlib import Path
from secrets import token_hex
from typing import Any

import streamlit as st

from attnviz.app.session.session import this_session
from attnviz.scripts import CONTROLS, SLIDER, joined
from attnviz.scripts import script as script_of
from attnviz.words import DEFAULT, LANGUAGE, by_language

_IN_ORDER = joined(Path(__file__).with_name("in_order.js")).replace("export ", "")


@dataclass
class _Drawn:
    """What a session's components were given last, and its place."""

    session: str = field(default_factory=lambda: token_hex(4))
    last: dict[str, tuple[bytes, int]] = field(default_factory=dict)

    def placed(self, key: str, data: Mapping[str, Any] | bytes) -> dict[str, Any] | bytes:
        """Return data with its place; the same data has the same place.

        What is written as JSON already is a whole object of it.
        """
        text = data if isinstance(data, bytes) else json.dumps(data).encode()
        digest = blake2s(text).digest()
        before, at = self.last.get(key, (b"", 0))
        if digest != before:
            self.last[key] = digest, at + 1
        place = {"nth": [self.session, self.last[key][1]]}
        if isinstance(data, bytes):
            return data[:-1] + b", " + json.dumps(place).encode()[1:]
        return {**data, **place}


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

    What is returned takes a key, and as data a dictionary or an object in JSON: the script is given an object.

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
        js = None if js is None else _in_order(js)
        called = f"attnviz_{name}" + ("" if language == DEFAULT else f"_{language}")
        return st.components.v2.component(called, html=html, css=looks, js=js, isolate_styles=isolate_styles)

    def draw(key: str, data: Mapping[str, Any] | bytes | None = None, **more: Any) -> Any:
        placed = None if data is None else this_session().part(_Drawn).placed(key, data)
        return registered()(key=key, data=placed, **more)

    return draw


def _in_order(js: str) -> str:
    """Let a script leave out what was overtaken: see in_order.js."""
    before, draw = js.split("export default")
    return f"{before}const draw ={draw}\n{_IN_ORDER}\nexport default inOrder(draw);\n"
