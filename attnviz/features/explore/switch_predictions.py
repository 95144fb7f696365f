"""Predictions before a What-if switch: one number, before and after."""

from collections.abc import Container
from contextlib import suppress
from dataclasses import dataclass, replace

from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import Scenario, traced
from attnviz.core.tokens import token_labels
from attnviz.core.what_if import PLACES, SOFTMAX, TYPED, WhatIf, way_at
from attnviz.explanation.masking import key_of, reads_others
from attnviz.explanation.origins import setting_in_words
from attnviz.predicting.choice_question import ChoiceQuestion, compared, spread
from attnviz.words import say
from attnviz.words.numbers import percent, written

MORE, SAME, LESS, MIRRORED, OTHER = "more", "same", "less", "mirrored", "other"
_MOVES = (MORE, SAME, LESS)


def about(place: str) -> str:
    """Return the name of a switch's prediction in links: ``scores-cosine``."""
    return place.replace(".", "-")


@dataclass(frozen=True)
class _Turned:
    """A switch that was set: one head's cell, before and after."""

    place: str
    query: int
    key: int
    before: AttentionTrace
    after: AttentionTrace

    @property
    def kind(self) -> str:
        way = way_at(self.place)
        return way.asked if way else "share"

    @property
    def matrix(self) -> str:
        return "scores" if self.kind == "score" else "attention_weights"

    def number(self, trace: AttentionTrace) -> float:
        row = trace[self.matrix][self.query].double()
        return float(row.sum() if self.kind == "sum" else row[self.key])

    def written(self, value: float) -> str:
        return percent(value) if self.kind == "share" else written(value, 2)

    @property
    def mirrored(self) -> str:
        """The earlier score with query and key exchanged; blank without one."""
        scores = self.before.scores
        square = self.key < scores.shape[0] and self.query < scores.shape[1]
        return self.written(float(scores[self.key, self.query])) if square else ""

    def choices(self, now: str) -> tuple[str, ...]:
        """Return the choices, largest first, with the mirrored score if it differs.

        Those of a softmax begin with the smallest: the largest share so often becomes smaller that the last choice
        would nearly always be right.
        """
        way = way_at(self.place)
        if not way or not way.mirrors or self.mirrored in ("", now):
            return _MOVES[::-1] if self.place.startswith(SOFTMAX) else _MOVES
        scores = self.before.scores
        larger = bool(scores[self.key, self.query] > scores[self.query, self.key])
        return *((MIRRORED, SAME) if larger else (SAME, MIRRORED)), OTHER

    def right(self, now: str, then: str) -> str:
        """Return the right choice; numbers written alike count as the same."""
        if now == then:
            return SAME
        if MORE in self.choices(now):
            return MORE if self.number(self.after) > self.number(self.before) else LESS
        return MIRRORED if then == self.mirrored else OTHER

    def wrong(self, choice: str, right: str) -> str:
        """Return the key of the reasoning behind a wrong choice."""
        own = f"what_if.predict.wrong.{self.place.replace('.', '_').replace('-', '_')}"
        return f"{own}.{'alike' if right == SAME else 'turned' if choice in (MORE, LESS) else choice}"

    def asked(self, act: str) -> ChoiceQuestion:
        """Return the question, with its choices and its outcome."""
        now, then = (self.written(self.number(trace)) for trace in (self.before, self.after))
        right = self.right(now, then)
        lay, lie = (written(spread(trace.scaled_scores[self.query]), 2) for trace in (self.before, self.after))
        told = {
            "query": token_labels(self.before.tokens, 40)[self.query],
            "key": token_labels(self.before.read_tokens, 40)[self.key],
            "mirrored": self.mirrored,
        }
        names = self.choices(now)
        itself = self.key == self.query and not reads_others(self.before) and self.kind != "sum"
        tells = f"what_if.predict.{'itself' if itself else 'now'}.{self.kind}"
        return ChoiceQuestion(
            about(self.place), act,
            say("predicting.then", now=say(tells, number=now, **told)),
            {each: say(f"what_if.predict.choice.{each}", number=now, **told) for each in names},
            right,
            compared(say(tells, number=then, **told), now, then),
            {each: say(self.wrong(each, right), lay=lay, lie=lie, number=then, **told) for each in names
             if each != right},
            (say(key_of(self.place, "more", reads_others(self.before))),),
            (self.matrix, self.query, self.key),
            {f"scores,{self.key},{self.query}": MIRRORED, f"scores,{self.query},{self.key}": SAME}
            if MIRRORED in names else {},
        )  # fmt: skip


