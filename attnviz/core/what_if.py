"""What-if switches, for mistakes that learners make and questions they ask.

Each changes some stages of the table. A scenario holds the switches that are on as a text, such as ``softmax:columns``,
with commas between several, in the order of :data:`SWITCHES`.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from attnviz.core.limits import MAX_TOKENS, Kinds, RefusedError
from attnviz.core.masks import NONE, USES
from attnviz.core.rules import Product, Rule, Share, Softmax
from attnviz.core.rules.rows import COLUMNS, WHOLE

MOST_TYPED = 16  # numbers typed into the scores
MOST_CHARACTERS = 600
LARGEST = 1e30


class Recipe(NamedTuple):
    """The parts of a table's row that a switch may change."""

    rule: Rule | None = None
    sources: tuple[str, ...] = ()
    told: str = ""


@dataclass(frozen=True)
class Option:
    """One way to set a switch.

    - `name`: its name in set-ups and links, and the key of its texts in `what_if.toml`.
    - `change`: returns a row of the table as this way changes it.
    - `stages`: the names of the rows that it changes.
    - `refusal`, `conflict`: a key in `refused.toml`, and a function that returns the facts of that sentence if other
      settings rule this way out, else None.
    - `by_view`: whether heads are cut in the order of numbers in memory, so that their rows mix tokens.
    - `asked`: the number that the reader predicts first: a "score", a "share" or the "sum" of a query's row.
    - `mirrors`: whether it transposes the scores, so that predictions offer the mirrored cell's number as an answer.
    """

    name: str
    change: Callable[[Recipe], Recipe]
    stages: tuple[str, ...]
    refusal: str = ""
    conflict: Callable[[Any], dict[str, object] | None] = lambda asked: None
    by_view: bool = False
    asked: str = "share"
    mirrors: bool = False


@dataclass(frozen=True)
class Switch:
    """A switch: its name, its stage and the ways to set it."""

    name: str
    stage: str
    ways: Kinds[Option]

    @property
    def settings(self) -> tuple[str, ...]:
        """The names of the switch's ways."""
        return tuple(self.ways)


SOFTMAX, SCORES, PROJECTIONS, CUT, TYPED = "softmax", "scores", "projections", "cut", "typed"
_EXCHANGED = {"w_q": "w_k", "w_k": "w_q", "b_q": "b_k", "b_k": "b_q"}


def _shares_keys(asked: Any) -> dict[str, object] | None:
    return {} if asked.kv_heads != asked["n_heads"] else None


def _is_not_square(asked: Any) -> dict[str, object] | None:
    widths = {"d_in": asked["d_in"], "d_out": asked["d_out"], "d_v": asked.width}
    return widths if _shares_keys(asked) is not None or len(set(widths.values())) > 1 else None


def _over(axis: str) -> Option:
    return Option(
        axis, lambda made: made._replace(rule=Softmax(axis=axis), told=f"attention_weights_{axis}"),
        ("attention_weights",), "what_if_softmax", lambda asked: {} if USES[asked["mask_use"]].late else None,
        asked="sum",
    )  # fmt: skip


def _switch(name: str, stage: str, *ways: Option) -> Switch:
    return Switch(name, stage, Kinds(f"what_if {name}", ways))


# In the order of the computation. To add a switch, or a way to set one, add a row here, and its texts. What attention
# does instead: Vaswani et al. 2017, section 3.2.1.
SWITCHES: Kinds[Switch] = Kinds("what_if", (
    _switch(PROJECTIONS, "q",
        Option("exchanged", lambda made: Recipe(made.rule, tuple(_EXCHANGED.get(each, each) for each in made.sources),
                                           _EXCHANGED.get(made.told, made.told)),
            ("q", "k", *_EXCHANGED), "what_if_exchanged", _shares_keys, asked="score", mirrors=True),
        # torch.nn.functional.linear multiplies by the transpose of its weight: y = x Aᵀ + b.
        Option("transposed", lambda made: made._replace(rule=Product(transposed=True)), ("q", "k", "v"),
            "what_if_transposed", _is_not_square, asked="score")),
    # A mistake: view(heads, n, d) in place of view(n, heads, d).transpose(0, 1).
    _switch(CUT, "q", Option("view", lambda made: made._replace(told=made.told or "scores_recut"), ("scores",),
                          "what_if_cut", lambda asked: {} if asked["n_heads"] == 1 else _shares_keys(asked),
                          by_view=True, asked="score")),
    # Liu et al. 2022, Swin Transformer V2, section 3.3, uses cosines, with a learned factor.
    _switch(SCORES, "scores",
        Option("keys-first", lambda made: Recipe(made.rule, made.sources[::-1], "scores_keys_first"), ("scores",),
            "what_if_keys_first", lambda asked: None if asked.n_read is None else {}, asked="score", mirrors=True),
        Option("cosine", lambda made: made._replace(rule=Product(transposed=True, cosine=True), told="scores_cosine"),
            ("scores",))),
    _switch(TYPED, "scores"),  # typed numbers set it, not a way: see `WhatIf.typed`
    _switch(SOFTMAX, "attention_weights",
        Option("sums", lambda made: made._replace(rule=Share(), told="attention_weights_sums"), ("attention_weights",),
            "what_if_sums", lambda asked: None if asked.mask == NONE else {}),
        _over(COLUMNS), _over(WHOLE)),
))  # fmt: skip


