"""The bar at the top of every page, and all pages' style.

Streamlit draws the bar with the tabs, and its menu for light and dark; what stands beside them is ours, laid over it.
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

# What the theme calls the colours of the page, and what the style of all pages calls them.
_COLOURS = {"ink": "textColor", "page": "backgroundColor", "shade": "secondaryBackgroundColor", "edge": "borderColor"}


def _colours() -> str:
    """Return the theme's colours, and the matrices', as CSS for all pages.

    Without a theme of its own, as where the app runs without its settings, a page has the browser's colours.
    """
    browsers = {"ink": "CanvasText", "page": "Canvas", "shade": "Canvas", "edge": "GrayText"}
    lines = []
    for name, option in _COLOURS.items():
        light, dark = (st.get_option(f"theme.{theme}.{option}") for theme in ("light", "dark"))
        both = f"light-dark({light}, {dark})" if light and dark else browsers[name]
        lines.append(f"--attnviz-{name}: {both};")
    lines += [f"--attnviz-{role}: light-dark({tone.light}, {tone.dark});" for role, tone in ROLES.items()]
    return f":root {{ {' '.join(lines)} }}\n"


# Nothing to see. A component, drawn first of all, makes the browser fetch what components need before what two dozen
# widgets need: the board stands on the first visit 0.4 s earlier. It brings the style of all pages along.
_first = component(
    "first",
    "<span></span>",
    css=_colours() + CONTROLS + "".join((_HERE / f"{name}.css").read_text() for name in _STYLES),
    isolate_styles=False,
)

# Streamlit mounts the children of a popover only while it is open, and a control that isn't mounted is not in the
# address. So the set-up always stands in the page, and the browser alone shows and hides it.
_opener = component(
    "opener", '<button class="opener" type="button"></button>', _HERE / "opener.js", isolate_styles=False
)

# What the app is called, and with it what there is nothing to see of: each place is seen from its top, its door is
# marked, and another run is asked for where the reader's theme becomes another.
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
        # The same in each run: one that is drawn anew takes the style away for a moment.
        _first(key="first_component", height=1)
        address.hear()
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
