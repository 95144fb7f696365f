"""A class's votes as files."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from uuid import NAMESPACE_URL, uuid5

from attnviz.export.data import csv_of
from attnviz.features.classes.store import Vote
from attnviz.predicting.asks import asked_of

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

    People are named by numbers; after the end of a class, each vote has a number of its own. `home` is the address of
    the class. The same votes make the same statements, so that those sent twice count once.
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
