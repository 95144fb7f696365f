"""Ways from one feature to another, without importing it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from attnviz.feature import filled


@dataclass(frozen=True)
class Way:
    """A link within the app: its title, page and query."""

    title: str
    page: str
    query: Mapping[str, str] = field(default_factory=dict)


def way_to(feature: str, **place: Any) -> Way | None:
    """Return the way to a place of a feature, or None.

    `place` holds the arguments of the feature's function for the slot `way`, which defines its places.
    """
    find = filled("way").get(feature)
    way: Way | None = find(**place) if find else None
    return way


def ways_beside(place: str, **what: Any) -> Iterator[Way]:
    """Yield the ways to features that belong beside a place.

    A place has a name, such as "lesson"; `what` describes it further, for example by its step. A feature ignores names
    that it doesn't know.
    """
    for find in filled("beside").values():
        yield from find(place, **what)
