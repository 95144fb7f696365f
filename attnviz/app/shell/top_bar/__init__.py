"""The bar at the top of every page, and all pages' style.

Streamlit draws the bar with the tabs and the menu for light and dark; our own buttons lie over the bar, beside these.
"""

from pathlib import Path

import streamlit as st

from attnviz.app.session import address, url_texts
from attnviz.app.session.component import component
from attnviz.app.session.session import this_session
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.app.text import is_dark
from attnviz.colours.palette import ROLES
from attnviz.feature import pages
from attnviz.scripts import CONTROLS
from attnviz.words import say

_HERE = Path(__file__).parent
_STYLES = "page", "controls", "top_bar", "overlays", "presenting"
ICON = str(_HERE / "icon.svg")

# Our names of the page's colours, and the names that Streamlit's theme has for them.
_COLOURS = {"ink": "textColor", "page": "backgroundColor", "shade": "secondaryBackgroundColor", "edge": "borderColor"}


def _colours() -> str:
    """Return the theme's colours, and the matrices', as CSS for all pages.

    Without a theme, as when the app runs without its settings, a page has the browser's colours.
    """
    browsers = {"ink": "CanvasText", "page": "Canvas", "shade": "Canvas", "edge": "GrayText"}
    lines = []
    for name, option in _COLOURS.items():
        light, dark = (st.get_option(f"theme.{theme}.{option}") for theme in ("light", "dark"))
        both = f"light-dark({light}, {dark})" if light and dark else browsers[name]
        lines.append(f"--attnviz-{name}: {both};")
    lines += [f"--attnviz-{role}: light-dark({tone.light}, {tone.dark});" for role, tone in ROLES.items()]
    return f":root {{ {' '.join(lines)} }}\n"


# An invisible component. Because it is drawn first of all, the browser fetches the scripts of components before those
# of two dozen widgets, and the first visit shows the board 0.4 s earlier. It also carries the style of all pages.
_first = component(
    "first",
    "<span></span>",
    css=_colours() + CONTROLS + "".join((_HERE / f"{name}.css").read_text() for name in _STYLES),
    isolate_styles=False,
)

# Streamlit mounts the content of a popover only while it is open, and a control that isn't mounted isn't in the
# address. So the set-up is always on the page, and only the browser shows and hides it.
_opener = component(
    "opener", '<button class="opener" type="button"></button>', _HERE / "opener.js", isolate_styles=False
)

# The app's name. The same component has invisible tasks: it scrolls each new place to its top, marks the place's door,
# and asks for another run when the reader's theme changes.
_name = component(
    "name",
    '<h1 class="app-name"></h1><span class="theme"></span>',
    _HERE / "arriving.js",
    css=".theme { color: var(--st-text-color); transition: color 1ms; }",
    isolate_styles=False,
)


def show_top_bar(page: str, door: int, *, sets_up: bool) -> DeltaGenerator:
    """Draw the bar with door `door` open; return the place for Share."""
    this_session().page = page
    with st.container(key="first"):
        # Its data never changes: if it were drawn anew, the style would be missing for a moment.
        _first(key="first_component", height=1)
        address.receive()
    with st.container(key="name"):
        parts = next(each.parts for each in pages() if each.name == page)[:1]
        place = f"{page}/{''.join(url_texts.current(each) for each in parts)}"
        drawn = "dark" if is_dark() else "light"
        data = {"name": say("app.name"), "place": place, "door": door, "setsUp": sets_up, "drawn": drawn}
        _name(key="app_name", data=data, on_theme_change=lambda: None)
    with st.container(horizontal=True, key="top_bar"):
        if sets_up:
            _opener(key="opener.setup", data={"opens": "setup", "label": say("setup.heading")})
        return st.container(key="share_place", width="content")
