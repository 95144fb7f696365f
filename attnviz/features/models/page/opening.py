"""How the page opens, and the model that is loaded in advance."""

from collections.abc import Mapping

from attnviz.features.models.page import result_cache
from attnviz.features.models.page.typing import model_session
from attnviz.link.state import says_nothing


def arrived(page: str, query: Mapping[str, str]) -> None:
    """Note that a session opened this page with a link's parameters."""
    if page == "model" and not says_nothing(query):
        model_session().new = False


def load_first() -> None:
    """Load the model that a bare address opens."""
    result_cache.load_first()
