"""What is typed into the form of Check my numbers, kept: as one text of the URL, so that reload, Back and a copied link
restore it, and set aside when the form is filled anew.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from attnviz.app.session import url_texts
from attnviz.app.session.address import came_back
from attnviz.app.session.link_values import receive
from attnviz.link.parameter_table import MOST_OF_TABLES, TABLES, texts
from attnviz.link.typed_form import DEFAULTS

MOST_ASIDE = 5
_PACKED, _TOO_LONG, _ASIDE, _LOADED = "check.packed", "check.too_long", "check.aside", "check.loaded"


def keep(form: dict[str, Any]) -> bool:
    """Write the form, by the keys of its controls, into the URL; return whether it fits there."""
    fits, packed = _packed(form)
    st.session_state[_TOO_LONG] = not fits
    url_texts.send(TABLES, packed)
    return fits


def _packed(form: dict[str, Any]) -> tuple[bool, str]:
    """Return whether a form fits into the URL, and what stands for it there; packed once, for it takes some time."""
    mark = hash(tuple(form.items()))
    before, fits, packed = st.session_state.get(_PACKED, (None, True, ""))
    if mark != before:
        packed = texts()[TABLES].codec.encode(form)
        fits = form == DEFAULTS or 0 < len(packed) <= MOST_OF_TABLES
        packed = packed if fits else ""
        st.session_state[_PACKED] = mark, fits, packed
    return fits, packed


def take() -> None:
    """Fill the form with what the URL holds, where it has just been opened or gone back to; before it is drawn."""
    # What is typed and stands in no URL is not given up for what an older one holds.
    if not st.session_state.get(_TOO_LONG):
        typed, arrived = receive(TABLES)
        if arrived and not came_back():  # else the page still holds what was typed into it when its server went
            fill(typed)


def fill(typed: Mapping[str, Any]) -> None:
    """Fill the form with what was typed, where that is anything."""
    if typed:
        st.session_state.update({**DEFAULTS, **typed})


def set_aside(form: dict[str, Any]) -> None:
    """Keep a form that is about to be filled anew, unless it is blank or as it was loaded; in a callback."""
    if _is_typed(form):
        st.session_state[_ASIDE] = [*st.session_state.get(_ASIDE, []), form][-MOST_ASIDE:]


def _is_typed(form: dict[str, Any]) -> bool:
    return form not in (DEFAULTS, st.session_state.get(_LOADED))


def was_loaded(form: dict[str, Any]) -> None:
    """Tell that a form holds what was loaded and nothing that was typed."""
    st.session_state[_LOADED] = form


def is_aside() -> bool:
    """Whether a form is set aside."""
    return bool(st.session_state.get(_ASIDE))


def bring_back(form: dict[str, Any]) -> None:
    """Fill the form with what was set aside last, and set this form aside as the first; in a callback."""
    *others, last = st.session_state[_ASIDE]
    st.session_state[_ASIDE] = [form, *others] if _is_typed(form) else others
    st.session_state.update(last)
