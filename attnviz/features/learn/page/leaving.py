"""What becomes of trainings when another page is open."""

from attnviz.features.learn.page.running import leave


def left(page: str) -> None:
    """Stop this session's trainings on every page but theirs."""
    if page != "learn":
        leave()
