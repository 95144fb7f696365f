"""What is typed into the form of Check my numbers, kept: as one text of the URL, so that reload, Back and a copied link
restore it, and set aside when the form is filled anew.
"""

import json
from typing import Any

import streamlit as st

from attnviz.app.session import state, url_texts
from attnviz.app.text import literal
from attnviz.core.limits import MAX_D, MAX_TEMPERATURE, MIN_TEMPERATURE
from attnviz.core.tokens import is_whole_text
from attnviz.link.packing import pack, unpack
from attnviz.link.parameter_table import Unreadable, why_unreadable
from attnviz.words import say

MOST_UNPACKED = 2_000_000
MOST_ASIDE = 5
_PACKED, _TOO_LONG, _ASIDE, _LOADED = "check.packed", "check.too_long", "check.aside", "check.loaded"


def keep(form: dict[str, Any], defaults: dict[str, Any]) -> bool:
    """Write the form, by the keys of its controls, into the URL; return whether it fits there."""
    typed = {key: value for key, value in form.items() if value != defaults[key]}
    text = json.dumps(typed, ensure_ascii=False) if typed else ""
    fits, packed = _packed(text)
    st.session_state[_TOO_LONG] = not fits
    url_texts.send(url_texts.TABLES, packed)
    return fits


def _packed(text: str) -> tuple[bool, str]:
    """Return whether a text fits into the URL, and what stands for it there; packed once, for it takes some time."""
    mark = hash(text)
    before, fits, packed = st.session_state.get(_PACKED, (None, True, ""))
    if mark != before:
        packed = pack(text) if text and len(text.encode("utf-8", "surrogatepass")) <= MOST_UNPACKED else ""
        fits = not text or 0 < len(packed) <= url_texts.MOST_OF_TABLES
        packed = packed if fits else ""
        st.session_state[_PACKED] = mark, fits, packed
    return fits, packed


def take(defaults: dict[str, Any], choices: dict[str, tuple[Any, ...]]) -> None:
    """Fill the form with what the URL holds, where it has just been opened or gone back to; before it is drawn."""
    packed, arrived = url_texts.receive(url_texts.TABLES)
    # What is typed and stands in no URL is not given up for what an older one holds.
    if not arrived or not packed or st.session_state.get(_TOO_LONG):
        return
    typed, why = _unpacked(packed)
    if typed is None:
        state.say_ignored(say(f"links.unreadable.{why}", what=say("links.unreadable.tables")))
        url_texts.send(url_texts.TABLES, "")
        return
    refused = [key for key, value in typed.items() if key not in defaults or not _may_be(key, value, choices)]
    if refused:
        listed = ", ".join(literal(key) for key in refused[:3])
        listed = say("check.link.names_and", names=listed) if len(refused) > 3 else listed
        state.say(say("check.link.parts", names=listed))
    st.session_state.update(
        {key: default if key in refused else typed.get(key, default) for key, default in defaults.items()}
    )


def _unpacked(packed: str) -> tuple[dict[str, Any] | None, Unreadable]:
    """Return the typed texts by the keys of their controls, or None and why there are none to be read."""
    try:
        typed = json.loads(unpack(packed, MOST_UNPACKED))
    except ValueError as error:
        return None, why_unreadable(error)
    except RecursionError:
        return None, "damaged"
    return (typed, "") if isinstance(typed, dict) else (None, "damaged")


def _may_be(key: str, value: Any, choices: dict[str, tuple[Any, ...]]) -> bool:
    """Whether a control of the form may have this value."""
    if key in choices:
        return any(value is choice or (type(value) is type(choice) and value == choice) for choice in choices[key])
    if key == "check.d_k":
        return value is None or (type(value) is int and 1 <= value <= MAX_D)
    if key == "check.temperature":
        return type(value) in (int, float) and MIN_TEMPERATURE <= value <= MAX_TEMPERATURE
    return isinstance(value, str) and is_whole_text(value)


def set_aside(form: dict[str, Any], defaults: dict[str, Any]) -> None:
    """Keep a form that is about to be filled anew, unless it is blank or as it was loaded; in a callback."""
    if _is_typed(form, defaults):
        st.session_state[_ASIDE] = [*st.session_state.get(_ASIDE, []), form][-MOST_ASIDE:]


def _is_typed(form: dict[str, Any], defaults: dict[str, Any]) -> bool:
    return form not in (defaults, st.session_state.get(_LOADED))


def was_loaded(form: dict[str, Any]) -> None:
    """Tell that a form holds what was loaded and nothing that was typed."""
    st.session_state[_LOADED] = form


def is_aside() -> bool:
    """Whether a form is set aside."""
    return bool(st.session_state.get(_ASIDE))


def bring_back(form: dict[str, Any], defaults: dict[str, Any]) -> None:
    """Fill the form with what was set aside last, and set this form aside as the first; in a callback."""
    *others, last = st.session_state[_ASIDE]
    st.session_state[_ASIDE] = [form, *others] if _is_typed(form, defaults) else others
    st.session_state.update(last)
