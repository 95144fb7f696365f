"""The controls of a question: buttons, sliders and choices."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from attnviz.core.scenario import Scenario
from attnviz.features.sweeps.settings import MAX_P
from attnviz.words import DeferredText, say

Change = Callable[[Scenario], Scenario]


@dataclass(frozen=True)
class Preset:
    """A button that changes the example, and perhaps the followed token."""

    key: str
    change: Change
    of: Literal["start", "now"] = "start"
    places: Mapping[str, object] = field(default_factory=dict)
    follows: int | None = None

    label = DeferredText("{its.key}")


# A view of an example: a button, or choices by their names; under `QUERY`, the token that is followed.
View = Preset | Mapping[str, str]
QUERY = "query"


@dataclass(frozen=True)
class Control:
    """A slider that reads and changes a number of the example."""

    name: str
    key: str
    low: float
    high: float
    step: float
    read: Callable[[Scenario], float]
    change: Callable[[Scenario, float], Scenario]
    places: Mapping[str, object] = field(default_factory=dict)

    label = DeferredText("{its.key}")

    @property
    def whole(self) -> bool:
        """Whether the slider moves in whole numbers, because it sets a width."""
        return self.step == 1


@dataclass(frozen=True)
class Option:
    """A choice of what is shown, by names that links use, too.

    The text of a choice has the key `key`, a dot and the choice's name, with _ for hyphens.
    """

    name: str
    key: str
    names: tuple[str, ...]
    default: str

    label = DeferredText("{its.key}.label")

    @property
    def choices(self) -> Mapping[str, str]:
        """The title of each choice, by its name."""
        return {name: say(f"{self.key}.{name.replace('-', '_')}") for name in self.names}

    def may_be(self, choice: str) -> bool:
        """Whether a text is one of the choices."""
        return choice in self.names


@dataclass(frozen=True)
class Exponent:
    """A choice of the divisor d^p: p, as text, up to `MAX_P`."""

    name: str
    key: str
    default: str

    label = DeferredText("{its.key}")

    def may_be(self, choice: str) -> bool:
        """Whether a text is such an exponent."""
        return bool(re.fullmatch(r"[0-9](\.[0-9]{1,4})?", choice)) and float(choice) <= MAX_P
