"""What the bare address of the page says."""

from collections.abc import Mapping

from attnviz.features.models.parameters import first_model


def bare_says(page: str) -> Mapping[str, str]:
    """Return what this page's bare address says; nothing for others."""
    return first_model() if page == "model" else {}
