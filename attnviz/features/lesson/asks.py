"""The lesson's questions, for all pages that ask some."""

from collections.abc import Callable, Mapping
from typing import Any

from attnviz.core.scenario import traced
from attnviz.features.lesson.asking import ASKING, prediction_of
from attnviz.features.lesson.parameters import STEP
from attnviz.features.lesson.steps import STEPS
from attnviz.link.page_texts import SKIPPED
from attnviz.link.parameter_table import PREDICTED
from attnviz.link.state import state_of
from attnviz.predicting.asks import Asks
from attnviz.predicting.choice_question import ChoiceQuestion
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS

_OF_STEPS = "step-"


class OfSteps(Asks):
    """The questions of the lesson's steps, about the opening sentence."""

    def subjects(self) -> Mapping[str, Mapping[str, str]]:
        """Return the titles of the steps that ask something."""
        return {say("lesson.asks"): {f"{_OF_STEPS}{each.name}": each.title for each in STEPS if each.name in ASKING}}

    def asked(self, about: str) -> ChoiceQuestion | None:
        """Return a step's question; None for other names."""
        if not about.startswith(_OF_STEPS):
            return None
        state = state_of("", ())
        if state.scenario is None:
            return None
        return prediction_of(about.removeprefix(_OF_STEPS), traced(state.scenario), state.position, DEFAULT_DIGITS)

    def here(self, page: str, take: Callable[[str], Any]) -> str:
        """Return the name of the open step's question, or blank."""
        return f"{_OF_STEPS}{take(STEP)}" if page == "lesson" and take(STEP) in ASKING else ""

    def told(self, about: str) -> Mapping[str, str]:
        """Return the link parameters that show a step's explanation."""
        return {PREDICTED: f"{about}.{SKIPPED}"}
