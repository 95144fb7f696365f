"""Ways from one feature to another, of which neither imports the other."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from attnviz.feature import filled


@dataclass(frozen=True)
class Way:
    """A way to a page, by its title and address."""

    title: str
    page: str
    query: Mapping[str, str] = field(default_factory=dict)


def way_to(feature: str, **place: Any) -> Way | None:
    """Return the way to a place of a feature, or None.

    Which places there are, the feature says: the function that it gives to the slot `way` takes them.
    """
    find = filled("way").get(feature)
    way: Way | None = find(**place) if find else None
    return way


def ways_beside(place: str, **what: Any) -> Iterator[Way]:
    """Yield the ways to features that belong beside a place.

    A place has a name, such as "lesson", and says what stands there, such as its step. A feature passes over names
    that it doesn't know.
    """
    for find in filled("beside").values():
        yield from find(place, **what)
