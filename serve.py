"""The app as it is served: app.py, each page of which knows where its server is."""

import streamlit as st
from starlette.middleware import Middleware

from attnviz.app.shell.serving import SaysWhere

app = st.App("app.py", middleware=[Middleware(SaysWhere)])
