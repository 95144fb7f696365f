"""The app: page config, navigation and the set-up that all pages share."""

import streamlit as st

from attnviz import ui

st.set_page_config(page_title="attnviz: self-attention with the real numbers", page_icon="🔎", layout="wide")
page = st.navigation([st.Page("pages/playground.py", title="Playground", default=True)])
with ui.shared_setup():
    page.run()
