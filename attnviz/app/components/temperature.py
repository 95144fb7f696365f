"""The temperature's slider, which changes the board while it's dragged.

It is our own, because Streamlit's slider sends its value only at the end of a drag.
"""

from pathlib import Path
from typing import Any

from attnviz.app.session.component import component
from attnviz.app.session.page_record import current_mark
from attnviz.words import say

_slider = component(
    "temperature",
    '<div class="temperature"><span></span><output aria-hidden="true"></output><input type="range"></div>',
    Path(__file__).with_suffix(".js"),
)


def show_temperature(parameter: str, value: float, key: str) -> None:
    """Draw the slider of the temperature, which `parameter` holds in the address."""
    data: dict[str, Any] = {"parameter": parameter, "value": value, "label": say("setup.temperature.slider"),
                            "help": say("setup.temperature.help"), "from": current_mark()}  # fmt: skip
    _slider(key=key, data=data)
