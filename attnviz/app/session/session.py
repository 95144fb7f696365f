"""One reader's session: its controls, and its state between runs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import streamlit as st

from attnviz.app.session.first_paint import Painting
from attnviz.core.attention import AttentionTrace
from attnviz.core.changes import with_changes
from attnviz.core.scenario import Scenario
from attnviz.link.changes_text import decode_changes
from attnviz.link.set_up import CHANGES, scenario_of
from attnviz.words.numbers import DEFAULT_DIGITS

if TYPE_CHECKING:
    from attnviz.app.session.page_record import PageRecord

_SESSION = "session"
Part = TypeVar("Part")


class Figure(NamedTuple):
    """A figure that Share can save; `draw` makes it in light colours."""

    title: str
    alt: str
    draw: Callable[[], dict[str, Any]]


class Computation(NamedTuple):
    """A page's own computation for Share: its name, description and files."""

    name: str
    about: str
    trace: AttentionTrace
    script: Callable[[], str]
    report: Callable[[], str]
    page: Callable[[], str]


class Attachment(NamedTuple):
    """A notice and a text file, for what a link can't hold."""

    notice: str
    label: str
    file_name: str
    text: str


@dataclass
class Shared:
    """What parts of a page pass to each other during a run."""

    first: bool = False  # whether this is the session's first run
    figures: dict[str, Figure] = field(default_factory=dict)
    computation: Computation | None = None
    attachment: Attachment | None = None
    # A hidden container for controls that are bound to the address; visible controls stand in for them.
    unseen: Any = None
    beside_temperature: Any = None  # a container beside the temperature, filled once the weights are computed


@dataclass
class Messages:
    """Messages for the foot of the page."""

    texts: list[str] = field(default_factory=list)
    of_link: list[str] = field(default_factory=list)  # parts of the link that can't be used
    standing: tuple[Any, list[str]] | None = None  # the first run's state, and its messages about the link


@dataclass
class Dropped:
    """Changes of matrices that a new set-up dropped, offered back."""

    changes: str = ""  # in the form of a link's text
    page: str | None = None  # the page that offers them


@dataclass
class Editor:
    """The table that the editor of a matrix was last drawn with."""

    key: str
    matrix: str
    row: int | None
    numbers: Any
    texts: Any


@dataclass
class Computed:
    """A set-up with its changes, and the scenarios without and with them."""

    set_up: dict[str, Any]
    changes: str
    plain: Scenario
    scenario: Scenario


@dataclass
class Session:
    """What the app remembers of one reader between runs.

    `get`, `put` and `pop` are for the controls of pages, which Streamlit holds by their keys.
    """

    address: "PageRecord | None" = None
    painting: Painting = field(default_factory=Painting)
    page: str = ""
    set_up: dict[str, Any] | None = None  # all controls' values, from the last run with a sentence
    blank: bool | None = None  # whether the sentence is empty; None before the first run
    computed: "Computed | None" = None
    last_changes: str | None = None
    dropped: Dropped = field(default_factory=Dropped)
    revision: int = 0  # part of the editors' keys, so that a new number redraws them
    editor: Editor | None = None
    messages: Messages = field(default_factory=Messages)
    shared: Shared = field(default_factory=Shared)
    example: str = ""  # the example that the link named
    exercise: str = ""  # the link's text of an exercise that the reader left for another page
    parts: dict[type, Any] = field(default_factory=dict)  # pages' own state, by its type

    @property
    def scenario(self) -> Scenario | None:
        """The current scenario; None without a sentence or while starting anew."""
        return None if self.blank or self.set_up is None else self._computed(self.set_up).scenario

    @property
    def digits(self) -> int:
        """How many decimals the reader wants to see."""
        return DEFAULT_DIGITS if self.set_up is None else int(self.set_up["digits"])

    @property
    def changes(self) -> str:
        """The changes of matrices, as a link writes them."""
        return "" if self.address is None else self.address.texts.get(CHANGES, "")

    def plain(self, set_up: dict[str, Any]) -> Scenario:
        """Return the scenario of a set-up without any changes."""
        before = self.computed
        return before.plain if before is not None and before.set_up == set_up else scenario_of(set_up)

    def _computed(self, set_up: dict[str, Any]) -> Computed:
        before, changes = self.computed, self.changes
        if before is None or (before.set_up, before.changes) != (set_up, changes):
            plain = self.plain(set_up)
            self.computed = before = Computed(
                dict(set_up), changes, plain, with_changes(plain, decode_changes(changes)[0])
            )
        return before

    def part(self, kind: type[Part]) -> Part:
        """Return a page's own state of this type, made on first use."""
        found: Part = self.parts.setdefault(kind, kind())
        return found

    def get(self, key: str, default: Any = None) -> Any:
        """Return what the control of this key holds."""
        return st.session_state.get(key, default)

    def put(self, key: str, value: Any) -> None:
        """Set a control, in a callback or before it is drawn."""
        st.session_state[key] = value

    def held(self, key: str, value: Any, take: Callable[[Any], object]) -> dict[str, Any]:
        """Set a control that's drawn next; return its key and callback."""
        self.put(key, value)
        return {"key": key, "on_change": lambda: take(self.get(key))}

    def pop(self, key: str, default: Any = None) -> Any:
        """Return what a key holds, and forget it."""
        return st.session_state.pop(key, default)

    def __contains__(self, key: str) -> bool:
        """Whether a key holds anything."""
        return key in st.session_state


def this_session() -> Session:
    """Return the session of the reader whose page runs."""
    if _SESSION not in st.session_state:
        st.session_state[_SESSION] = Session()
    found: Session = st.session_state[_SESSION]
    return found
