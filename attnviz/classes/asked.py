"""What a class can be asked: every question's prediction, and those of the lesson, of the sentence it opens with."""

from functools import lru_cache

from attnviz.core.scenario import traced
from attnviz.link.state import state_of
from attnviz.teach.lesson import STEPS
from attnviz.teach.predictions import ASKING, Asked, prediction_of
from attnviz.teach.questions import QUESTIONS, SUBJECTS
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS

OF_STEPS = "step-"


def subjects() -> dict[str, dict[str, str]]:
    """Return the titles of all that can be asked, by what links call them, under what it's about."""
    found = {say("classes.lesson"): {f"{OF_STEPS}{each.name}": each.title for each in STEPS if each.name in ASKING}}
    for subject in SUBJECTS:
        title = say(f"question_page.subject.{subject}")
        found[title] = {each.slug: each.title for each in QUESTIONS if each.subject == subject}
    return found


@lru_cache(maxsize=64)
def asked_of(about: str) -> Asked | None:
    """Return what is asked by this name; None where there is nothing of it."""
    if about.startswith(OF_STEPS):
        state = state_of("", ())
        if state.scenario is None:
            return None
        return prediction_of(about.removeprefix(OF_STEPS), traced(state.scenario), state.position, DEFAULT_DIGITS)
    return next((each.asked for each in QUESTIONS if each.slug == about), None)
