"""The app: page config, navigation and the set-up that all pages share."""

import streamlit as st

from attnviz import app
from attnviz.words import say

PAGES = ("playground", "lesson", "questions", "compare", "scaling", "check")
OWN_EXAMPLES = ("questions", "check")  # there, the set-up plays no part

# A picture of its own: an emoji that a machine lacks is an empty box, and Streamlit fetches its icons from elsewhere.
st.set_page_config(page_title=say("app.title"), page_icon=app.ICON, layout="wide", initial_sidebar_state="collapsed")
pages = {
    name: st.Page(
        f"pages/{name}.py", title=say(f"app.{name}.title"), help=say(f"app.{name}.line"), default=name == PAGES[0]
    )
    for name in PAGES
}
page = st.navigation(list(pages.values()), position="top")
share = app.show_top_bar()
with app.shared_setup(share, own_examples=page in [pages[name] for name in OWN_EXAMPLES]):
    page.run()
