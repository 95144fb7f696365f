"""What a teacher takes home of a class: a table of counts, and a statement of xAPI for each vote."""

import csv
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from io import StringIO
from uuid import NAMESPACE_URL, uuid5

from attnviz.classes.asked import asked_of
from attnviz.classes.store import Vote

_ANSWERED = {"id": "http://adlnet.gov/expapi/verbs/answered", "display": {"en": "answered"}}
_QUESTION = "http://adlnet.gov/expapi/activities/cmi.interaction"


def as_csv(votes: Sequence[Vote]) -> str:
    """Return how many votes each choice has in each round that anybody voted in, as CSV."""
    counts = Counter((vote.about, vote.round, vote.choice) for vote in votes)
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["question", "asked", "round", "choice", "text", "right", "votes"])
    for about, turn in sorted({(vote.about, vote.round) for vote in votes}):
        asked = asked_of(about)
        if asked is not None:
            for choice, label in asked.choices.items():
                right = int(choice == asked.right)
                writer.writerow([about, f"{asked.act} {asked.asks}", turn, choice, label, right,
                                 counts[about, turn, choice]])  # fmt: skip
    return text.getvalue()


def as_xapi(votes: Iterable[Vote], home: str) -> str:
    """Return a statement for each vote, a line each; people are numbers, those of a class that has ended one for each
    vote. `home` is the address of the class; the same votes make the same statements, so that sent twice none counts
    twice."""
    people: dict[str, int] = {}
    lines = []
    for at, (about, turn, who, choice) in enumerate(votes):
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
