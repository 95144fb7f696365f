"""The board: the whole computation as one component, editable in place."""

import json
import math
from collections.abc import Callable
from typing import Any, cast

import streamlit as st

from attnviz.app.components.board_file import BOARD_FILE
from attnviz.app.components.board_looks import Looks, as_place
from attnviz.app.components.followed import numbers_of
from attnviz.app.components.token_picker import tips_of
from attnviz.app.parts import examples
from attnviz.app.parts.picked_cell import pick, picked_place
from attnviz.app.parts.typed_cells import scenario_now
from attnviz.app.parts.what_if_panel import open_panel
from attnviz.app.refusals import told
from attnviz.app.session import state, url_texts
from attnviz.app.session.answering import answered, answering
from attnviz.app.session.link_values import picked_query, traced_in_view
from attnviz.app.streamlit_internals import is_fragment_run
from attnviz.board.data import board_data
from attnviz.board.script import BOARD_STYLE
from attnviz.core.attention import AttentionTrace
from attnviz.core.changes import edit_cells
from attnviz.core.scenario import Scenario
from attnviz.explanation.numbers_from import features_of, numbers_in_words
from attnviz.explanation.summary import out_of_the_ordinary
from attnviz.explanation.what_if import scores_switched
from attnviz.link.page_texts import Place
from attnviz.link.parameter_table import HEAD, LAYER, QUERY
from attnviz.words import say

Change = Callable[[Scenario], Scenario]

_board = st.components.v2.component(
    "attnviz_board",
    html='<div class="board"></div>',
    css=BOARD_STYLE,
    js=BOARD_FILE.fetched,
)


def show_board(
    scenario: Scenario, trace: AttentionTrace, query: int, looks: Looks, *, key: str = "playground.board",
    make: Callable[[Change], None] | None = None, follow: Callable[[int], None] | None = None, of_now: bool = False,
) -> None:  # fmt: skip
    """Draw matrices of a trace as a board.

    What is edited on it becomes edits of the current scenario, or of the one that `make` applies a change to; `follow`
    is told which token is picked, where that isn't the one that all pages follow.
    A board `of_now` has the picked cell pinned, picks the cell that is pinned on it, and asks for the rest of the
    page after each change.
    """
    make = make or _change_scenario_of_now
    about = _about(scenario, trace) if looks.about is None and looks.sentence else looks.about or ""
    data = board_data(scenario, trace, query, state.digits(), looks.names, features_of(scenario)) | looks.sent() | {
        "plane": looks.sentence and looks.says and of_now and not scores_switched(trace),
        "tips": tips_of(scenario) if looks.sentence else [],
        "text": scenario.text, "examples": examples.offered() if looks.sentence and of_now else [], "about": about,
        "key": key, "answered": answered(key), "ofNow": of_now, "numbersOf": numbers_of(scenario),
    }  # fmt: skip
    if of_now:
        data["picked"] = as_place(picked_place(trace))
    _board(
        key=key,
        data=_packed(data),
        on_changes_change=lambda: _take_changes(key, make, follow or _pick_token, picks=of_now),
        on_rest_change=lambda: st.session_state.update({_asked(key): True}),
    )


def show_board_of_model(
    trace: AttentionTrace, query: int, *, names: tuple[str, ...], key: str, follow: Callable[[int], None],
    pin: Callable[[Place | None], None] | None = None, origin: str | None = None, fixed: str | None = None, **more: Any,
) -> None:  # fmt: skip
    """Draw these matrices of one head of a model, with the sentence over them; no number is changed on it. `pin` is
    told which cell is pinned.

    `origin` says where the tokens' vectors are from, `fixed` why nothing is changed; `more` is sent in place of what is
    sent else.
    """
    tip = {"published": False, "origin": say("models.page.token") if origin is None else origin}
    data = board_data(None, trace, query, state.digits(), names) | {
        "lit": None, "only": None, "fresh": (), "framed": False, "sentence": True, "says": True, "ribbons": True,
        "scaled": False, "plane": False, "ghosts": (), "tells": None, "play": None, "tips": [tip] * len(trace.tokens),
        "text": "", "examples": [], "about": " ".join(trace.notices), "notes": {}, "key": key,
        "answered": answered(key), "ofNow": False, "whatIf": [], "fixed": True, "numbersOf": key,
    }  # fmt: skip
    told = say("models.page.fixed") if fixed is None else fixed
    _board(
        key=key, data=_packed(data | more),
        on_changes_change=lambda: _take_changes(key, lambda change: state.say(told), follow, picks=False, pin=pin),
        on_rest_change=lambda: None,
    )  # fmt: skip


