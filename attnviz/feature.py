"""A feature: a folder of the app that can be left out.

A feature declares itself in its folder's `__init__.py`, which imports nothing else. It declares, for example, pages and
addresses, and what it gives to the places of the app that ask for it (slots). Its folder `words` holds its sentences;
they are added to the kernel's catalogue, file by file of the same name. The kernel asks which features there are, and
knows none by name.
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

# The features of this package, in the order in which the app calls them.
INSTALLED = (
    "tables",
    "share",
    "explore",
    "lesson",
    "questions",
    "sweeps",
    "scaling",
    "stories",
    "learn",
    "language_models",
    "models",
    "arrays",
    "history",
    "costs",
    "check",
    "classes",
    "site",
)
ENTRY_POINTS = "attnviz.features"  # for features of other packages: each entry point names a `FEATURE`
# Features fill slots with functions. The comment beside a slot says what its functions do.
SLOTS = (
    "parameters",  # returns the feature's rows of the table of links: link/parameter_table.py
    "places",  # yields the feature's places (name, title, text), for readers who search for something
    "opens",  # opens one of these places, in a callback
    "serves",  # returns the addresses that the feature answers: app/server/endpoints.py
    "begins",  # is called when the server starts
    "boards",  # returns the boards that depend on a query alone, by the name that pages ask for: app/server/boards.py
    "bare_says",  # returns the query that a page's bare address stands for: app/server/page_html.py
    "moved_to",  # returns the page that a page's link has moved to, or None: app/server/page_html.py
    "script",  # returns the file of a script that pages fetch separately: app/components/script_file.py
    "drawn_by",  # returns such a file if it draws the page and query: app/server/page_html.py
    "ready",  # loads in advance what readers would wait for, once everything is imported: app/server/endpoints.py
    "fills_controls",  # returns, by parameter, the functions that fill controls: app/shell/opened_link.py
    "arrived",  # gets the page and the query that a session opens first: app/shell/opened_link.py
    "left",  # gets, at each run, the name of the open page: app/entry/main.py
    "in_bar",  # draws, with the session's scenario, what stands in the bar above each page: app/shell/setup.py
    "strip",  # draws a strip over each page: app/shell/setup.py
    "shared_here",  # draws offers for the open question in Share, besides the link: features/share/page/share.py
    "asks",  # makes an `Asks`, the questions of a feature that other places ask, too: predicting/asks.py
    "way",  # returns the `Way` to a place of the feature, or None: link/ways.py
    "beside",  # yields ways that a place of another feature draws: link/ways.py
)
# In the order of the navigation; the first door has no name, and its pages come before all doors.
DOORS = ("", "learning", "models", "checking")


@dataclass(frozen=True)
class Page:
    """A page of the app, `pages/NAME.py`, and the door it stands behind."""

    name: str
    door: str  # blank for the pages before all doors; the app opens with the first of these
    sets_up: bool = False  # whether the shared set-up has an effect on the page
    has_board: bool = False  # whether the page shows a board, whose script is then fetched with the page
    hidden: bool = False  # whether the navigation leaves it out
    # Parameters that say what is open on the page; each value of the first counts as a place of its own.
    parts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for an unknown door."""
        if self.door not in DOORS:
            raise ValueError(f"the page {self.name!r} stands behind {self.door!r}, expected one of {DOORS}")


@dataclass(frozen=True)
class Feature:
    """The parts of a feature, and what it needs."""

    name: str
    needs: tuple[str, ...] = ()  # names of other features, whose modules this one may import
    pages: tuple[Page, ...] = ()
    keeps: tuple[str, ...] = ()  # parameters of links that hold typed text, and that are kept when a run fails
    folders: tuple[str, ...] = ()  # folders of addresses, whose pages don't use Streamlit
    # Each value is "module:name", relative to the feature's package. The keys are slots; public names that attnviz
    # passes on, those of attnviz.documents as "documents.name"; and commands by the word after `attnviz`.
    fills: Mapping[str, str] = field(default_factory=dict)
    public: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, str] = field(default_factory=dict)
    in_package: str = ""  # the feature's package; by default the folder of its name in attnviz.features

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for an unknown slot."""
        if unknown := sorted(self.fills.keys() - set(SLOTS)):
            raise ValueError(f"the feature {self.name!r} fills {unknown}, expected some of {sorted(SLOTS)}")

    @property
    def folder(self) -> Traversable:
        """The folder that contains the feature."""
        return files(self.package)

    @property
    def package(self) -> str:
        """The name of the feature's package."""
        return self.in_package or f"attnviz.features.{self.name}"

    def given(self, slot: str) -> Any:
        """Return what the feature gives to a slot, imported now."""
        return self.named(self.fills[slot])

    def named(self, place: str) -> Any:
        """Return the feature's "module:name", imported now."""
        return resolve_name(f"{self.package}.{place}")


@cache
def features() -> tuple[Feature, ...]:
    """Return the features that are present, with all that they need."""
    own = (f"attnviz.features.{name}" for name in INSTALLED)
    found = [import_module(package).FEATURE for package in own if find_spec(package)]
    found += [entry.load() for entry in entry_points(group=ENTRY_POINTS)]
    return with_their_needs(found)


def with_their_needs(found: list[Feature]) -> tuple[Feature, ...]:
    """Leave out features that need one that isn't present.

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
    """Return the names that features add to a module of attnviz."""
    names = (f"attnviz.{name}".rpartition(".") for each in features() for name in each.public)
    return [name for of, _, name in names if of == module]


def public(module: str, name: str) -> Any:
    """Return such a name; ``AttributeError`` if no feature adds it."""
    called = f"{module}.{name}".removeprefix("attnviz.")
    for each in features():
        if called in each.public:
            return each.named(each.public[called])
    raise AttributeError(f"module {module!r} has no attribute {name!r}")


def filled(slot: str) -> dict[str, Any]:
    """Return what features give to a slot, by their names."""
    assert slot in SLOTS, slot
    return {each.name: each.given(slot) for each in features() if slot in each.fills}
