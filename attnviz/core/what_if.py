"""What happens if: switches that do what learners do by mistake or ask about, and attention doesn't.

Each changes one stage of the table. A scenario holds those that are on as one text, such as ``softmax:columns``, or
several with commas between them, in the order of :data:`SWITCHES`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from attnviz.core.errors import RefusedError
from attnviz.core.limits import MAX_TOKENS, in_short
from attnviz.core.masks import LATE
from attnviz.core.rules.lines import COLUMNS, WHOLE

MOST_TYPED = 16  # numbers typed into the scores
MOST_CHARACTERS = 600
LARGEST = 1e30


@dataclass(frozen=True)
class Switch:
    """A switch: its name, the stage that it changes, and how it may be set."""

    name: str
    stage: str
    settings: tuple[str, ...] = ()


SOFTMAX, SCORES, PROJECTIONS, TYPED = "softmax", "scores", "projections", "typed"
KEYS_FIRST, COSINE = "keys-first", "cosine"
CUT, VIEW = "cut", "view"
EXCHANGED, TRANSPOSED = "exchanged", "transposed"

# In the order of the computation. What attention does in their place: Vaswani et al. 2017, section 3.2.1.
SWITCHES: Mapping[str, Switch] = MappingProxyType({
    switch.name: switch
    for switch in (
        # torch.nn.functional.linear multiplies by the transpose of its weight: y = x Aᵀ + b.
        Switch(PROJECTIONS, "q", (EXCHANGED, TRANSPOSED)),
        # One view(heads, n, d) in place of view(n, heads, d).transpose(0, 1).
        Switch(CUT, "q", (VIEW,)),
        # Cosines are what Liu et al. 2022, Swin Transformer V2, section 3.3, has, with a learned factor.
        Switch(SCORES, "scores", (KEYS_FIRST, COSINE)),
        Switch(TYPED, "scores"),
        Switch(SOFTMAX, "attention_weights", (COLUMNS, WHOLE)),
    )
})  # fmt: skip


# What these switches change, and what stands between: of each, learners ask what would be if it were otherwise.
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
        """Return what a text says.

        Raises ``ValueError`` for a switch that isn't there, or one that is set in two ways.
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
            elif name in SWITCHES and setting in SWITCHES[name].settings and chosen.get(name, setting) == setting:
                chosen[name] = setting
            else:
                raise _unknown(part)
        if len(typed) > MOST_TYPED:
            raise _unknown(text)
        return cls(MappingProxyType(chosen), tuple((*cell, typed[cell]) for cell in sorted(typed)))

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
        """Return the same with one switch set, or off where its setting is blank."""
        others = {other: its for other, its in self.chosen.items() if other != name}
        return WhatIf(MappingProxyType(others | ({name: setting} if setting else {})), self.typed)

    def typing(self, row: int, column: int, number: float | None) -> "WhatIf":
        """Return the same with a number typed into a cell of the scores, or with none there."""
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
    message = f"what_if is {in_short(given)}, expected some of {', '.join(allowed)}"
    return RefusedError(message, "choice", name="what_if", value=given, allowed=tuple(allowed))


def misfit(given: Mapping[str, Any], n_tokens: int, n_read: int | None = None) -> RefusedError | None:
    """Return why the switches that are on can't be with these settings and so many tokens, with the `part` that can't;
    None where they can. `n_read` tokens are read, where these are others than those that read, or more.
    """
    on = WhatIf.read(given.get("what_if", ""))
    n_heads, widths = given["n_heads"], (given["d_in"], given["d_out"], given["d_v"] or given["d_out"])
    shared = given["n_kv_heads"] not in (None, n_heads)
    if on.get(PROJECTIONS) == EXCHANGED and shared:
        part = f"{PROJECTIONS}:{EXCHANGED}"
        return RefusedError(_left_out(part), "what_if_exchanged", part=part)
    if on.get(PROJECTIONS) == TRANSPOSED and (shared or len(set(widths)) > 1):
        part, (d_in, d_out, d_v) = f"{PROJECTIONS}:{TRANSPOSED}", widths
        return RefusedError(_left_out(part), "what_if_transposed", part=part, d_in=d_in, d_out=d_out, d_v=d_v)
    if on.get(CUT) and (n_heads == 1 or shared):
        part = f"{CUT}:{VIEW}"
        return RefusedError(_left_out(part), "what_if_cut", part=part)
    if on.get(SOFTMAX) and given["mask_use"] in LATE:
        part = f"{SOFTMAX}:{on.get(SOFTMAX)}"
        return RefusedError(_left_out(part), "what_if_softmax", part=part)
    if on.get(SCORES) == KEYS_FIRST and n_read is not None:
        part = f"{SCORES}:{KEYS_FIRST}"
        return RefusedError(_left_out(part), "what_if_keys_first", part=part)
    for row, column, number in on.typed:
        n_keys = n_tokens if n_read is None else n_read
        if row >= n_tokens or column >= n_keys:
            part, few = f"{TYPED}:{row}:{column}:{_number(number)}", n_tokens if row >= n_tokens else n_keys
            return RefusedError(_left_out(part), "what_if_typed", part=part, row=row, column=column, tokens=few)
    return None


def _left_out(part: str) -> str:
    message = f"what_if has {part}, expected what the other settings leave room for"
    return message


def fitting_what_if(
    given: Mapping[str, Any], n_tokens: int, n_read: int | None = None
) -> tuple[str, list[RefusedError]]:
    """Return the switches that can be with these settings, and why the others can't."""
    try:
        on = WhatIf.read(given.get("what_if", ""))
    except RefusedError as error:  # what no control of the page writes
        return "", [error]
    refused: list[RefusedError] = []
    while left_out := misfit({**given, "what_if": on.text}, n_tokens, n_read):
        refused.append(left_out)
        left = [part for part in on.parts if part != left_out.facts["part"]]
        on = WhatIf.read(",".join(left))
    return on.text, refused
