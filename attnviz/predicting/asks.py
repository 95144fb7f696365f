"""The features' questions, for other parts of the app to ask."""

from collections.abc import Callable, Mapping
from typing import Any

from attnviz.feature import filled
from attnviz.predicting.choice_question import ChoiceQuestion
from attnviz.words import by_language


class Asks:
    """The questions of one feature; each has a name, as in links."""

    def subjects(self) -> Mapping[str, Mapping[str, str]]:
        """Return the titles of all its questions, by subject and name."""
        raise NotImplementedError

    def asked(self, about: str) -> ChoiceQuestion | None:
        """Return the question of this name; None if unknown."""
        raise NotImplementedError

    def here(self, page: str, take: Callable[[str], Any]) -> str:
        """Return the name of the question a page asks now, or blank.

        `take` returns the value of a link's parameter.
        """
        raise NotImplementedError

    def drawn(self, about: str) -> Any:
        """Return what `board_page` draws for a question, or None."""
        return None

    def has_board(self, about: str) -> bool:
        """Whether the question is drawn as a board, not as tables."""
        return False

    def told(self, about: str) -> Mapping[str, str]:
        """Return the link parameters that show a question's outcome."""
        raise NotImplementedError


def asks() -> tuple[Asks, ...]:
    """Return each feature's questions."""
    return tuple(make() for make in filled("asks").values())


def subjects() -> dict[str, Mapping[str, str]]:
    """Return the titles of all questions, by subject and name."""
    return {title: names for each in asks() for title, names in each.subjects().items()}


@by_language(64)
def asked_of(about: str) -> ChoiceQuestion | None:
    """Return the question of this name; None if unknown."""
    return next((question for each in asks() if (question := each.asked(about))), None)


def has_board(about: str) -> bool:
    """Whether the question of this name is drawn as a board."""
    return any(each.has_board(about) for each in asks())


def told_of(about: str) -> Mapping[str, str]:
    """Return the link parameters that show a question's outcome."""
    return next((told for each in asks() if (told := each.told(about))), {})


def asked_here(page: str, take: Callable[[str], Any]) -> str:
    """Return the name of the question a page asks now, or blank."""
    return next((about for each in asks() if (about := each.here(page, take))), "")


def drawn_of(about: str) -> Any:
    """Return what `board_page` draws for the question of this name."""
    return next((drawn for each in asks() if (drawn := each.drawn(about)) is not None), None)
