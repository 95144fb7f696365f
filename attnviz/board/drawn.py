"""A board's looks, and the plain values that the page gets."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from attnviz.board.data import board_data
from attnviz.colours.shading import all_limits
from attnviz.core.attention import AttentionTrace
from attnviz.core.matrix_input import example_of
from attnviz.core.scenario import Scenario
from attnviz.core.scenario.chance import is_drawn
from attnviz.core.seeding.vectors import called
from attnviz.core.trace import Trace
from attnviz.core.what_if import CONCERNED
from attnviz.explanation.masking import scores_switched
from attnviz.explanation.numbers_from import drawn_vectors, features_of, numbers_in_words, projections_of
from attnviz.explanation.origins import filled_with
from attnviz.explanation.summary import out_of_the_ordinary
from attnviz.words import say
from attnviz.words.numbers import for_json

# A matrix, and a row and a column of it.
Place = tuple[str, int, int]


@dataclass(frozen=True)
class BoardOptions:
    """How a board looks: the matrices `names`, or all if None.

    - `lit`: a cell whose sources are highlighted; `only`: the one cell of its matrix that is filled.
    - `new`: matrices that are marked as new; `ghosts`: matrices that have their place, but no numbers yet.
    - `sentence`: whether the tokens stand above, to be picked. If so, `says`: whether a sentence tells what the picked
      token reads most; `ribbons`: whether ribbons show it, None to leave no room for them either.
    - `about`: a sentence about the numbers; None for the usual one, about the set-up's numbers.
    - `scaled`: whether scaled scores replace the scores.
    - `holds`: whether numbers are left out that neither `names` nor their sources need.
    - `tells`: a lesson step's texts, shown beside or above the matrices; `play`: the part of Play that it begins with.
    - `framed`: whether learned matrices have a solid frame and computed ones a dashed one; `notes`: sizes in symbols,
      which stand beside titles.
    - `fixed`: whether no number can be changed.
    - `what_if`: whether the panel What if stands on the page; cells of the matrices that it changes then lead to it.
    """

    names: tuple[str, ...] | None = None
    lit: Place | None = None
    only: Place | None = None
    new: tuple[str, ...] = ()
    framed: bool = False
    sentence: bool = False
    says: bool = True
    ribbons: bool | None = True
    about: str | None = None
    scaled: bool = False
    ghosts: tuple[str, ...] = ()
    holds: bool = False
    tells: Mapping[str, Any] | None = None
    play: Mapping[str, Any] | None = None
    notes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    what_if: bool = False
    fixed: bool = False

    def sent(self) -> dict[str, Any]:
        """Return these settings as the page reads them."""
        return {
            "lit": as_place(self.lit),
            "only": as_place(self.only),
            "fresh": self.new,
            "framed": self.framed,
            "sentence": self.sentence,
            "says": self.says,
            "ribbons": self.ribbons,
            "scaled": self.scaled,
            "ghosts": self.ghosts,
            "tells": self.tells,
            "play": self.play,
            "notes": self.notes,
            "fixed": self.fixed,
            "whatIf": sorted(CONCERNED) if self.what_if else [],
        }


OF_PLAYGROUND = BoardOptions(sentence=True, what_if=True)
PRESENTING = replace(OF_PLAYGROUND, ribbons=None)


def as_place(cell: Place | None) -> dict[str, Any] | None:
    """Return a cell as the page reads it."""
    return cell and dict(zip(("matrix", "row", "column"), cell, strict=True))


def drawn_data(
    scenario: Scenario, trace: AttentionTrace, query: int, digits: int, looks: BoardOptions, *, is_current: bool
) -> dict[str, Any]:
    """Return a scenario's board as JSON values; its host may add more."""
    told = _about(scenario, trace) if looks.ribbons is not None else _about_in_a_hall(scenario, trace)
    about = told if looks.about is None and looks.sentence else looks.about or ""
    data = board_data(scenario, trace, query, digits, looks.names, features_of(scenario))
    if drawn := drawn_vectors(scenario) if looks.what_if else "":
        data["stages"] = [
            each | {"short": drawn} if each["name"] == scenario.token_matrix else each for each in data["stages"]
        ]
    data |= _held_back(data, trace, looks) if looks.holds else {}
    return data | looks.sent() | {
        "plane": looks.sentence and looks.says and is_current and not scores_switched(trace),
        "tips": tips_of(scenario) if looks.sentence else [],
        "text": scenario.text,
        "examples": [],
        "about": about,
        "isCurrent": is_current,
        "numbersOf": "",
    }  # fmt: skip


