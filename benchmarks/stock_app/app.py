"""The yardstick: the least a Streamlit app with torch and plotly can do, under Streamlit's default settings."""

import plotly.graph_objects  # noqa: F401 (what is imported decides how long the collector takes)
import streamlit as st
import torch  # noqa: F401

st.text(f"value {st.slider('Slider', 0, 1000, 500)}")
