"""The prediction of a question, and its right answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import torch

from attnviz.core.scenario import Scenario
from attnviz.features.questions.offered import Change, View
from attnviz.features.questions.seeing import Now
from attnviz.words import say
from attnviz.words.numbers import percent, written

Answer = Literal["more", "same", "less", "end"]
ANSWERS: tuple[Answer, ...] = get_args(Answer)
OfFollowed = tuple[str, int]  # a matrix, and a column of the followed token's row
READS: OfFollowed = ("attention_weights", 1)  # how much of "cat" it reads


@dataclass(frozen=True)
class Prediction:
    """A prediction of how a number moves when something is done.

    `of` is the number, in the example or on its board. `act` is what is done: a change of the example, or a choice.
    `kind` says how the number is written. `wrong` maps each wrong answer to a view in which that answer fails, too;
    each is a misconception, with a sentence of its own. If the number can move no further than to an `end`, reaching it
    is an answer of its own.
    """

    of: OfFollowed | Callable[[Now], float | torch.Tensor]
    act: Change | Mapping[str, str]
    wrong: Mapping[Answer, View]
    kind: Literal["share", "number", "count"] = "share"
    end: float | None = None

    def number(self, now: Now) -> float:
        """Return the number whose change is predicted."""
        if callable(self.of):
            return float(self.of(now))
        name, column = self.of
        return float(now.drawn[name][now.query, column])

    def after(self, scenario: Scenario, options: dict[str, str]) -> tuple[Scenario, dict[str, str]]:
        """Return an example and its choices after the act."""
        if isinstance(self.act, Mapping):
            return scenario, options | dict(self.act)
        return self.act(scenario), options

    def written(self, value: float) -> str:
        """Write such a number."""
        match self.kind:
            case "share":
                return percent(value)
            case "number":
                return written(value, 2)
        return str(round(value))

    def answer(self, before: float, after: float) -> Answer:
        """Return the right answer; numbers written alike count as the same."""
        if self.written(before) == self.written(after):
            return "same"
        if self.end is not None and self.written(after) == self.written(self.end):
            return "end"
        return "more" if after > before else "less"

    @property
    def order(self) -> tuple[Answer, ...]:
        """All answers, from the smallest on."""
        if self.end is None:
            return "less", "same", "more"
        return ("less", "same", "more", "end") if self.end else ("end", "less", "same", "more")

    def called(self, answer: Answer, before: float) -> str:
        """Return an answer's text."""
        places = {"number": self.written(before), "end": "" if self.end is None else self.written(self.end)}
        key: str = answer
        if answer == "end":
            key = "all" if self.end else "none"
        elif self.end is not None and answer != "same":
            key = f"{answer}_not_end"
        return say(f"question_page.answer.{key}", **places)