def _held_back(data: dict[str, Any], trace: AttentionTrace, looks: BoardOptions) -> dict[str, Any]:
    """Return what replaces data so that hidden matrices have no numbers.

    Only their shapes are sent; of the matrix of the cell `only`, that one number as well, among zeros.
    """
    needed: set[str] = set()
    for name, stage in reversed([*trace.stages.items()]):
        own = looks.only is None or name.rpartition(".")[2] != looks.only[0] or name == looks.only[0]
        if name in needed or (own and name.rpartition(".")[2] in (looks.names or ())):
            needed |= {name, *stage.sources}
    held = {name for name, stage in trace.stages.items() if stage.rule is not None} - needed
    sent = {name: {each: data["matrices"][name][each] for each in ("rows", "columns")} for name in held}
    seen: Trace = trace
    if looks.only:
        name, row, column = looks.only
        rows, columns = trace[name].shape
        before, number = row * columns + column, trace[name][row, column]
        runs = [(before, 0), (1, for_json(number.item())), (rows * columns - before - 1, 0)]
        sent[name] = {"rows": rows, "columns": columns, "runs": runs}
        seen = Trace(trace.stages, {**trace.matrices, name: number[None, None]}, trace.tokens)
    told = {"heads": [dict.fromkeys(each, "") for each in data["heads"]]} if "attention_weights" in held else {}
    return told | {"matrices": data["matrices"] | sent, "limits": all_limits(seen, held)}


def data_of_model(
    trace: AttentionTrace, query: int, digits: int, names: tuple[str, ...] | None = None, origin: str = ""
) -> dict[str, Any]:
    """Return a model head's fixed board; `origin` describes the tokens' vectors."""
    return board_data(None, trace, query, digits, names) | BoardOptions(sentence=True, fixed=True).sent() | {
        "plane": False,
        "tips": [origin] * len(trace.tokens),
        "text": "",
        "examples": [],
        "about": " ".join(trace.notices),
        "isCurrent": False,
        "numbersOf": "",
    }  # fmt: skip


def packed(data: dict[str, Any]) -> bytes:
    """Return the data as JSON bytes, which Streamlit passes on unread.

    Streamlit would search a dict for tables, and write it twice, which takes a fifth of the time of an answer.
    """
    return json.dumps(data).encode()


def _about(scenario: Scenario, trace: AttentionTrace) -> str:
    # What is unusual about the attention comes first, because the end may have to be scrolled to.
    numbers = numbers_in_words(scenario, finding=not trace.chance)
    return " ".join((*out_of_the_ordinary(trace), numbers, *trace.notices))


def _about_in_a_hall(scenario: Scenario, trace: AttentionTrace) -> str:
    drawn = any(is_drawn(scenario, name) for name in projections_of(scenario))
    return say("summary.projections.in_a_hall") if drawn and not trace.chance else ""


def tips_of(scenario: Scenario) -> list[str]:
    """Return where each token's vector comes from."""
    return [_origin(scenario, row) for row in range(len(scenario.tokens))]


def _origin(scenario: Scenario, row: int) -> str:
    if scenario.is_published(row):
        return say("playground.picker.published")
    given = getattr(scenario, scenario.token_matrix)
    if found := scenario.found_classes:
        return say("playground.picker.class", kind=say(f"word_class.{found[row].kind.name}"))
    if given is None or row in scenario.rows_beside_example:
        return say("playground.picker.seeded")
    if not isinstance(given, str):
        return say("playground.picker.given")
    if example := example_of(given):
        return say("playground.picker.example", example=called(example))
    return say("playground.picker.filled", by=filled_with(given))
