"""The reader's changes: edited cells, replaced matrices, and their short texts."""

from dataclasses import dataclass, replace
from typing import Any

from attnviz.core.layers import STACK, placed
from attnviz.core.matrix_input import Edit, Matrix
from attnviz.core.scenario import Scenario
from attnviz.core.stages import EDITABLE

Replacement = str | Matrix


@dataclass(frozen=True)
class Changes:
    """Edited cells, and replaced matrices as ``(matrix, replacement)``."""

    edits: tuple[Edit, ...] = ()
    replaced: tuple[tuple[str, Replacement], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.edits or self.replaced)

    def __add__(self, other: "Changes") -> "Changes":
        replaced = {**dict(self.replaced), **dict(other.replaced)}
        cells = {edit[:3]: edit for edit in (*self.edits, *other.edits)}
        return Changes(tuple(cells.values()), tuple(replaced.items()))


def changes_of(scenario: Scenario) -> Changes:
    """Return a scenario's edits and replaced matrices."""
    return Changes(scenario.edits, tuple(scenario.replaced.items()))


def with_changes(scenario: Scenario, changes: Changes) -> Scenario:
    """Return the scenario with these changes in place of its own.

    A change of X applies to E where positions are added, and one of Y to E_y where Y is computed from it.

    Raises ``ValueError`` for a change that does not fit.
    """
    changes = renamed(changes, scenario)
    own = scenario.replaced
    if len(changes.replaced) == len(own) and all(own.get(name) is by for name, by in changes.replaced):
        return scenario.with_edits(changes.edits)
    fields: dict[str, Any] = {**dict.fromkeys(EDITABLE), **{n: by for n, by in changes.replaced if not placed(n)[0]}}
    deeper = {name: by for name, by in changes.replaced if placed(name)[0]}
    return replace(scenario, **fields, deeper=deeper, edits=changes.edits)


def renamed(changes: Changes, scenario: Scenario) -> Changes:
    """Return changes, with matrices named as this scenario names them.

    The token vectors are E in place of X where P is added to them, and likewise E_y in place of Y.

    >>> renamed(Changes((Edit("x", 0, 1, 0.9),)), Scenario(positions="learned")).edits
    (Edit(matrix='e', row=0, column=1, value=0.9),)
    """
    return Changes(
        tuple(edit._replace(matrix=scenario.called(edit.matrix)) for edit in changes.edits),
        tuple((scenario.called(matrix), by) for matrix, by in changes.replaced),
    )


OF_LAYER = "~"  # in a text, between a matrix's name and its layer: w_q~1; the first layer isn't named
GIVEN = "given."  # in a text, followed by a matrix's numbers, with _ between columns and __ between rows


def change_texts(changes: Changes) -> list[str]:
    """Return each change as a short text, which links carry, too.

    >>> from attnviz.core.matrix_input import Edit
    >>> change_texts(Changes((Edit("w_q", 0, 1, 0.9),), (("w_v", "identity"), ("w_k", ((1.0, 2.0), (3.0, 0.5))))))
    ['w_v.identity', 'w_k.given.1.0_2.0__3.0_0.5', 'w_q.0.1.0.9']
    """
    parts = [f"{name_in_text(name)}.{_fill_text(by)}" for name, by in changes.replaced]
    return parts + [
        f"{name_in_text(edit.matrix)}.{edit.row}.{edit.column}.{_number_text(edit.value)}" for edit in changes.edits
    ]


def name_in_text(name: str) -> str:
    """Return a matrix's name in a change's text: ``w_q~1`` in layer 1."""
    layer, own = placed(name)
    return f"{own}{OF_LAYER}{layer}" if layer else own


def name_from_text(text: str) -> str:
    """Return the matrix named in a change's text: ``w_q~1`` in layer 1.

    >>> name_from_text("w_q"), name_from_text("w_q~1")
    ('w_q', 'layers.1.w_q')
    """
    own, _, layer = text.partition(OF_LAYER)
    return f"{STACK}.{layer}.{own}" if layer else text


def _number_text(value: float) -> str:
    return repr(value).replace("+", "")  # 1e30, not 1e+30: in a link, a plus sign means a blank


def _fill_text(by: Replacement) -> str:
    if isinstance(by, str):
        return by.replace(":", ".")
    return GIVEN + "__".join("_".join(_number_text(value) for value in row) for row in by)
