"""Stopping trainings when another page is opened."""

from attnviz.features.learn.page.running import leave


def left(page: str) -> None:
    """Stop this session's trainings on any page but Learn."""
    if page != "learn":
        leave()
