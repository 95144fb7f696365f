"""The board as a notebook widget, with torch's numbers from the kernel."""

import json
from typing import Any
from uuid import uuid4

import anywidget
import traitlets
from IPython.display import display

from attnviz.board.drawn import OF_PLAYGROUND, as_place, drawn_data
from attnviz.board.script import notebook_script
from attnviz.colours.palette import DARK, FONT_FAMILY, LIGHT
from attnviz.core.heads import as_seen
from attnviz.core.scenario import Scenario, traced
from attnviz.documents import shown_in_notebook
from attnviz.documents.boards import checked_for_board
from attnviz.documents.page import FAMILY, packed_letters
from attnviz.link.parameter_table import CELL, HEAD, LAYER, QUERY
from attnviz.link.set_up import VECTORS_OF_OPENING, query_of, settings_by_class
from attnviz.link.state import State, state_of
from attnviz.scripts import shortened
from attnviz.words import by_language
from attnviz.words.numbers import DEFAULT_DIGITS

_PICKS = {"query": QUERY, "cell": CELL, "head": HEAD}
_STYLE = f"""
.board {{ --st-background-color: {LIGHT.paper}; --st-text-color: {LIGHT.text};
  font-family: "{FAMILY}", {FONT_FAMILY.partition(", ")[2]}; }}
.board.dark {{ --st-background-color: {DARK.paper}; --st-text-color: {DARK.text}; }}
"""


@by_language()
def _script() -> str:
    return shortened(notebook_script(packed_letters(), _STYLE))


class BoardWidget(anywidget.AnyWidget):
    """A board in a notebook; its `scenario` can be observed and set.

    `query` says the same as a link of the app does, including what is picked; `data` is what the board draws for it.
    """

    scenario = traitlets.Instance(Scenario)
    query = traitlets.Unicode().tag(sync=True)
    data = traitlets.Unicode().tag(sync=True)
    still = traitlets.Unicode().tag(sync=True)  # the CSS class of the still pictures

    def __init__(self, scenario: Scenario, query: str) -> None:
        super().__init__(_esm=_script(), scenario=scenario, query=query, still=f"attnviz-{uuid4().hex}")

    @traitlets.validate("scenario")
    def _checked(self, proposed: Any) -> Scenario:
        return checked_for_board(proposed["value"])

    @traitlets.observe("query")
    def _answer(self, _: object) -> None:
        state = _state(self.query)
        if state.scenario is None:  # the sentence is blank
            self.query = query_of(self.scenario)
            return
        with self.hold_sync():
            self.data = json.dumps(_data(state, state.scenario) | {"asked": self.query})
        self.scenario = state.scenario

    @traitlets.observe("scenario")
    def _follow(self, change: Any) -> None:
        if self.query and _state(self.query).scenario != change["new"]:
            self.query = _query(change["new"], 0, _state(self.query).values["digits"])

    def _ipython_display_(self) -> None:
        """Show the board; still pictures replace it where it can't be drawn.

        It can't be drawn in an export without network access, nor where no kernel runs.
        """
        data, metadata = self._repr_mimebundle_() or ({}, {})
        still = shown_in_notebook(self.scenario, live=False)
        still["text/html"] = f'<div class="{self.still}">{still["text/html"]}</div>'
        for each in (data | {"text/plain": repr(self.scenario)}, still):
            display(each, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]


def board_widget(scenario: Scenario | str, query: int = 0, digits: int = DEFAULT_DIGITS) -> BoardWidget:
    """Return the widget of a scenario or text: see :func:`attnviz.show_board`."""
    scenario = checked_for_board(Scenario(scenario) if isinstance(scenario, str) else scenario)
    asked = _query(scenario, query, digits)
    if _state(asked).scenario != scenario:
        raise ValueError("the scenario has more given numbers than a link carries, expected fewer on a widget")
    return BoardWidget(scenario, asked)


def _query(scenario: Scenario, query: int, digits: int) -> str:
    return query_of(scenario, query=str(query), digits=str(digits))


def _state(query: str) -> State:
    return state_of(query, (QUERY, HEAD, LAYER, CELL))


def _data(state: State, scenario: Scenario) -> dict[str, Any]:
    trace = traced(scenario).for_head(state.values[HEAD], state.values[LAYER])
    drawn = drawn_data(scenario, trace, state.position, state.values["digits"], OF_PLAYGROUND, is_current=True)
    cell = state.values[CELL]
    picked = as_place(cell and as_seen(trace.stages, trace.matrices, *cell))
    own = {"part": VECTORS_OF_OPENING, "settings": settings_by_class()}
    return drawn | {"key": "notebook", "picks": _PICKS, "picked": picked, "ownSentence": own}
