"""What is predicted before a switch of What if is turned: one number of the board, before and after, and why."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

import torch

from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import Scenario, traced
from attnviz.core.tokens import token_labels
from attnviz.core.what_if import PLACES, SOFTMAX, TYPED, WhatIf
from attnviz.words import say
from attnviz.words.numbers import written
from attnviz.words.shares import percent

MORE, SAME, LESS, MIRRORED, OTHER = "more", "same", "less", "mirrored", "other"
_MOVES = (MORE, SAME, LESS)
# Of each switch: the number that is asked about, and the choices.
_ASKED = {
    "projections.exchanged": ("score", (SAME, MIRRORED, OTHER)),
    "projections.transposed": ("score", (SAME, OTHER)),
    "cut.view": ("score", (SAME, OTHER)),
    "scores.keys-first": ("score", (SAME, MIRRORED, OTHER)),
    "scores.cosine": ("share", _MOVES),
    TYPED: ("share", _MOVES),
    "softmax.columns": ("sum", _MOVES),
    "softmax.whole": ("sum", _MOVES),
}


def turned_on(now: WhatIf, to: WhatIf) -> str:
    """Return which switch is on in `to` that wasn't so now, by its place in the catalogue; blank where none is.

    >>> turned_on(WhatIf(), WhatIf.read("scores:cosine")), turned_on(WhatIf.read("scores:cosine"), WhatIf())
    ('scores.cosine', '')
    """
    if set(to.typed) - set(now.typed):
        return TYPED
    return next((f"{name}.{way}" for name, way in to.chosen.items() if now.get(name) != way), "")


def about(place: str) -> str:
    """Return what links call the prediction of a switch: ``scores-cosine``."""
    return place.replace(".", "-")


@dataclass(frozen=True)
class Turned:
    """A switch that is turned: the cell that is asked about, in the traces before and after, as seen from a head."""

    place: str
    query: int
    key: int
    before: AttentionTrace
    after: AttentionTrace

    @property
    def matrix(self) -> str:
        """The matrix that the cell is of."""
        return "scores" if self._kind == "score" else "attention_weights"

    @property
    def _kind(self) -> str:
        return _ASKED[self.place][0]

    def _number(self, trace: AttentionTrace) -> float:
        row = trace[self.matrix][self.query].double()
        return float(row.sum() if self._kind == "sum" else row[self.key])

    def written(self, value: float) -> str:
        """Write a number as it's asked about."""
        return percent(value) if self._kind == "share" else written(value, 2)

    @property
    def numbers(self) -> tuple[str, str]:
        """The number before and after."""
        return self.written(self._number(self.before)), self.written(self._number(self.after))

    @property
    def _mirrored(self) -> str:
        scores = self.before.scores
        square = self.key < scores.shape[0] and self.query < scores.shape[1]
        return self.written(float(scores[self.key, self.query])) if square else ""

    @property
    def choices(self) -> Mapping[str, str]:
        """The choices, by name; one that says the same as another isn't among them."""
        now, mirrored = self.numbers[0], self._mirrored
        told = {"number": now, "mirrored": mirrored} | self._names
        return {
            each: say(f"what_if.predict.choice.{each}", **told)
            for each in _ASKED[self.place][1]
            if each != MIRRORED or mirrored not in ("", now)
        }

    @property
    def right(self) -> str:
        """The choice that the numbers make right: two are the same where they are written alike."""
        now, then = self.numbers
        if now == then:
            return SAME
        if MORE in self.choices:
            return MORE if self._number(self.after) > self._number(self.before) else LESS
        return MIRRORED if MIRRORED in self.choices and then == self._mirrored else OTHER

    @property
    def now(self) -> str:
        """What the number is before."""
        return say(f"what_if.predict.now.{self._kind}", number=self.numbers[0], **self._names)

    @property
    def _names(self) -> dict[str, str]:
        return {
            "query": token_labels(self.before.tokens, 40)[self.query],
            "key": token_labels(self.before.read_tokens, 40)[self.key],
        }

    def misconception(self, choice: str) -> str:
        """Say what leads to a choice that isn't right, and what the numbers say of it; blank for the right one."""
        if choice == self.right or choice not in self.choices:
            return ""
        lay, lie = (written(_spread(trace.scaled_scores[self.query]), 2) for trace in (self.before, self.after))
        own = f"what_if.predict.wrong.{self.place.replace('.', '_').replace('-', '_')}"
        kind = "alike" if self.right == SAME else "turned" if choice in (MORE, LESS) else choice
        return say(f"{own}.{kind}", lay=lay, lie=lie, number=self.numbers[1], **self._names)


def _spread(row: torch.Tensor) -> float:
    finite = row[row.isfinite()]
    return float(finite.max() - finite.min()) if finite.numel() else 0.0


def turned(scenario: Scenario, to: WhatIf, place: str, query: int, head: int = 0, layer: int = 0) -> Turned | None:
    """Return what is asked before a switch is turned; None where the numbers leave nothing to ask.

    Raises ``ValueError`` for a switch that doesn't fit the other settings.

    >>> asked = turned(Scenario("a b"), WhatIf.read("softmax:whole"), "softmax.whole", 0)
    >>> asked.numbers[0], asked.right, sorted(asked.choices)
    ('1.00', 'less', ['less', 'more', 'same'])
    """
    before, after = (traced(each).seen_from(head, layer) for each in (scenario, replace(scenario, what_if=to.text)))
    if place == TYPED:
        if to.get(SOFTMAX):
            return None
        query = min(set(to.typed) - set(WhatIf.read(scenario.what_if).typed))[0]
    weights = before.attention_weights[query].clone()
    if query < len(weights) and not scenario.reads_others:
        weights[query] = -1.0  # of itself, a mirrored number is the same
    if place == TYPED:
        weights[[column for row, column, _ in to.typed if row == query and column < len(weights)]] = -1.0
    key = int(weights.argmax())
    matrices = [trace[name][query] for trace in (before, after) for name in ("scores", "attention_weights")]
    if weights[key] <= 0 or not all(bool(row.isfinite().all()) for row in matrices):
        return None
    return Turned(place, query, key, before, after)


def next_of(scenario: Scenario, place: str) -> str:
    """Return the switch to try after one, by its place in the catalogue: the next that fits; blank for none."""
    at = PLACES.index(place)
    for other in (*PLACES[at + 1 :], *PLACES[:at]):
        with suppress(ValueError):
            if other != TYPED and replace(scenario, what_if=alone(other).text):
                return other
    return ""


def without(on: WhatIf, place: str) -> WhatIf:
    """Return the same switches with this one off; of scores that are typed in, all."""
    name, _, way = place.partition(".")
    if place == TYPED:
        return WhatIf(on.chosen)
    return on.with_(name, "") if on.get(name) == way else on


def alone(place: str) -> WhatIf:
    """Return one switch, alone."""
    return WhatIf().with_(*place.split("."))
