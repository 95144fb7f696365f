"""Matrices as pictures, drawn by the page wherever there is no board."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attnviz.app.components.script_file import pictures_file
from attnviz.app.session.component import component

_HERE = Path(__file__).parent
STYLE = (_HERE / "pictures.css").read_text(encoding="utf-8")

_pictures = component("pictures", '<div class="pictures"></div>', lambda: pictures_file().fetched, css=STYLE)


def show_pictures(pictures: Mapping[str, Mapping[str, Any]], key: str) -> None:
    """Draw pictures beside each other, as attnviz/figures/on_page.py makes them."""
    data = {"groups": [[*pictures]], "pictures": pictures, "frames": []}
    _pictures(key=key, data=json.dumps(data).encode())
