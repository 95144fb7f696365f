"""Parameters of all boards: the picked cell, the kept set-up, predictions."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from attnviz.core.heads import as_seen, is_elsewhere
from attnviz.core.scenario import Scenario
from attnviz.explanation import shapes_of
from attnviz.link.changes_text import MAX_CHANGES_CHARACTERS
from attnviz.link.codecs import FunctionCodec, Raw, UnreadableError, Whole, pack, unpack, unreadable_part
from attnviz.link.parameter import ReadContext, as_one
from attnviz.link.set_up import query_of, scenario_from_query
from attnviz.words import say

Place = tuple[str, int, int]  # a matrix's name, a row and a column
_NUMBER = Whole(0, 99_999)


@dataclass(frozen=True)
class Counted:
    """Tokens, heads or layers, of which a scenario has a certain number."""

    kind: str
    count: Callable[[Scenario], int]

    def fit(self, number: int | None, around: ReadContext) -> int | None:
        """Return a token's, head's or layer's number, if the scenario has it."""
        if number is not None and around.scenario and number >= self.count(around.scenario):
            raise UnreadableError
        return number

    def words(self, around: ReadContext) -> dict[str, str]:
        """Return words for which numbers are possible, and the default token."""
        if around.scenario is None:
            return {}
        last = self.count(around.scenario) - 1
        if self is TOKENS:
            return {"expected": say("links.expected.token", last=last), "used": str(min(1, last))}
        return {"expected": say(f"links.expected.{'' if last else 'only_'}{self.kind}", last=last)}


TOKENS = Counted("token", lambda scenario: len(scenario.tokens))
HEADS_THERE = Counted("head", lambda scenario: scenario.n_heads)
LAYERS_THERE = Counted("layer", lambda scenario: scenario.n_layers)


def _cell(raw: str) -> Place | None:
    if not raw:
        return None
    name, *numbers = raw.rsplit(".", 2)
    if len(numbers) != 2:
        raise UnreadableError
    return name, _NUMBER.decode(numbers[0]) or 0, _NUMBER.decode(numbers[1]) or 0


# scores.1.5, in a later layer layers.1.scores.1.5, or blank
CELL_TEXT = FunctionCodec(_cell, lambda cell: ".".join(map(str, cell or ())), lambda: say("playground.cell.expected"))


def cell_fits(cell: Place | None, around: ReadContext) -> Place | None:
    """Return a cell, if the computation has it and shows it."""
    if cell and around.trace is not None:
        seen = as_seen(around.trace.stages, around.trace.matrices, *cell)
        if seen is None or is_elsewhere(seen[0]) or cell[1] >= shapes_of(around.trace)[seen[0]][0]:
            raise UnreadableError
    return cell


def _packed_scenario(raw: str) -> Scenario | None:
    if not raw:
        return None
    try:
        scenario, ignored = scenario_from_query(unpack(raw, MAX_CHANGES_CHARACTERS))
    except ValueError as error:
        raise unreadable_part(error, "kept", None) from error
    if ignored:
        raise UnreadableError("", scenario, parts=as_one(ignored))
    return scenario


SCENARIO_TEXT = FunctionCodec(  # a whole set-up with its changes, packed, or blank
    _packed_scenario, lambda scenario: "" if scenario is None else pack(query_of(scenario)), str
)


# In place of a choice: the reader skipped the prediction, or has tried other things since.
SKIPPED, TRIED = "none", "tried"
MOST_PREDICTED = 48  # more than all questions, steps and switches together
_ONE = re.compile(r"([a-z0-9_-]{1,40})\.([a-z0-9_-]{1,40})")


def _predicted(raw: str) -> dict[str, str]:
    parts = [(part, _ONE.fullmatch(part)) for part in filter(None, raw.split("*"))]
    read = {match[1]: match[2] for _, match in parts if match}
    if strange := [Raw(part) for part, match in parts if not match]:
        raise UnreadableError("links.unknown", read, names=strange)
    return dict(list(read.items())[-MOST_PREDICTED:])


PREDICTED_TEXT = FunctionCodec(  # values.more*heads.none: predictions by their names, the latest last
    _predicted,
    lambda predicted: "*".join(f"{about}.{choice}" for about, choice in predicted.items()),
    lambda: say("links.expected.predicted"),
)


def with_prediction(predicted: Mapping[str, str], about: str, choice: str) -> dict[str, str]:
    """Return the predictions, this one last; a blank choice removes it.

    >>> with_prediction({"values": "more", "heads": "none"}, "values", "same")
    {'heads': 'none', 'values': 'same'}
    """
    others = {name: other for name, other in predicted.items() if name != about}
    return dict(list((others | ({about: choice} if choice else {})).items())[-MOST_PREDICTED:])
