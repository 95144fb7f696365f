"""The views of Explore, kept in links, and ways to other pages."""

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from attnviz.app.components.board import AT, mark_while_older, numbers_of
from attnviz.app.parts.picked_cell import picked_cell, show_layer_picker, show_picked, take_click
from attnviz.app.parts.predicting import asked_style
from attnviz.app.parts.ways import follow
from attnviz.app.session import state, url_texts
from attnviz.app.session.address import go_to
from attnviz.app.session.component import component
from attnviz.app.session.page_record import current_mark, this_page
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import take
from attnviz.board.data import MOST_COLUMNS, fits_board, has_numbers
from attnviz.core.attention import AttentionTrace
from attnviz.core.heads import is_elsewhere
from attnviz.core.scenario import Scenario
from attnviz.core.stages import pictured
from attnviz.explanation import Explanation
from attnviz.explanation.summary import described
from attnviz.features.explore.page.heatmaps import STYLE as HEATMAPS_STYLE
from attnviz.features.explore.page.heatmaps import heatmaps_file
from attnviz.features.explore.page.kept import keep_as_a, kept
from attnviz.features.explore.page.ways import open_panel
from attnviz.features.explore.parameters import BOARD, HEATMAPS, KEEP, OPEN, VIEW
from attnviz.figures import frames, picture_on_page
from attnviz.link.set_up import CHANGES
from attnviz.link.ways import way_to
from attnviz.published import OPENING, starting_points
from attnviz.words import say

_KEY = "playground.view"
_STYLE = Path(__file__).with_name("explore.css").read_text(encoding="utf-8")


@dataclass
class _First:
    """Whether the reader has done nothing yet."""

    visit: bool = True


def show_style() -> None:
    """Draw the style sheet of Explore and Compare."""
    st.html(f"<style>{asked_style('what_if_asked')}{_STYLE}</style>")


def chosen_view(scenario: Scenario) -> str:
    """Return the chosen view: heatmaps, or the board if it fits.

    Matrices that are too large for the board are shown as heatmaps; the choice is kept for smaller ones.
    """
    view: str = take(VIEW)
    return view if fits_board(scenario) else HEATMAPS


def show_way_to_board(scenario: Scenario) -> None:
    """Draw the link back to the board and the layers, above heatmaps."""
    if fits_board(scenario):
        st.button(say("playground.views.board"), key=_KEY, on_click=url_texts.put, args=(VIEW, BOARD))
        st.button(say("board.views.what_if"), key=f"{_KEY}.what_if", on_click=open_panel)
        if kept() is not None:
            st.button(say("compare.with_a"), key=f"{_KEY}.compare", on_click=go_to, args=("compare",))
    else:
        st.caption(say("playground.views.fits", most=MOST_COLUMNS), width="content")
    show_layer_picker(scenario)


def show_way_to_lesson(scenario: Scenario) -> None:
    """Draw the link to the lesson, for newcomers who have changed nothing."""
    first = this_session().part(_First)
    first.visit &= set(this_page().texts) <= {CHANGES} and scenario == starting_points()[OPENING].scenario
    way = way_to("lesson") if first.visit else None
    if way:
        st.button(say("playground.new_here", lesson=way.title), key="new_here", on_click=follow, args=(way,))
    else:
        st.empty()  # a placeholder: without it, Streamlit would recreate the board, which would lose its state


def keep_if_asked(scenario: Scenario) -> None:
    """Keep the set-up as A if the board asks for it."""
    if take(OPEN) == KEEP:
        # One message sends A and ends the request: between two messages, an edit might get into A.
        leave = url_texts.send if keep_as_a(scenario) else url_texts.correct
        leave(OPEN, "")


_HEATMAPS_KEY = "playground.heatmaps"
_heatmaps = component(
    "heatmaps",
    '<div class="heatmaps"></div>',
    lambda: heatmaps_file().fetched,
    css=HEATMAPS_STYLE,
)


def drawn_heatmaps(trace: AttentionTrace, picked: Explanation | None, query: int, digits: int) -> dict[str, Any]:
    """Return the data of a trace's heatmaps."""
    groups = [group for group in pictured(trace.stages) if not is_elsewhere(group[-1])]
    return {
        "groups": groups,
        "pictures": {
            name: picture_on_page(trace, name, digits=digits, query=query, alt=described(trace, name, query, digits))
            for group in groups
            for name in group
        },
        "frames": [] if picked is None else frames(picked),
    }


def show_heatmaps(trace: AttentionTrace, scenario: Scenario, query: int, seen: Sequence[int]) -> None:
    """Draw all matrices in the order of computation, beside the learned ones.

    `seen` identifies the displayed numbers, so that parts of the page that show older ones can be marked.
    """
    picked = picked_cell(trace, scenario)
    asks = {"at": AT, "page": HEATMAPS} if has_numbers(scenario) else None
    beside = {"from": current_mark(), "numbers": asks, "numbersOf": numbers_of(scenario, *seen)}
    data = drawn_heatmaps(trace, picked, query, state.digits()) | beside
    this_session().painting.begun = True
    # Without a picked cell, the choice of a cell is above the heatmaps; with one, it's in the gap below its matrix.
    choice = st.container()
    with st.container(key="heatmaps_place"):
        _heatmaps(key=_HEATMAPS_KEY, data=json.dumps(data).encode(), on_picked_change=partial(_take_click, trace))
        with choice if picked is None else nullcontext(), show_picked(trace, picked, query):
            mark_while_older(scenario, "picked", *seen)


def _take_click(trace: AttentionTrace) -> None:
    message = this_session().get(_HEATMAPS_KEY).get("picked")
    if isinstance(message, Mapping):
        take_click(trace, *map(message.get, ("matrix", "row", "column")))
