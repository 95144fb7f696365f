"""Playlists: the strip that leads through pages, and their editor in Share."""

from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from attnviz.app.parts.charts import download
from attnviz.app.session import page_record, state, url_texts
from attnviz.app.session.component import component
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import take
from attnviz.app.text import literal
from attnviz.features.share.playlist_text import MOMENT, PLAYLIST, Moment, read_lines, text_of
from attnviz.link.parameter_table import PRESENT, texts
from attnviz.link.state import as_the_app_opens
from attnviz.words import say

_strip = component(
    "playlist",
    '<nav hidden><a class="before">‹</a><span class="at"></span><a class="next">›</a><span class="said"></span>'
    '<button type="button">×</button></nav>',
    Path(__file__).parent / "playlist.js",
)


def show_strip() -> None:
    """Draw the playlist's current moment, its note, and links to its neighbours."""
    moments: tuple[Moment, ...] = take(PLAYLIST)
    n = min(take(MOMENT), len(moments))
    names = ("label", "before", "next", "end")
    data: dict[str, Any] = {name: say(f"share.playlist.{name}") for name in names}
    data |= {"gone": [PLAYLIST, MOMENT], "ways": {}, "stays": PRESENT}
    if moments:
        data["ways"] = {way: _link(moments, to) for way, to in (("before", n - 1), ("next", n + 1))}
        data |= {"at": say("share.playlist.at", n=n, count=len(moments)), "said": moments[n - 1].said}
    _strip(key="playlist", data=data)


def _link(moments: tuple[Moment, ...], n: int) -> str | None:
    """Return the link to a moment; None outside the playlist."""
    if not 0 < n <= len(moments):
        return None
    held = as_the_app_opens(dict(parse_qsl(moments[n - 1].query, keep_blank_values=True)))
    return f"./{moments[n - 1].page}?{urlencode({**held, PLAYLIST: texts()[PLAYLIST].write(moments), MOMENT: n})}"


def show_playlist() -> None:
    """Draw the playlist as editable lines, with a button for this page."""
    moments: tuple[Moment, ...] = take(PLAYLIST)
    with st.expander(say("share.playlist.label"), expanded=bool(moments)):
        st.caption(say("share.playlist.about"))
        held = this_session().held("share.playlist.lines", text_of(moments), lambda lines: _put(str(lines or ""), n=1))
        st.text_area(say("share.playlist.lines"), height=140, **held)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(say("share.playlist.add"), key="share.playlist.add", on_click=partial(_add, moments))
            if moments:
                label, text = say("share.playlist.download"), text_of(moments)
                download(label, text, "playlist.txt", "share.playlist.file", type="tertiary")
                st.link_button(say("share.playlist.open"), str(_link(moments, 1)), type="tertiary")


def _add(moments: tuple[Moment, ...]) -> None:
    page, query = page_record.current_place()
    _put(text_of(moments) + f"/{page}?{query}", n=len(moments) + 1)


def _put(lines: str, n: int) -> None:
    """Make these lines the playlist; if one is invalid, only say so."""
    moments, error = read_lines(lines, list(page_record.pages().values()))
    if error:
        state.add_message(texts()[PLAYLIST].refusal(lines, error, literal))
        return
    url_texts.put(PLAYLIST, moments)
    url_texts.put(MOMENT, min(n, max(1, len(moments))))
