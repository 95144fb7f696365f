"""The panel What if: what attention doesn't do, to try it and to compare it with the usual way."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st

from attnviz.app.parts.examples import PANEL, open_panel
from attnviz.app.parts.picked_cell import pick
from attnviz.app.parts.predicting import Asked, ask, prediction, show_outcome
from attnviz.app.playground.mask import show_mask
from attnviz.app.playground.replaced import keep_as_a, show_replaced
from attnviz.app.session import state, url_texts
from attnviz.app.session.address import go_to, turn
from attnviz.app.session.link_values import picked_head, picked_layer, picked_query, take
from attnviz.app.session.session import this_session
from attnviz.core.heads import of_whole
from attnviz.core.scenario import Scenario
from attnviz.core.tokens import token_labels
from attnviz.core.what_if import LARGEST, MOST_TYPED, PLACES, SWITCHES, TYPED, WhatIf
from attnviz.explanation.masking import key_of
from attnviz.explanation.origins import setting_in_words
from attnviz.link.parameter_table import BITS, OPEN, PREDICTED, WHAT_IF
from attnviz.teach.switched import Turned, about, alone, next_of, turned, turned_on, without
from attnviz.words import say

WIDGET = "what_if"


def show_what_if(scenario: Scenario) -> None:
    """Draw the panel, folded; what is on stands beside it, or in it."""
    on = WhatIf.read(scenario.what_if)
    session = this_session()
    if take(BITS) and not session.what_if_opened:  # what a link says is to be seen
        session.what_if_opened = True
        open_panel()
    if take(OPEN) == WHAT_IF:  # of a cell on the board, or of another page
        open_panel()
        url_texts.correct(OPEN, "")
    with st.expander(say("what_if.title"), key=PANEL, on_change="rerun") as panel:
        if panel.open:
            with st.container(key="what_if_panel"):
                if _asks(scenario):
                    return
                _show_ways(scenario, on)
                _show_happened(scenario, on)
                steps, mask, others = st.tabs([say(f"what_if.tabs.{name}") for name in ("steps", "mask", "others")])
                with steps:
                    _show_switches(scenario, on)
                with mask:
                    show_mask(scenario)
                with others:
                    show_replaced(scenario)
    if not panel.open:
        _show_ways(scenario, on)


def _show_ways(scenario: Scenario, on: WhatIf) -> None:
    """Draw the ways back from what is on."""
    if on.text:
        with st.container(horizontal=True, key="what_if_on"):
            st.button(say("what_if.compare"), type="primary", on_click=_keep_usual, args=(scenario,),
                      key="what_if.compare")  # fmt: skip
            st.button(say("what_if.back"), on_click=_put, args=(lambda _: WhatIf(),), key="what_if.back")


def _show_switches(scenario: Scenario, on: WhatIf) -> None:
    st.text(say("what_if.lead"))
    for switch in SWITCHES.values():
        if switch.name == TYPED:
            _show_typed(scenario, on)
        else:
            _show_switch(scenario, on, switch.name, switch.settings)


def _show_switch(scenario: Scenario, on: WhatIf, name: str, settings: tuple[str, ...]) -> None:
    key = f"what_if.{name}"
    session = this_session()
    session.put(key, on.get(name))
    st.radio(
        say(f"what_if.{name}.label"), ("", *settings), horizontal=True, key=key,
        format_func=lambda each: say(f"what_if.{_key(name, each)}.choice") if each else say("what_if.usual"),
        on_change=_put, args=(lambda now: now.with_(name, session.get(key)),),
    )  # fmt: skip
    if on.get(name):
        st.caption(say(key_of(f"{name}.{on.get(name)}", "more", scenario.reads_others)))


def _key(name: str, setting: str) -> str:
    return f"{name}.{setting.replace('-', '_')}"


def _show_typed(scenario: Scenario, on: WhatIf) -> None:
    names = {"query": token_labels(scenario.tokens, 40), "key": token_labels(scenario.read_tokens, 40)}
    st.markdown(say("what_if.typed.label", most=MOST_TYPED, n=len(on.typed)))
    with st.container(horizontal=True, vertical_alignment="bottom", key="what_if_typed"):
        row, column = (
            st.selectbox(say(f"what_if.typed.{axis}"), range(len(labels)), format_func=labels.__getitem__,
                         key=f"what_if.typed.{axis}", persist_state="session")
            for axis, labels in names.items()
        )  # fmt: skip
        number = st.number_input(say("what_if.typed.number"), -LARGEST, LARGEST, 5.0, 0.5, format="%g",
                                 key="what_if.typed.number", persist_state="session")  # fmt: skip
        st.button(say("what_if.typed.put"), on_click=_put, args=(lambda now: now.typing(row, column, number),),
                  key="what_if.typed.put")  # fmt: skip
        st.button(say("what_if.typed.clear"), on_click=_put, args=(lambda now: WhatIf(now.chosen),),
                  disabled=not on.typed, key="what_if.typed.clear")  # fmt: skip
    if on.typed:
        st.caption(say("what_if.typed.more"))


@dataclass
class _Waiting:
    """The switches to be turned once what they do was predicted, with the one that is asked about."""

    to: str = ""
    place: str = ""


def _waits(to: str = "", place: str = "") -> None:
    waiting = this_session().part(_Waiting)
    waiting.to, waiting.place = to, place


def _put(change: Callable[[WhatIf], WhatIf]) -> None:
    """Set the switches; in a callback, before the controls are drawn. What one does is predicted first."""
    scenario = this_session().scenario
    try:
        now = WhatIf.read(this_session().get(WIDGET))
        to = WhatIf.read(change(now).text)
    except ValueError:
        state.say(say("what_if.refused", most=MOST_TYPED))
        return
    place = turned_on(now, to)
    before = without(to, place) if place else to
    if place == TYPED:
        before = WhatIf(to.chosen, now.typed)
    if place and scenario is not None and not prediction(about(place)) and _turned(scenario, before, to, place):
        _turn(before.text)
        _waits(to.text, place)
    else:
        _turn(to.text)


def _turn(text: str) -> None:
    _waits()
    turn({WIDGET: text})


def _turned(scenario: Scenario, before: WhatIf, to: WhatIf, place: str) -> Turned | None:
    try:
        usual = replace(scenario, what_if=before.text)
        return turned(usual, to, place, picked_query(scenario), picked_head(scenario), picked_layer(scenario))
    except ValueError:  # doesn't fit the other settings, which is told where it's turned
        return None


def _asked(found: Turned, to: WhatIf) -> Asked:
    return Asked(about(found.place), _called(found.place, to), found.now, found.choices)


def _called(place: str, to: WhatIf) -> str:
    """Return what a switch does, in words."""
    if place == TYPED:
        return setting_in_words("what_if", WhatIf(typed=to.typed).text)
    name, _, way = place.partition(".")
    return say(
        "question_page.choose", label=say(f"what_if.{name}.label"), choice=say(f"what_if.{_key(name, way)}.choice")
    )


def _asks(scenario: Scenario) -> bool:
    """Ask what the switch that was pressed will do, where one was; return whether that is asked."""
    waiting = this_session().part(_Waiting)
    on, to = WhatIf.read(scenario.what_if), WhatIf.read(waiting.to)
    found = _turned(scenario, on, to, waiting.place) if waiting.place else None
    if found is None:
        _waits()
        return False
    cell = of_whole(found.before.stages, found.matrix, found.query, found.key)

    def then(_: str) -> None:
        pick(cell)
        _turn(waiting.to)

    with st.container(key="what_if_asked", gap="xsmall"):
        ask(_asked(found, to), then)
        st.button(say("what_if.predict.leave"), key="what_if.leave", type="tertiary", on_click=_waits)
    return True


def _show_happened(scenario: Scenario, on: WhatIf) -> None:
    """Tell what became of the number that was asked about last, why, and what to try next."""
    predicted: dict[str, str] = take(PREDICTED)
    is_on = {about(place): place for place in PLACES if without(on, place) != on}
    last = next((is_on[each] for each in reversed(predicted) if each in is_on), "")
    if not last:
        return
    found = _turned(scenario, without(on, last), on, last)
    if found is None:
        return
    was, now = found.numbers
    short = {each: say(f"what_if.predict.short.{each}", mirrored=now) for each in found.choices}
    told = say(f"question_page.{'stays' if was == now else 'moves'}", before=was, after=now)
    show_outcome(_asked(found, on), short, found.right, told)
    why = say(key_of(last, "more", scenario.reads_others))
    st.text(" ".join(filter(None, (found.misconception(predicted[about(last)]), why))))
    if then := next_of(replace(scenario, what_if=""), last):
        st.button(say("what_if.predict.next", choice=_called(then, on)), key="what_if.next", on_click=_put,
                  args=(lambda _: alone(then),))  # fmt: skip


def _keep_usual(scenario: Scenario) -> None:
    """Keep as A what attention does with the same set-up, so that B is what it doesn't do."""
    if keep_as_a(replace(scenario, what_if="")):
        go_to("pages/compare.py")
