"""A table of tokens with what is measured of each: its number, as everywhere, and a bar."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from attnviz.words import say
from attnviz.words.numbers import written

_NO_TEXT = " "  # Streamlit writes a number into each bar, and by another rule than all other numbers


class Measured(NamedTuple):
    """One measure: a number for each token, what a full bar stands for, and how its numbers are written."""

    title: str
    values: Sequence[float]
    most: float
    digits: int
    percent: bool = False

    @property
    def texts(self) -> list[str]:
        """Return its numbers as every other view writes them."""
        texts = [written(value, self.digits) for value in self.values]
        return [say("board.share.percent", share=text) for text in texts] if self.percent else texts


def show_measured(key: str, title: str, tokens: Sequence[str], measures: Mapping[str, Measured]) -> None:
    """Draw a row for each token, its `title` above; each measure is a column of numbers and one of bars."""
    columns: dict[str, Sequence[object]] = {"token": tokens}
    shown: dict[str, Any] = {"token": st.column_config.TextColumn(title)}
    for name, measure in measures.items():
        columns |= {f"{name}.text": measure.texts, name: measure.values}
        shown[f"{name}.text"] = st.column_config.TextColumn(measure.title, alignment="right")
        shown[name] = st.column_config.ProgressColumn(
            _NO_TEXT, width="small", min_value=0.0, max_value=measure.most or 1.0, format=_NO_TEXT
        )
    st.dataframe(columns, hide_index=True, width=720, key=key, column_config=shown)
