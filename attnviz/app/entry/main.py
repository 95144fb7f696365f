"""The script that Streamlit runs: page config, navigation and shared set-up."""

import streamlit as st

from attnviz import app
from attnviz.commands.main import site
from attnviz.feature import DOORS as EVERY_DOOR
from attnviz.feature import filled
from attnviz.feature import pages as of_features
from attnviz.words import say

# The pages behind each door. The first door has no name: the bar shows its pages directly.
DOORS = {door: tuple(page.name for page in of_features(door)) for door in EVERY_DOOR}
PAGES = tuple(page for pages in DOORS.values() for page in pages)
HIDDEN = tuple(page.name for page in of_features() if page.hidden)
# On these pages, the set-up has no effect.
OWN_EXAMPLES = tuple(page.name for page in of_features() if not page.sets_up)


def show_page() -> None:
    """Draw the page that is open."""
    with app.watched_run() as run:
        # The icon is an image of our own: on machines without an emoji's font, an emoji is an empty box, and Streamlit
        # loads its icons from another server.
        st.set_page_config(
            page_title=say("app.title"), page_icon=app.ICON, layout="wide", initial_sidebar_state="collapsed"
        )
        pages = {
            name: st.Page(
                site() / "pages" / f"{name}.py", title=say(f"app.{name}.title"), help=say(f"app.{name}.line"),
                default=name == PAGES[0], visibility="hidden" if name in HIDDEN else "visible",
            )
            for name in PAGES
        }  # fmt: skip
        doors = {
            say(f"app.doors.{door}") if door else "": [pages[each] for each in behind] for door, behind in DOORS.items()
        }
        page = st.navigation(doors, position="top")
        run.page = next(name for name in PAGES if pages[name] == page)
        for left in filled("left").values():
            left(run.page)
        door = next(i for i, behind in enumerate(DOORS.values()) if run.page in behind)
        share = app.show_top_bar(run.page, door, sets_up=run.page not in OWN_EXAMPLES)
        with app.shared_setup(share, page.url_path, own_examples=run.page in OWN_EXAMPLES):
            page.run()
        app.show_foot()


if __name__ == "__main__":  # true when Streamlit runs it; the server only imports it while it gets ready
    show_page()