# A key of the catalogue for each way to set a switch, in the order of the computation.
PLACES = tuple(
    f"{switch.name}.{way}" if way else switch.name for switch in SWITCHES.values() for way in switch.ways or ("",)
)


def way_at(place: str) -> Option | None:
    """Return the way that one of :data:`PLACES` names; None for typed numbers."""
    name, _, way = place.partition(".")
    return SWITCHES[name].ways[way] if way else None


# The stages that switches change, and those between: learners ask of each what would happen if it were different.
CONCERNED = frozenset({switch.stage for switch in SWITCHES.values()} | {"k", "mask", "scaled_scores"})


@dataclass(frozen=True)
class WhatIf:
    """The switches that are on.

    >>> WhatIf.read("softmax:columns,scores:cosine").text
    'scores:cosine,softmax:columns'
    """

    chosen: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    typed: tuple[tuple[int, int, float], ...] = ()

    @classmethod
    def read(cls, text: object) -> "WhatIf":
        """Return the switches that a text names.

        Raises ``ValueError`` for an unknown switch, or one that is set in two ways.
        """
        if not isinstance(text, str) or len(text) > MOST_CHARACTERS:
            raise _unknown(text)
        chosen: dict[str, str] = {}
        typed: dict[tuple[int, int], float] = {}
        for part in text.split(",") if text else ():
            name, _, setting = part.partition(":")
            if name == TYPED:
                row, column, number = _cell(part, setting)
                typed[row, column] = number
            elif name in SWITCHES and setting in SWITCHES[name].ways and chosen.get(name, setting) == setting:
                chosen[name] = setting
            else:
                raise _unknown(part)
        if len(typed) > MOST_TYPED:
            raise _unknown(text)
        return cls(MappingProxyType(chosen), tuple((*cell, typed[cell]) for cell in sorted(typed)))

    @property
    def ways(self) -> tuple[tuple[str, Option], ...]:
        """The ways that are on, with their switch's name, in order."""
        return tuple((name, SWITCHES[name].ways[self.chosen[name]]) for name in SWITCHES if name in self.chosen)

    @property
    def by_view(self) -> bool:
        """Whether heads are cut in the order of numbers in memory."""
        return any(way.by_view for _, way in self.ways)

    def changed(self, name: str, made: Recipe) -> tuple[Recipe, tuple[str, ...]]:
        """Return a row as changed, and the switches that change it.

        >>> WhatIf.read("scores:keys-first").changed("scores", Recipe(None, ("q", "k")))
        (Recipe(rule=None, sources=('k', 'q'), told='scores_keys_first'), ('scores.keys-first',))
        """
        ways = [(switch, way) for switch, way in self.ways if name in way.stages]
        for _, way in ways:
            made = way.change(made)
        on = tuple(f"{switch}.{way.name}" for switch, way in ways)
        if name == SWITCHES[TYPED].stage and self.typed:
            assert made.rule is not None
            typed: Any = {"typed": self.typed}
            return made._replace(rule=replace(made.rule, **typed)), (*on, TYPED)
        return made, on

    @property
    def text(self) -> str:
        """The switches as a text, in the order of the table."""
        return ",".join(self.parts)

    @property
    def parts(self) -> tuple[str, ...]:
        """Each switch as a text of its own."""
        parts: list[str] = []
        for name in SWITCHES:
            if name == TYPED:
                parts += (f"{TYPED}:{row}:{column}:{_number(number)}" for row, column, number in self.typed)
            elif name in self.chosen:
                parts.append(f"{name}:{self.chosen[name]}")
        return tuple(parts)

    def get(self, name: str) -> str:
        """Return how a switch is set; blank where it's off."""
        return self.chosen.get(name, "")

    def with_(self, name: str, setting: str) -> "WhatIf":
        """Return these switches with one of them set, or off if blank."""
        others = {other: its for other, its in self.chosen.items() if other != name}
        return WhatIf(MappingProxyType(others | ({name: setting} if setting else {})), self.typed)

    def typing(self, row: int, column: int, number: float | None) -> "WhatIf":
        """Return these switches with a typed score; None removes that score."""
        others = tuple(each for each in self.typed if each[:2] != (row, column))
        own = () if number is None else ((row, column, float(np.float32(number))),)
        return WhatIf(self.chosen, tuple(sorted((*others, *own))))


def _number(value: float) -> str:
    return str(np.float32(value)).replace("+", "")


def _cell(part: str, setting: str) -> tuple[int, int, float]:
    row, _, rest = setting.partition(":")
    column, _, number = rest.partition(":")
    if not all(
        each.isascii() and each.isdigit() and len(each) < 6 and int(each) < MAX_TOKENS for each in (row, column)
    ):
        raise _unknown(part)
    try:
        value = float(number)
    except ValueError:
        raise _unknown(part) from None
    if not (math.isfinite(value) and abs(value) <= LARGEST):
        raise _unknown(part)
    return int(row), int(column), float(np.float32(value))


def _unknown(given: object) -> RefusedError:
    allowed = [f"{switch.name}:{setting}" for switch in SWITCHES.values() for setting in switch.settings]
    allowed.append(f"{TYPED}:ROW:COLUMN:NUMBER")
    return RefusedError("choice", name="what_if", value=given, allowed=tuple(allowed))
