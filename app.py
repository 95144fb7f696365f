"""The app: page config, navigation and the set-up that all pages share."""

import streamlit as st

from attnviz import app
from attnviz.words import say

PAGES = ("playground", "lesson", "compare", "questions", "scaling", "check")

# A picture of its own: an emoji that a machine lacks is an empty box, and Streamlit fetches its icons from elsewhere.
st.set_page_config(page_title=say("app.title"), page_icon=app.ICON, layout="wide", initial_sidebar_state=272)
page = st.navigation(
    [st.Page(f"pages/{name}.py", title=say(f"app.{name}.title"), default=name == PAGES[0]) for name in PAGES]
)
name = next(name for name in PAGES if say(f"app.{name}.title") == page.title)
headline = app.show_headline(say("app.name"), say(f"app.{name}.line"))
with app.shared_setup(headline):
    page.run()