def turned(
    scenario: Scenario, to: WhatIf, place: str, query: int, head: int = 0, layer: int = 0
) -> ChoiceQuestion | None:
    """Return the question about a switch; None if there's nothing to ask.

    Raises ``ValueError`` for a switch that doesn't fit the other settings.

    >>> asked = turned(Scenario("a b"), WhatIf.read("softmax:whole"), "softmax.whole", 0)
    >>> asked.right, sorted(asked.choices), asked.cell[0]
    ('less', ['less', 'more', 'same'], 'attention_weights')
    """
    before, after = (traced(each).for_head(head, layer) for each in (scenario, replace(scenario, what_if=to.text)))
    if place == TYPED:
        if to.get(SOFTMAX):
            return None
        rows = {row for row, *_ in set(to.typed) - set(WhatIf.read(scenario.what_if).typed)}
        query = query if query in rows else min(rows)
    weights = before.attention_weights[query].clone()
    way = way_at(place)
    if way and way.mirrors and query < len(weights) and not scenario.reads_others:
        weights[query] = -1.0  # the score with itself is its own mirror image
    if place == TYPED:
        weights[[column for row, column, _ in to.typed if row == query and column < len(weights)]] = -1.0
    key = int(weights.argmax())
    matrices = [trace[name][query] for trace in (before, after) for name in ("scores", "attention_weights")]
    if weights[key] <= 0 or not all(bool(row.isfinite().all()) for row in matrices):
        return None
    return _Turned(place, query, key, before, after).asked(called(place, to))


def called(place: str, to: WhatIf) -> str:
    """Return the sentence that says what a switch does."""
    if place == TYPED:
        return setting_in_words("what_if", WhatIf(typed=to.typed).text)
    return say(f"what_if.{_key(place)}.act")


def choice_of(place: str) -> str:
    """Return the name of a switch's way, as on its chip."""
    return say(f"what_if.{_key(place)}.choice")


def _key(place: str) -> str:
    return place.replace("-", "_")


def yet_to_predict(
    scenario: Scenario, predicted: Container[str], query: int, head: int = 0, layer: int = 0
) -> tuple[Scenario, ChoiceQuestion | None]:
    """Return the scenario without switches still to predict, and the first's question.

    >>> cosine = Scenario("a b", what_if="scores:cosine")
    >>> shown, asked = yet_to_predict(cosine, (), 0)
    >>> shown.what_if, asked.about, yet_to_predict(cosine, {"scores-cosine"}, 0) == (cosine, None)
    ('', 'scores-cosine', True)
    """
    on = WhatIf.read(scenario.what_if)
    left = [place for place in PLACES if without(on, place) != on and about(place) not in predicted]
    drawn = on
    for place in left:
        drawn = without(drawn, place)
    for place in left:
        name, _, way = place.partition(".")
        to = WhatIf(drawn.chosen, on.typed) if place == TYPED else drawn.with_(name, way)
        with suppress(ValueError):  # a switch that only fits together with another one isn't asked about
            shown = replace(scenario, what_if=drawn.text)
            if question := turned(shown, to, place, query, head, layer):
                return shown, question
        drawn = to
    return scenario, None


def next_of(scenario: Scenario, place: str) -> str:
    """Return the next switch after `place` that fits; blank for none."""
    at = PLACES.index(place)
    for other in (*PLACES[at + 1 :], *PLACES[:at]):
        with suppress(ValueError):
            if other != TYPED and replace(scenario, what_if=alone(other).text):
                return other
    return ""


def without(on: WhatIf, place: str) -> WhatIf:
    """Return the switches with this one off, or without all typed scores."""
    name, _, way = place.partition(".")
    if place == TYPED:
        return WhatIf(on.chosen)
    return on.with_(name, "") if on.get(name) == way else on


def alone(place: str) -> WhatIf:
    """Return a What-if with one switch alone."""
    return WhatIf().with_(*place.split("."))
