"""The app on Streamlit's Community Cloud, whose packages stand in the file beside this one."""

import os
import sys
from pathlib import Path

import streamlit as st

sys.path.insert(0, str(Path(__file__).parents[2]))
# Its disk is forgotten at each restart, so it keeps no classes, and only its own proxy reaches it.
for name, value in {"ATTNVIZ_DATABASE": "off", "FORWARDED_ALLOW_IPS": "*"}.items():
    os.environ.setdefault(name, value)

from attnviz.app.entry import SCRIPT  # noqa: E402
from attnviz.app.server import lifespan, middleware, routes  # noqa: E402
from attnviz.app.shell.messages import tell  # noqa: E402
from attnviz.app.streamlit_internals import replace_parts  # noqa: E402

replace_parts()
# As in app.py: Streamlit looks for this call in the file that it starts, without running it.
app = st.App(SCRIPT, middleware=middleware(), routes=routes(), lifespan=lifespan, on_script_error=tell)
