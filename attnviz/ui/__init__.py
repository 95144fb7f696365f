"""All of the package that draws on a Streamlit page."""

from attnviz.ui.setup import shared_setup
from attnviz.ui.state import current_scenario, digits
from attnviz.ui.text import show_headline

__all__ = ["current_scenario", "digits", "shared_setup", "show_headline"]
