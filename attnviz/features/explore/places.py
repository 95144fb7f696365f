"""The switches of What if, for the search."""

from collections.abc import Iterator

from attnviz.core.what_if import PLACES, TYPED
from attnviz.features.explore.switch_predictions import choice_of
from attnviz.words import say


def places() -> Iterator[tuple[str, str, str]]:
    """Yield each switch's name, title and text."""
    for switch in PLACES:
        if switch != TYPED:
            yield switch, choice_of(switch), say(f"what_if.{switch.replace('-', '_')}.more")
