"""The slider of the exponent by which a reader looks for the root: p in d^p."""

from typing import Any

import streamlit as st

from attnviz.scaling.settings import MAX_P


def show_exponent(label: str, key: str, **more: Any) -> float:
    """Draw the slider and return where it stands; `more` as st.slider takes it."""
    return round(st.slider(label, 0.0, MAX_P, step=0.05, key=key, **more), 2)
