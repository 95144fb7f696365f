"""What a question lets learners predict, and what is right."""

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
OfFollowed = tuple[str, int]  # a matrix, and the column in the row of the token that is followed
READS: OfFollowed = ("attention_weights", 1)  # what it reads of "cat"


@dataclass(frozen=True)
class Prediction:
    """What is predicted: how a number moves when something is done.

    `of` is a number of the example, or of its board. `act` is what is done: a change of the example, or what is chosen.
    `kind` tells how the number is written. `wrong` are the answers that are offered beside the right one, each a
    misconception that has its sentence, with a view in which what it claims fails, too. Where the number can move no
    further than to an `end`, that is an answer of its own.
    """

    of: OfFollowed | Callable[[Now], float | torch.Tensor]
    act: Change | Mapping[str, str]
    wrong: Mapping[Answer, View]
    kind: Literal["share", "number", "count"] = "share"
    end: float | None = None

    def number(self, now: Now) -> float:
        """Return the number that is predicted."""
        if callable(self.of):
            return float(self.of(now))
        name, column = self.of
        return float(now.drawn[name][now.query, column])

    def after(self, scenario: Scenario, options: dict[str, str]) -> tuple[Scenario, dict[str, str]]:
        """Return an example and its choices once it is done."""
        if isinstance(self.act, Mapping):
            return scenario, options | dict(self.act)
        return self.act(scenario), options

    def written(self, value: float) -> str:
        """Write the number that is predicted."""
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
        """All answers, from the least on."""
        if self.end is None:
            return "less", "same", "more"
        return ("less", "same", "more", "end") if self.end else ("end", "less", "same", "more")

    def called(self, answer: Answer, before: float) -> str:
        """Return what an answer is called."""
        places = {"number": self.written(before), "end": "" if self.end is None else self.written(self.end)}
        key: str = answer
        if answer == "end":
            key = "all" if self.end else "none"
        elif self.end is not None and answer != "same":
            key = f"{answer}_not_end"
        return say(f"question_page.answer.{key}", **places)
