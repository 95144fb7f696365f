"""What features ask, for whoever asks it elsewhere: a class, Share."""

from collections.abc import Callable, Mapping
from typing import Any

from attnviz.feature import filled
from attnviz.predicting.asked import Asked
from attnviz.words import by_language


class Asks:
    """What one feature asks; each question has a name, as in links."""

    def subjects(self) -> Mapping[str, Mapping[str, str]]:
        """Return the titles of what can be asked: subject, then name."""
        raise NotImplementedError

    def asked(self, about: str) -> Asked | None:
        """Return what is asked by this name; None if unknown."""
        raise NotImplementedError

    def here(self, page: str, take: Callable[[str], Any]) -> str:
        """Return the name of what a page asks now; blank for nothing.

        `take` returns the value of a link's parameter.
        """
        raise NotImplementedError

    def drawn(self, about: str) -> Any:
        """Return what `board_page` draws of it, or None."""
        return None

    def has_board(self, about: str) -> bool:
        """Whether that is a board, and not tables."""
        return False

    def told(self, about: str) -> Mapping[str, str]:
        """Return what the app's address says where the outcome is told."""
        raise NotImplementedError


def asks() -> tuple[Asks, ...]:
    """Return what each feature asks."""
    return tuple(make() for make in filled("asks").values())


def subjects() -> dict[str, Mapping[str, str]]:
    """Return the titles of all that can be asked: subject, then name."""
    return {title: names for each in asks() for title, names in each.subjects().items()}


@by_language(64)
def asked_of(about: str) -> Asked | None:
    """Return what is asked by this name; None if unknown."""
    return next((asked for each in asks() if (asked := each.asked(about))), None)


def has_board(about: str) -> bool:
    """Whether what has this name stands on a board."""
    return any(each.has_board(about) for each in asks())


def told_of(about: str) -> Mapping[str, str]:
    """Return what the app's address says where its outcome is told."""
    return next((told for each in asks() if (told := each.told(about))), {})


def asked_here(page: str, take: Callable[[str], Any]) -> str:
    """Return the name of what a page asks now; blank for nothing."""
    return next((about for each in asks() if (about := each.here(page, take))), "")


def drawn_of(about: str) -> Any:
    """Return what `board_page` draws of what has this name, or None."""
    return next((drawn for each in asks() if (drawn := each.drawn(about)) is not None), None)
