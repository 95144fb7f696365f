"""All of the package that draws on a Streamlit page."""

from attnviz.ui.headline import show_headline
from attnviz.ui.setup import shared_setup
from attnviz.ui.state import current_scenario, digits

__all__ = ["current_scenario", "digits", "shared_setup", "show_headline"]
