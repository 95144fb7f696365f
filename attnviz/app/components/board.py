"""The board: the whole computation as one component, editable in place."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from attnviz.app.components import at_once, rest_of_page
from attnviz.app.components.at_once import AT, UNUSABLE, Change, change_of
from attnviz.app.components.board_looks import Looks, as_place
from attnviz.app.components.drawing import Drawing, Drawn, drawn_data, packed
from attnviz.app.components.script_file import BOARD_FILE
from attnviz.app.parts import examples
from attnviz.app.parts.picked_cell import pick, picked_place
from attnviz.app.parts.typed_cells import scenario_now
from attnviz.app.parts.what_if_panel import open_panel
from attnviz.app.refusals import told
from attnviz.app.session import address, state, url_texts
from attnviz.app.session.answering import answered, answering, note_answer, sent_by
from attnviz.app.session.given import giving
from attnviz.app.session.link_values import picked_head, picked_layer, picked_query
from attnviz.app.session.painting import painting
from attnviz.app.streamlit_internals import is_fragment_run
from attnviz.board.data import board_data, has_numbers
from attnviz.board.script import BOARD_STYLE
from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import Scenario
from attnviz.link.page_texts import Place
from attnviz.link.parameter_table import HEAD, LAYER, QUERY
from attnviz.words import say

_OF_NOW = ("playground.board", "lesson.board")
_board = st.components.v2.component(
    "attnviz_board",
    html='<div class="board"></div>',
    css=BOARD_STYLE,
    js=BOARD_FILE.fetched,
)


def show_board(
    scenario: Scenario,
    trace: AttentionTrace,
    query: int,
    looks: Looks,
    *,
    key: str,
    make: Callable[[Change], None],
    follow: Callable[[int], None],
) -> None:
    """Draw a trace as a board. What is edited on it becomes edits of the scenario that `make` applies a change to;
    `follow` is told which token is picked."""
    drawn = drawn_data(scenario, trace, query, state.digits(), looks, of_now=False)
    _draw(key, packed(drawn | {"key": key, "answered": answered(key)}), make, follow)


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
        key=key, data=packed(data | more),
        on_changes_change=lambda: _take_changes(key, lambda change: state.say(told), follow, picks=False, pin=pin),
        on_rest_change=lambda: None,
    )  # fmt: skip


@st.fragment
def show_board_of_now(looks: Looks, *, key: str = "playground.board", follows_picks: bool = False) -> None:
    """Draw the board of the current scenario, on which all pages follow what is edited and picked.

    It is a fragment of the page, so that after an edit torch's numbers stand on it first. Then the board asks for the
    rest of the page, where that `follows_picks` after a pick, too: see rest_of_page.py. The numbers of a small board it
    asks for even before it tells of an edit: see at_once.py.
    """
    if is_fragment_run() and st.session_state.pop(_asked(key), False):
        st.rerun()
    made = _of_now(looks, key, follows_picks)
    if made is not None:
        drawn, beside = made
        _draw(key, drawn.beside(beside), _change_scenario_of_now, _pick_token, picks=True)


def _of_now(looks: Looks, key: str, follows_picks: bool) -> tuple[Drawn, dict[str, Any]] | None:
    """Return what the board of the current scenario draws, and what the session adds to that; None where there is none,
    while the sentence is blank."""
    scenario = state.current_scenario()
    if scenario is None:
        return None
    query, head, layer = picked_query(scenario), picked_head(scenario), picked_layer(scenario)
    painting().begin_first()
    drawing = Drawing(scenario, head, layer, state.digits(), looks)
    page, asks = at_once.asking_page(), has_numbers(scenario)
    drawn = page.drawn(drawing) if asks else drawing.made()
    picked = picked_place(drawn.trace)
    beside = {
        "key": key,
        "query": query,
        "answered": answered(key),
        "picked": as_place(picked),
        "asks": {"at": AT, "word": page.word, "taken": page.taken} if asks else None,
    }
    seen = query, head, layer, picked
    beside |= rest_of_page.of_this_run(key, drawn.numbers_of, seen, follows_picks=follows_picks)
    if asks:
        page.stand(drawn, beside, lambda sent: _take_at_once(sent, looks, follows_picks))
    return drawn, beside


def _take_at_once(sent: Mapping[str, Any], looks: Looks, follows_picks: bool) -> bytes | None:
    """Take edits beside the runs of the page; return what the board is sent, with what the address is to say: it
    may have it before Streamlit's page tells it. None where a run is to take them; taken twice, they are the same."""
    key, number = str(sent["key"]), sent["number"]
    if not isinstance(number, int | float) or number <= answered(key):
        return None
    _do_on_board(sent, _pick_token, picks=True, pin=None)
    _change_scenario_of_now(change_of(sent["edits"]))
    note_answer(key, number)
    made = _of_now(looks, key, follows_picks)
    return made and made[0].beside(made[1] | {"address": address.write()})


def _draw(
    key: str, data: bytes, make: Callable[[Change], None], follow: Callable[[int], None], picks: bool = False
) -> None:
    _board(
        key=key,
        data=data,
        on_changes_change=lambda: _take_changes(key, make, follow, picks=picks),
        on_rest_change=rest_of_page.follow,
    )


def _asked(key: str) -> str:
    return f"{key}.asked"


def _from_place(sent: dict[str, Any] | None) -> Place | None:
    return None if sent is None else (str(sent["matrix"]), int(sent["row"]), int(sent["column"]))


def _take_changes(
    key: str, make: Callable[[Change], None], follow: Callable[[int], None], *, picks: bool,
    pin: Callable[[Place | None], None] | None = None,
) -> None:  # fmt: skip
    """Pick the cell pinned on the board, and lay the edits over the scenario; what does not fit gets a message."""
    sent = sent_by(key, "changes")
    if sent is not None and not (picks and _is_taken(key, sent)):
        _take(key, sent, make, follow, picks=picks, pin=pin)


def _is_taken(key: str, sent: Any) -> bool:
    """Whether this message was taken beside the runs of the page, and its answer didn't come in time, or not at all."""
    return isinstance(sent, dict) and sent.get("number") == answered(key) != 0


def take_left(sent: Any) -> None:
    """Take what a component had to tell when its page was left, before it could: what was done on the board of the
    current scenario; what others tell is seen on their page alone."""
    try:
        key, number = str(sent["key"]), int(sent["number"])
    except UNUSABLE:
        return
    if number <= answered(key):
        return
    if key in _OF_NOW:
        _take(key, sent, _change_scenario_of_now, _pick_token, picks=True, pin=None)
    else:
        with answering(key, number):
            pass


def _take(
    key: str, sent: Any, make: Callable[[Change], None], follow: Callable[[int], None], *, picks: bool,
    pin: Callable[[Place | None], None] | None,
) -> None:  # fmt: skip
    try:
        with answering(key, int(sent["number"])), giving():
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
                _do_on_board(sent, follow, picks=picks, pin=pin)
            if sent["edits"]:
                make(change_of(sent["edits"]))
    except UNUSABLE as error:
        state.say(say("board.refused", why=told(error)))


def _do_on_board(
    sent: Any, follow: Callable[[int], None], *, picks: bool, pin: Callable[[Place | None], None] | None
) -> None:
    """Pick and pin what is picked and pinned on the board."""
    if picks or pin is not None:
        (pin or pick)(_from_place(sent["pinned"]))
    if picks and sent.get("head") is not None:
        url_texts.put(HEAD, int(sent["head"]))
    if sent.get("query") is not None:
        follow(int(sent["query"]))


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
