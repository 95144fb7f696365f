"""A feature: a folder of the app that can be left out.

A feature declares itself in its folder's `__init__.py`, which imports nothing else: a page, say, or addresses, and what
it gives to the places that ask for it (slots). What it says stands in its folder `words`, laid over the catalogue of
the kernel by the names of files. The kernel asks for what there is, and knows no feature by its name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import Any

# Those of this package, in the order in which they are asked.
INSTALLED = (
    "explore",
    "lesson",
    "questions",
    "sweeps",
    "scaling",
    "learn",
    "language_models",
    "models",
    "history",
    "check",
    "classes",
)
ENTRY_POINTS = "attnviz.features"  # other people's: each names a `FEATURE`
SLOTS = (
    "parameters",  # a function that returns its rows of the table of links: link/parameter_table.py
    "places",  # a function that yields its places (name, title, text), for whoever looks for something
    "opens",  # a function that opens one of these, in a callback
    "serves",  # a function that returns what addresses it answers: app/server/answers.py
    "begins",  # a function that is called when the server starts
    "boards",  # a function that returns its boards of a query alone, by what pages ask for: app/server/boards.py
    "bare_says",  # a function that returns what the bare address of a page says, of a page's name: app/server/where.py
    "moved_to",  # a function that returns the page that a page's link has moved to, or None: app/server/where.py
    "script",  # a function that returns the file of a script that is fetched alone: app/components/script_file.py
    "drawn_by",  # a function that returns such a file, where it draws a page and its query: app/server/where.py
    "ready",  # a function that loads early what readers would wait for, once all is imported: app/server/answers.py
    "fills_controls",  # a function that returns what fills controls, by names of parameters: app/shell/opened_link.py
    "arrived",  # a function that is told which page a session opens first, and of what query: app/shell/opened_link.py
    "left",  # a function that is told which page is open, at each run: app/entry/main.py
    "shared_here",  # a function that draws what Share offers beside the link of what is asked: app/shell/share
    "asks",  # makes an `Asks`, what a feature asks wherever questions are asked: predicting/asks.py
    "way",  # a function that returns the `Way` to a place of the feature, or None: link/ways.py
    "beside",  # a function that yields ways, to be drawn at a place of another feature: link/ways.py
)
DOORS = ("", "learning", "models", "checking")  # in the order of the navigation; pages of the first stand before all


@dataclass(frozen=True)
class Page:
    """A page of the app, `pages/NAME.py`, and the door it stands behind."""

    name: str
    door: str  # blank for those before all doors: the first of these is the one that the app opens with
    sets_up: bool = False  # whether the shared set-up plays a part there
    has_board: bool = False  # whether a board stands in it, whose script is fetched with the page
    hidden: bool = False  # whether the navigation leaves it out
    parts: tuple[str, ...] = ()  # parameters of links: the first makes one page several, all say what is open there

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for a door that there isn't."""
        if self.door not in DOORS:
            raise ValueError(f"the page {self.name!r} stands behind {self.door!r}, expected one of {DOORS}")


@dataclass(frozen=True)
class Feature:
    """What a feature is made of, and what it needs."""

    name: str
    needs: tuple[str, ...] = ()  # names of other features, whose modules it may import
    pages: tuple[Page, ...] = ()
    keeps: tuple[str, ...] = ()  # parameters of links that hold what was typed, and outlive a run that fails
    folders: tuple[str, ...] = ()  # of addresses, whose pages need nothing of Streamlit's
    # Each gives "module:name", seen from its package: slots, public names that attnviz hands on, those of
    # attnviz.documents as "documents.name", and commands by the word after `attnviz`.
    fills: Mapping[str, str] = field(default_factory=dict)
    public: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, str] = field(default_factory=dict)
    in_package: str = ""  # by default the folder of its name in attnviz.features

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for a slot that nobody asks for."""
        if unknown := sorted(self.fills.keys() - set(SLOTS)):
            raise ValueError(f"the feature {self.name!r} fills {unknown}, expected some of {sorted(SLOTS)}")

    @property
    def folder(self) -> Traversable:
        """Where it stands."""
        return files(self.package)

    @property
    def package(self) -> str:
        """The name of its package."""
        return self.in_package or f"attnviz.features.{self.name}"

    def given(self, slot: str) -> Any:
        """Return what it gives to a slot, imported now."""
        return self.named(self.fills[slot])

    def named(self, place: str) -> Any:
        """Return its "module:name", imported now."""
        return resolve_name(f"{self.package}.{place}")


@cache
def features() -> tuple[Feature, ...]:
    """Return the features that are there, with all that they need."""
    own = (f"attnviz.features.{name}" for name in INSTALLED)
    found = [import_module(package).FEATURE for package in own if find_spec(package)]
    found += [entry.load() for entry in entry_points(group=ENTRY_POINTS)]
    return with_their_needs(found)


def with_their_needs(found: list[Feature]) -> tuple[Feature, ...]:
    """Leave out what needs a feature that isn't there.

    >>> [each.name for each in with_their_needs([Feature("a"), Feature("b", needs=("c",)), Feature("d", needs=("b",))])]
    ['a']
    """
    names = {each.name for each in found}
    whole = [each for each in found if names.issuperset(each.needs)]
    return tuple(found) if len(whole) == len(found) else with_their_needs(whole)


def pages(door: str | None = None) -> tuple[Page, ...]:
    """Return the pages of all features, or those behind a door."""
    return tuple(page for each in features() for page in each.pages if door in (None, page.door))


def public_names(module: str) -> list[str]:
    """Return the names that features bring to a module of attnviz."""
    names = (f"attnviz.{name}".rpartition(".") for each in features() for name in each.public)
    return [name for of, _, name in names if of == module]


def public(module: str, name: str) -> Any:
    """Return such a name; ``AttributeError`` where none brings it."""
    called = f"{module}.{name}".removeprefix("attnviz.")
    for each in features():
        if called in each.public:
            return each.named(each.public[called])
    raise AttributeError(f"module {module!r} has no attribute {name!r}")


def filled(slot: str) -> dict[str, Any]:
    """Return what is given to a slot, by the names of features."""
    assert slot in SLOTS, slot
    return {each.name: each.given(slot) for each in features() if slot in each.fills}
