"""Components of our own: HTML, styles, script."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2s
from pathlib import Path
from secrets import token_hex
from typing import Any

import streamlit as st

from attnviz.app.operations.run_queue import CLOCK
from attnviz.app.session.session import this_session
from attnviz.scripts import CONTROLS, SLIDER, joined
from attnviz.scripts import script as script_of
from attnviz.words import DEFAULT, LANGUAGE, by_language

_IN_ORDER = joined(Path(__file__).with_name("in_order.js")).replace("export ", "")


@dataclass
class _Drawn:
    """The last data of a session's components, with counters of their changes."""

    session: str = field(default_factory=lambda: token_hex(4))
    last: dict[str, tuple[bytes, int]] = field(default_factory=dict)

    def placed(self, key: str, data: Mapping[str, Any] | bytes) -> dict[str, Any] | bytes:
        """Return data with a counter, which grows when the data changes.

        Data in bytes is a JSON object already.
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
    """Return a function that draws a component.

    The component is registered when it is first drawn in a language. The function takes a key, and data as a dictionary
    or as a JSON object in bytes; the script receives an object in both cases.

    `script` is the entry module's file, or a function that makes the script. If styles are isolated, a CSS file beside
    that module is used, after the styles of all buttons and sliders. Styles for the page itself are given as `css`.
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
        CLOCK.check()
        placed = None if data is None else this_session().part(_Drawn).placed(key, data)
        return registered()(key=key, data=placed, **more)

    return draw


def _in_order(js: str) -> str:
    """Make a script skip drawings that come too late: see in_order.js."""
    before, draw = js.split("export default")
    return f"{before}const draw ={draw}\n{_IN_ORDER}\nexport default inOrder(draw);\n"
