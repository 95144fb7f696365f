"""Heatmaps on a page: one component that is sent numbers, and what is said of them."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from attnviz.app.components import script_file
from attnviz.app.components.board import AT
from attnviz.app.components.followed import mark_while_older, numbers_of
from attnviz.app.parts.picked_cell import picked_cell, show_picked, take_click
from attnviz.app.session import state
from attnviz.app.session.memory import mark_of_now
from attnviz.app.session.painting import painting
from attnviz.app.session.session import this_session
from attnviz.board.data import has_numbers
from attnviz.core.attention import AttentionTrace
from attnviz.core.heads import is_elsewhere
from attnviz.core.scenario import Scenario
from attnviz.core.stages import pictured
from attnviz.explanation import Explanation
from attnviz.explanation.summary import described
from attnviz.figures import frames, picture_on_page
from attnviz.link.parameter_table import HEATMAPS

_KEY = "playground.heatmaps"
_heatmaps = st.components.v2.component(
    "attnviz_heatmaps",
    html='<div class="heatmaps"></div>',
    css=(Path(script_file.__file__).parent / "heatmaps" / "heatmaps.css").read_text(encoding="utf-8"),
    js=script_file.HEATMAPS_FILE.fetched,
)


def drawn_heatmaps(trace: AttentionTrace, picked: Explanation | None, query: int, digits: int) -> dict[str, Any]:
    """Return what the page draws of a trace, whatever else is on it."""
    groups = [group for group in pictured(trace.stages) if not is_elsewhere(group[-1])]
    return {
        "groups": groups,
        "pictures": {
            name: picture_on_page(
                trace, name, digits=digits, query=query, alt=described(trace, name, query, digits)
            )
            for group in groups
            for name in group
        },
        "frames": [] if picked is None else frames(picked),
    }  # fmt: skip


def show_heatmaps(trace: AttentionTrace, scenario: Scenario, query: int, seen: Sequence[int]) -> None:
    """Draw every matrix of the trace in the order of the computation, beside the learned ones that it is made with;
    they wrap where the page is narrow. Numbers of another query the page asks for itself, as a board does; what is
    `seen` of them tells what is said beside them whether it is older."""
    picked = picked_cell(trace, scenario)
    asks = {"at": AT, "page": HEATMAPS} if has_numbers(scenario) else None
    beside = {"from": mark_of_now(), "numbers": asks, "numbersOf": numbers_of(scenario, *seen)}
    data = drawn_heatmaps(trace, picked, query, state.digits()) | beside
    painting().begin_first()
    _heatmaps(key=_KEY, data=json.dumps(data).encode(), on_picked_change=partial(_take_click, trace))
    with show_picked(trace, picked, query):
        mark_while_older(scenario, "picked", *seen)


def _take_click(trace: AttentionTrace) -> None:
    told = this_session().get(_KEY).get("picked")
    if isinstance(told, Mapping):
        take_click(trace, *map(told.get, ("matrix", "row", "column")))
