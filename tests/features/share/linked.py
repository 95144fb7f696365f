"""Values for its rows in the table of links, used by tests/unit/server/test_parameter_table.py."""

from typing import Any

from hypothesis import strategies as st

from attnviz.features.share.playlist_text import PLAYLIST_TEXT, Moment

moments = st.builds(
    Moment,
    st.sampled_from(["", "lesson", "model"]),
    st.sampled_from(["seed=7", "text=a+%26+b%3F&query=1"]),
    st.text(st.characters(categories=["L", "N", "P"]), max_size=20),
)
OWN: list[tuple[object, st.SearchStrategy[Any]]] = [(PLAYLIST_TEXT, st.lists(moments, max_size=8).map(tuple))]
