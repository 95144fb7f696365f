"""The app: `streamlit run app.py` from any folder, `attnviz app`, the image."""

import streamlit as st

from attnviz.app.entry import SCRIPT
from attnviz.app.server import lifespan, middleware, routes
from attnviz.app.shell.messages import tell
from attnviz.app.streamlit_internals import replace_parts

replace_parts()
app = st.App(SCRIPT, middleware=middleware(), routes=routes(), lifespan=lifespan, on_script_error=tell)
