"""The question that the page Scaling begins with."""

from collections.abc import Sequence

from attnviz.features.sweeps.typical_rows import TypicalRow
from attnviz.predicting.choice_question import ChoiceQuestion
from attnviz.words import plural, say
from attnviz.words.numbers import percent

ABOUT = "scaling"  # its name in links
FROM, TO = 2, 512  # the two values of d in the question
_HALF = 0.5


def asked_of_rows(undivided: Sequence[TypicalRow], divided: Sequence[TypicalRow]) -> ChoiceQuestion:
    """Return the question about a small and a large d's rows.

    The right choice is the one nearest to the largest weight of the last undivided row.
    """
    first, last = undivided[0], undivided[-1]
    before, after = float(first.weights[0]), float(last.weights[0])
    values = {"same": before, "half": _HALF, "nearly": 1.0}
    right = min(values, key=lambda choice: abs(values[choice] - after))
    places = {
        "from": first.dim,
        "to": last.dim,
        "keys": plural(len(first.weights), "key"),
        "before": percent(before),
        "after": percent(after),
        "divided": percent(float(divided[-1].weights[0])),
    }

    def told(key: str) -> str:
        return say(f"scaling.predict.{key}", **places)

    wrong = {choice: told(f"wrong.{choice}") for choice in values if choice != right}
    choices = {choice: told(f"choice.{choice}") for choice in values}
    return ChoiceQuestion(ABOUT, told("act"), told("asks"), choices, right, told("happened"), wrong, (told("why"),))
