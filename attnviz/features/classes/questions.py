"""What a class can be asked, and its votes as files."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from uuid import NAMESPACE_URL, uuid5

from attnviz.core.scenario import traced
from attnviz.export.data import csv_of
from attnviz.features.classes.store import Vote
from attnviz.link.state import state_of
from attnviz.teach.lesson import STEPS
from attnviz.teach.predictions import ASKING, Asked, prediction_of
from attnviz.teach.questions import QUESTIONS, SUBJECTS
from attnviz.words import by_language, say
from attnviz.words.numbers import DEFAULT_DIGITS

OF_STEPS = "step-"


def subjects() -> dict[str, dict[str, str]]:
    """Return the titles of what can be asked: subject, then link name."""
    found = {say("classes.lesson"): {f"{OF_STEPS}{each.name}": each.title for each in STEPS if each.name in ASKING}}
    for subject in SUBJECTS:
        title = say(f"question_page.subject.{subject}")
        found[title] = {each.slug: each.title for each in QUESTIONS if each.subject == subject}
    return found


@by_language(64)
def asked_of(about: str) -> Asked | None:
    """Return what is asked by this name; None if unknown."""
    if about.startswith(OF_STEPS):
        state = state_of("", ())
        if state.scenario is None:
            return None
        return prediction_of(about.removeprefix(OF_STEPS), traced(state.scenario), state.position, DEFAULT_DIGITS)
    return next((each.asked for each in QUESTIONS if each.slug == about), None)


_ANSWERED = {"id": "http://adlnet.gov/expapi/verbs/answered", "display": {"en": "answered"}}
_QUESTION = "http://adlnet.gov/expapi/activities/cmi.interaction"


def as_csv(votes: Sequence[Vote]) -> str:
    """Return each choice's votes in each round with votes, as CSV."""
    counts = Counter((vote.about, vote.round, vote.choice) for vote in votes)
    lines: list[list[object]] = [["question", "asked", "round", "choice", "text", "right", "votes"]]
    for about, turn in sorted({(vote.about, vote.round) for vote in votes}):
        asked = asked_of(about)
        if asked is not None:
            for choice, label in asked.choices.items():
                right = int(choice == asked.right)
                lines.append([about, f"{asked.act} {asked.asks}", turn, choice, label, right,
                              counts[about, turn, choice]])  # fmt: skip
    return csv_of(lines)


def as_xapi(votes: Iterable[Vote], home: str) -> str:
    """Return an xAPI statement for each vote, one a line.

    People are numbers; in a class that has ended, each vote has its own. `home` is the address of the class. The same
    votes make the same statements, so that those sent twice count once.
    """
    people: dict[str, int] = {}
    lines = []
    for at, (about, turn, who, choice, _) in enumerate(votes):
        asked = asked_of(about)
        if asked is None:
            continue
        name = f"person-{people.setdefault(who, 1 + len(people))}" if who else f"vote-{at + 1}"
        choices = [{"id": each, "description": {"en": label}} for each, label in asked.choices.items()]
        definition = {
            "type": _QUESTION, "interactionType": "choice", "description": {"en": f"{asked.act} {asked.asks}"},
            "choices": choices, "correctResponsesPattern": [asked.right],
        }  # fmt: skip
        statement = {
            "id": str(uuid5(NAMESPACE_URL, f"{home}/{about}/{turn}/{who or at}")),
            "actor": {"objectType": "Agent", "account": {"homePage": home, "name": name}},
            "verb": _ANSWERED,
            "object": {"id": f"{home}/{about}/{turn}", "definition": definition},
            "result": {"response": choice, "success": choice == asked.right},
        }
        lines.append(json.dumps(statement, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)
