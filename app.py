"""The app as it is served: `streamlit run app.py`, from whatever folder; `attnviz app` and the image do the same."""

import streamlit as st

from attnviz.app.entry import SCRIPT
from attnviz.app.server import lifespan, middleware, routes
from attnviz.app.shell.messages import tell

app = st.App(SCRIPT, middleware=middleware(), routes=routes(), lifespan=lifespan, on_script_error=tell)