@st.fragment
def show_board_of_now(looks: Looks, *, key: str = "playground.board") -> None:
    """Draw the board of the current scenario.

    It is a fragment of the page, so that after an edit torch's numbers stand on it first. Once they do, the board
    asks for the rest of the page.
    """
    if is_fragment_run() and st.session_state.pop(_asked(key), False):
        st.rerun()
    scenario = state.current_scenario()
    if scenario is not None:
        show_board(scenario, traced_in_view(scenario), picked_query(scenario), looks, key=key, of_now=True)


def _packed(data: dict[str, Any]) -> bytes:
    """Return the data as the board takes them. Of a dict, Streamlit would look for a table in each of its values, and
    write it as JSON twice: a fifth of the time in which a change is answered."""
    return json.dumps(data).encode()


def _about(scenario: Scenario, trace: AttentionTrace) -> str:
    return " ".join((numbers_in_words(scenario), *trace.notices, *out_of_the_ordinary(trace)))


def _asked(key: str) -> str:
    return f"{key}.asked"


def _from_place(sent: dict[str, Any] | None) -> Place | None:
    return None if sent is None else (str(sent["matrix"]), int(sent["row"]), int(sent["column"]))


def _number(sent: float | str | None) -> float | None:
    """Return a number as the board sends it: −∞, which JSON does not have, comes as a word."""
    return -math.inf if sent == "-Infinity" else cast("float | None", sent)


def _take_changes(
    key: str, make: Callable[[Change], None], follow: Callable[[int], None], *, picks: bool,
    pin: Callable[[Place | None], None] | None = None,
) -> None:  # fmt: skip
    """Pick the cell pinned on the board, and lay the edits over the scenario; what does not fit gets a message."""
    sent = st.session_state[key].get("changes")
    try:
        with answering(key, int(sent["number"])):
            if picks and sent.get("example") is not None:
                examples.use(str(sent["example"]))
                st.session_state[_asked(key)] = True
            elif picks and sent.get("whatIf") is True:
                open_panel()
                st.session_state[_asked(key)] = True
            elif picks and sent.get("layer") is not None:
                url_texts.put(LAYER, int(sent["layer"]))
                st.session_state[_asked(key)] = True
            elif picks and sent.get("text") is not None:
                st.session_state["text"] = str(sent["text"])
                st.session_state[_asked(key)] = True
            else:
                if picks or pin is not None:
                    (pin or pick)(_from_place(sent["pinned"]))
                if picks and sent.get("head") is not None:
                    url_texts.put(HEAD, int(sent["head"]))
                if sent.get("query") is not None:
                    follow(int(sent["query"]))
            if sent["edits"]:
                cells = {
                    (each["matrix"], each["row"], each["column"]): _number(each["value"]) for each in sent["edits"]
                }
                make(lambda scenario: edit_cells(scenario, cells))
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        state.say(say("board.refused", why=told(error)))


def _pick_token(position: int) -> None:
    """Follow another token; one that is followed already stays out of the address."""
    scenario = scenario_now()
    if scenario is not None and position != picked_query(scenario):
        url_texts.put(QUERY, position)


def _change_scenario_of_now(change: Change) -> None:
    scenario = scenario_now()
    if scenario is not None:
        state.keep(change(scenario))
        state.redraw_editors()
