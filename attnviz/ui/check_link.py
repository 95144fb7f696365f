"""What is typed into the form of Check my numbers as one text of the URL: reload, Back and a copied link restore it."""

import json
from typing import Any

import streamlit as st

from attnviz.limits import MAX_D, MAX_TEMPERATURE, MIN_TEMPERATURE
from attnviz.packing import pack, unpack
from attnviz.ui import bound, state

MOST_PACKED = 6000  # characters of a URL; longer forms stay in the session alone
MOST_UNPACKED = 100_000


def keep(form: dict[str, Any], defaults: dict[str, Any]) -> bool:
    """Write the form, by the keys of its controls, into the URL; return whether it fits there."""
    typed = {key: value for key, value in form.items() if value != defaults[key]}
    packed = pack(json.dumps(typed, ensure_ascii=False)) if typed else ""
    fits = len(packed) <= MOST_PACKED
    bound.send(bound.TABLES, packed if fits else "")
    return fits


def take(defaults: dict[str, Any], choices: dict[str, tuple[Any, ...]]) -> None:
    """Fill the form with what the URL holds, where it has just been opened or gone back to; before it is drawn."""
    packed, arrived = bound.receive(bound.TABLES)
    if not arrived or not packed:
        return
    try:
        typed = json.loads(unpack(packed, MOST_UNPACKED))
    except (ValueError, RecursionError):
        typed = None
    if not isinstance(typed, dict):
        state.say("The tables in the link cannot be read; the form is as it was.")
        return
    for key, default in defaults.items():
        value = typed.get(key, default)
        st.session_state[key] = value if _may_be(key, value, choices) else default


def _may_be(key: str, value: Any, choices: dict[str, tuple[Any, ...]]) -> bool:
    """Whether a control of the form may have this value."""
    if key in choices:
        return any(value is choice or (type(value) is type(choice) and value == choice) for choice in choices[key])
    if key == "check.d_k":
        return value is None or (type(value) is int and 1 <= value <= MAX_D)
    if key == "check.temperature":
        return type(value) in (int, float) and MIN_TEMPERATURE <= value <= MAX_TEMPERATURE
    return isinstance(value, str)
