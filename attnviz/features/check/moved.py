"""Links to exercises, which used to be part of the page Check."""

import re


def moved_to(page: str, query: bytes) -> str | None:
    """Return the page that a link has moved to; None if unmoved."""
    return "exercises" if page == "check" and re.search(rb"(^|&)check=exercise(\.|&|$)", query) else None
