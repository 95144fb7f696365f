"""The script that Streamlit runs: page config, navigation and the set-up that all pages share."""

import streamlit as st

from attnviz import app
from attnviz.commands.app import site
from attnviz.words import say

PAGES = ("playground", "lesson", "questions", "compare", "model", "learn", "history", "scaling", "check")
OWN_EXAMPLES = ("questions", "check", "model", "learn", "history")  # there, the set-up plays no part


def show_page() -> None:
    """Draw the page that is open."""
    with app.watched_run() as run:
        # A picture of its own: an emoji that a machine lacks is an empty box, and Streamlit fetches icons from
        # elsewhere.
        st.set_page_config(
            page_title=say("app.title"), page_icon=app.ICON, layout="wide", initial_sidebar_state="collapsed"
        )
        pages = {
            name: st.Page(
                site() / "pages" / f"{name}.py", title=say(f"app.{name}.title"), help=say(f"app.{name}.line"),
                default=name == PAGES[0],
            )
            for name in PAGES
        }  # fmt: skip
        page = st.navigation(list(pages.values()), position="top")
        run.page = next(name for name in PAGES if pages[name] == page)
        if run.page != "learn":
            app.leave_training()
        share = app.show_top_bar(run.page)
        with app.shared_setup(share, page.url_path, own_examples=run.page in OWN_EXAMPLES):
            page.run()
        app.show_foot()


if __name__ == "__main__":  # so Streamlit runs it; when the server gets ready, it's only imported
    show_page()
