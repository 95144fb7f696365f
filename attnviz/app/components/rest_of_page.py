"""What a board that has run by itself tells its page: whether the rest is behind, and what the address should say.

An edit or a pick runs the board alone. What stands around it follows with a run of the whole page, which costs a server
more than everything before: the board asks for it only where the rest shows something of what changed, and once the
hand rests (board/behind.js). Where no more of it shows numbers than the list of edits, only that runs; a text that is
new in the address makes all of it run once.
"""

from collections.abc import Hashable
from typing import Any

import streamlit as st

from attnviz.app.parts import listed_edits
from attnviz.app.parts.editor import TABLES
from attnviz.app.parts.own_share import SHARE
from attnviz.app.parts.what_if_panel import PANEL
from attnviz.app.session import address, state, url_texts
from attnviz.app.session.answering import answers
from attnviz.app.streamlit_internals import is_fragment_run, kept

SOON, LATER, LIST = "soon", "later", "list"  # the last where nothing but the list of edits is behind
_DRAWN, _NOW, _LISTS = "rest_of_page.drawn", "rest_of_page.now", "rest_of_page.lists"


def of_this_run(key: str, numbers: str, seen: Hashable, *, follows_picks: bool) -> dict[str, Any]:
    """Return what the board of this key is sent of the rest of its page.

    `numbers` are those that are shown, `seen` is what is picked of them, which the rest may follow or not: Share shows
    both, while it is open. What there is to say stands above the page, and is not put off; nor is what can be clicked
    and acts on the numbers that it was drawn with.
    """
    now = st.session_state[_NOW] = key, numbers, seen
    if not is_fragment_run():
        st.session_state[_DRAWN] = now
        st.session_state[_LISTS] = not follows_picks
        return {"behind": "", "learnt": None}
    before = kept(_DRAWN)
    same = before is not None and before[:2] == now[:2]
    shown = follows_picks or bool(st.session_state.get(SHARE))
    behind = not same or (before != now and shown) or url_texts.is_any_new()
    learnt = {"answered": answers(), "address": address.expected_after_a_part()}
    return {"behind": _how(behind), "learnt": learnt}


def follow() -> None:
    """Have the rest of the page run in place of the board, which asked for it; in a callback."""
    if not is_fragment_run():  # all of the page runs in any case
        return
    if not state.has_messages() and _is_list_alone(_is_open()):
        st.session_state[_DRAWN] = st.session_state.get(_NOW)
        listed_edits.run_alone()
    else:
        st.rerun()


def _how(behind: bool) -> str:
    is_open = behind and _is_open()
    if state.has_messages() or is_open:
        return SOON
    return "" if not behind else LIST if _is_list_alone(is_open) else LATER


def _is_list_alone(is_open: bool) -> bool:
    """Whether the list of edits is all that may have to follow the board."""
    return bool(kept(_LISTS)) and not (is_open or url_texts.is_any_new())


def _is_open() -> bool:
    """Whether more of the page shows numbers than the board and the list of edits."""
    scenario = state.current_scenario()
    switched = scenario is not None and bool(scenario.what_if)
    return switched or any(st.session_state.get(name) for name in (SHARE, PANEL, TABLES))
