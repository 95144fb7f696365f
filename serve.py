"""The app as it is served: app.py, with what a server adds to it."""

import streamlit as st

from attnviz.app.server import lifespan, middleware, routes

app = st.App("app.py", middleware=middleware(), routes=routes(), lifespan=lifespan)
