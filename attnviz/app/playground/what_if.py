"""The panel What if: try what attention doesn't do, and compare."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from attnviz.app.parts.examples import PANEL, keep_as_a, open_panel
from attnviz.app.parts.picked_cell import pick, picked_place
from attnviz.app.parts.predicting import ask, lead_on, predicted, show_outcome
from attnviz.app.playground.mask import show_mask
from attnviz.app.playground.replaced import show_replaced
from attnviz.app.session import state, url_texts
from attnviz.app.session.address import go_to, turn
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import picked_head, picked_layer, picked_query, take, traced_in_view
from attnviz.core.heads import of_whole
from attnviz.core.scenario import Scenario
from attnviz.core.tokens import token_labels
from attnviz.core.what_if import LARGEST, MOST_TYPED, PLACES, SWITCHES, TYPED, WhatIf
from attnviz.explanation.masking import key_of
from attnviz.link.parameter_table import BITS, OPEN, PREDICTED, PREDICTIONS, QUERY, WHAT_IF
from attnviz.teach.predictions import Asked, fails_at
from attnviz.teach.switched import about, alone, called, next_of, turned, without, yet_to_predict
from attnviz.words import say

WIDGET = "what_if"
_FIRST = "what_if.first"  # the stage of the cell that led here: what changes it stands first
_OF = {"k": "q", "scaled_scores": "attention_weights"}


def as_predicted(scenario: Scenario) -> tuple[Scenario, Asked | None]:
    """Return the scenario without a switch still to predict, and its question."""
    done = predicted(take(PREDICTIONS), take(PREDICTED))
    return yet_to_predict(scenario, done, picked_query(scenario), picked_head(scenario), picked_layer(scenario))


def show_what_if(scenario: Scenario, asked: Asked | None) -> None:
    """Draw the folded panel; `asked` is predicted before its switch acts."""
    on = WhatIf.read(scenario.what_if)
    session = this_session()
    if take(BITS) and not session.what_if_opened:  # what a link says is to be seen
        session.what_if_opened = True
        open_panel()
    if take(OPEN) == WHAT_IF:  # of a cell on the board, or of another page
        open_panel()
        place = picked_place(traced_in_view(scenario))
        session.put(_FIRST, _OF.get(place[0], place[0]) if place else "")
        url_texts.correct(OPEN, "")
    if asked:
        open_panel()
    with st.expander(say("what_if.title"), key=PANEL, on_change="rerun") as panel:
        if panel.open:
            with st.container(key="what_if_panel"):
                if asked:
                    _ask(scenario, asked)
                    return
                _show_ways(scenario, on)
                _show_happened(scenario, on)
                tabs = {name: say(f"what_if.tabs.{name}") for name in ("steps", "mask", "others")}
                steps, mask, others = st.tabs(list(tabs.values()), default=tabs.get(session.get(_FIRST, "")))
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
            st.button(
                say("what_if.compare"), type="primary", on_click=_keep_usual, args=(scenario,), key="what_if.compare"
            )
            st.button(say("what_if.back"), on_click=_put, args=(lambda _: WhatIf(),), key="what_if.back")


def _show_switches(scenario: Scenario, on: WhatIf) -> None:
    st.text(say("what_if.lead"))
    first = this_session().get(_FIRST, "")
    for switch in sorted(SWITCHES.values(), key=lambda each: each.stage != first):
        if switch.name == TYPED:
            _show_typed(scenario, on)
        else:
            _show_switch(scenario, on, switch.name, switch.settings)


def _show_switch(scenario: Scenario, on: WhatIf, name: str, settings: tuple[str, ...]) -> None:
    st.radio(
        say(f"what_if.{name}.label"), ("", *settings), horizontal=True,
        format_func=lambda each: say(f"what_if.{_key(name, each)}.choice") if each else say("what_if.usual"),
        captions=[say(f"what_if.{_key(name, each)}.does") for each in ("", *settings)],
        **this_session().held(f"what_if.{name}", on.get(name), lambda to: _put(lambda now: now.with_(name, to))),
    )  # fmt: skip
    if on.get(name):
        st.caption(say(key_of(f"{name}.{on.get(name)}", "more", scenario.reads_others)))


def _key(name: str, setting: str) -> str:
    return f"{name}.{setting.replace('-', '_')}".rstrip(".")


def _show_typed(scenario: Scenario, on: WhatIf) -> None:
    names = {"query": token_labels(scenario.tokens, 40), "key": token_labels(scenario.read_tokens, 40)}
    st.markdown(say("what_if.typed.label", most=MOST_TYPED, n=len(on.typed)))
    with st.container(horizontal=True, vertical_alignment="bottom", key="what_if_typed"):
        row, column = (
            st.selectbox(say(f"what_if.typed.{axis}"), range(len(labels)), format_func=labels.__getitem__,
                         index=picked_query(scenario) if axis == "query" else 0, key=f"what_if.typed.{axis}",
                         persist_state="session")
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


def _put(change: Callable[[WhatIf], WhatIf]) -> None:
    """Set the switches; in a callback, before the controls are drawn."""
    try:
        to = WhatIf.read(change(WhatIf.read(this_session().get(WIDGET))).text)
    except ValueError:
        state.say(say("what_if.refused", most=MOST_TYPED))
        return
    turn({WIDGET: to.text})
    lead_on()


def _ask(scenario: Scenario, asked: Asked) -> None:
    """Ask what a switch will do, and pick the cell it changes."""
    place = next(each for each in PLACES if about(each) == asked.about)
    cell = asked.cell and of_whole(traced_in_view(scenario).stages, *asked.cell)
    with st.container(key="what_if_asked", gap="xsmall"):
        ask(asked, lambda: pick(cell))
        st.button(say("what_if.predict.leave"), key="what_if.leave", type="tertiary", on_click=_put,
                  args=(lambda now: without(now, place),))  # fmt: skip


def _show_happened(scenario: Scenario, on: WhatIf) -> None:
    """Tell what became of the predicted number, why, and what to try."""
    made: dict[str, str] = take(PREDICTED)
    is_on = {about(place): place for place in PLACES if without(on, place) != on}
    last = next((is_on[each] for each in reversed(made) if each in is_on), "")
    if not last:
        return
    usual = replace(scenario, what_if=without(on, last).text)

    def asks(query: int) -> Asked | None:
        return turned(usual, on, last, query, picked_head(scenario), picked_layer(scenario))

    query = picked_query(scenario)
    asked = asks(query)
    if asked is None:
        st.text(say("predicting.nothing.switch"))
        return
    show_outcome(asked)
    with st.container(horizontal=True, key="what_if_next"):
        if made[asked.about] in asked.wrong:
            other = fails_at(asks, made[asked.about], query, len(scenario.tokens))
            if other is not None and last != TYPED:
                st.button(say("predicting.see", token=token_labels(scenario.tokens, 40)[other]), key="what_if.see",
                          on_click=url_texts.put, args=(QUERY, other))  # fmt: skip
        if then := next_of(replace(scenario, what_if=""), last):
            st.button(say("what_if.predict.next", choice=called(then, alone(then))), key="what_if.next", on_click=_put,
                      args=(lambda _: alone(then),))  # fmt: skip


def _keep_usual(scenario: Scenario) -> None:
    """Keep the same set-up with usual attention as A."""
    if keep_as_a(replace(scenario, what_if="")):
        go_to("compare")
