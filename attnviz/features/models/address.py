"""The query that the page's bare address stands for."""

from collections.abc import Mapping

from attnviz.features.models.parameters import first_model


def bare_says(page: str) -> Mapping[str, str]:
    """Return the query of this page's bare address; nothing for others."""
    return first_model() if page == "model" else {}
