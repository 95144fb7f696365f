"""The panel What if: try what attention doesn't do, and compare."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st

from attnviz.app.parts.picked_cell import picked_place
from attnviz.app.parts.predicting import ask, predicted, show_outcome
from attnviz.app.session import url_texts
from attnviz.app.session.address import go_to
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import picked_head, picked_layer, picked_query, take, traced_in_view
from attnviz.core.scenario import Scenario
from attnviz.core.tokens import token_labels
from attnviz.core.what_if import PLACES, TYPED, WhatIf
from attnviz.features.explore.page.chips import (
    MASK,
    OTHERS,
    PART,
    put,
    show_chips,
    show_conflicts,
    show_typed,
    show_why,
)
from attnviz.features.explore.page.kept import keep_as_a
from attnviz.features.explore.page.mask import show_mask
from attnviz.features.explore.page.replaced import show_replaced
from attnviz.features.explore.page.ways import PANEL, open_panel
from attnviz.features.explore.parameters import BITS, OPEN, WHAT_IF
from attnviz.features.explore.switch_predictions import (
    about,
    alone,
    choice_of,
    next_of,
    turned,
    without,
    yet_to_predict,
)
from attnviz.link.parameter_table import PREDICTED, PREDICTIONS, QUERY
from attnviz.predicting.choice_question import ChoiceQuestion, fails_at
from attnviz.words import say


@dataclass
class _Opened:
    """Whether a link's setting has opened the panel."""

    by_link: bool = False


def as_predicted(scenario: Scenario) -> tuple[Scenario, ChoiceQuestion | None]:
    """Return the scenario without a switch still to predict, and its question."""
    done = predicted(take(PREDICTIONS), take(PREDICTED))
    return yet_to_predict(scenario, done, picked_query(scenario), picked_head(scenario), picked_layer(scenario))


def show_what_if(scenario: Scenario, question: ChoiceQuestion | None) -> None:
    """Draw the folded panel; `asked` is predicted before its switch acts."""
    on = WhatIf.read(scenario.what_if)
    session = this_session()
    if take(BITS) and not session.part(_Opened).by_link:  # show the setting that the link has
        session.put(PART, OTHERS)
        open_panel()
        session.part(_Opened).by_link = True  # last, so that an interrupted run leaves it to the next one
    if take(OPEN) == WHAT_IF:  # a request from a cell of the board, or from another page
        open_panel()
        place = picked_place(traced_in_view(scenario))
        session.put(PART, place[0] if place and place[0] == MASK else None)
        url_texts.correct(OPEN, "")
    if question:
        open_panel()
    with st.expander(say("what_if.title"), key=PANEL, on_change="rerun") as panel:
        if panel.open:
            with st.container(key="opened_by_board"):
                if question:
                    _ask(question)
                else:
                    _show_chosen(scenario, on)
    if not panel.open:
        _show_ways(scenario, on)


def _show_chosen(scenario: Scenario, on: WhatIf) -> None:
    """Draw the chips, the open part, and a chip's result."""
    st.text(say("what_if.lead"))
    part = show_chips(scenario, on)
    if part:
        with st.container(key="what_if_part"):
            if part == TYPED:
                show_typed(scenario, on)
            elif part == MASK:
                show_mask(scenario)
            else:
                show_conflicts(scenario)
                show_replaced(scenario)
    if on.text:
        with st.container(key="what_if_happened"):
            with st.container(key="what_if_said"):
                told, then = _show_happened(scenario, on)
                show_why(scenario, without(on, told) if told else on)
            with st.container(key="what_if_then", gap="xsmall"):
                _show_ways(scenario, on)
                then()


def _show_ways(scenario: Scenario, on: WhatIf) -> None:
    """Draw the buttons that undo the changes, or compare without them."""
    if on.text:
        with st.container(horizontal=True, key="what_if_on"):
            st.button(say("what_if.back"), type="primary", on_click=put, args=(lambda _: WhatIf(),),
                      key="what_if.back")  # fmt: skip
            st.button(say("what_if.compare"), on_click=_keep_usual, args=(scenario,), key="what_if.compare")


def _ask(question: ChoiceQuestion) -> None:
    """Ask what a switch will do."""
    place = next(each for each in PLACES if about(each) == question.about)
    with st.container(key="what_if_asked", gap="xsmall"):
        ask(question)
        st.button(say("what_if.predict.leave"), key="what_if.leave", type="tertiary", on_click=put,
                  args=(lambda now: without(now, place),))  # fmt: skip


def _show_happened(scenario: Scenario, on: WhatIf) -> tuple[str, Callable[[], None]]:
    """Tell what became of the predicted number, and why.

    Returns the change that this is about, blank for none, and a function that draws buttons for what to try next.
    """
    predictions: dict[str, str] = take(PREDICTED)
    is_on = {about(place): place for place in PLACES if without(on, place) != on}
    last = next((is_on[each] for each in reversed(predictions) if each in is_on), "")
    if not last:
        return "", lambda: None
    usual = replace(scenario, what_if=without(on, last).text)

    def asks(query: int) -> ChoiceQuestion | None:
        return turned(usual, on, last, query, picked_head(scenario), picked_layer(scenario))

    query = picked_query(scenario)
    question = asks(query)
    if question is None:
        st.text(say("predicting.nothing.switch"))
        return "", lambda: None
    show_outcome(question)
    is_wrong = predictions[question.about] in question.wrong and last != TYPED
    other = fails_at(asks, predictions[question.about], query, len(scenario.tokens)) if is_wrong else None
    return last, lambda: _show_next(scenario, last, other)


def _show_next(scenario: Scenario, last: str, other: int | None) -> None:
    """Draw the buttons for another row and for the next change."""
    with st.container(horizontal=True, key="what_if_next"):
        if other is not None:
            st.button(say("predicting.see", token=token_labels(scenario.tokens, 40)[other]), key="what_if.see",
                      on_click=url_texts.put, args=(QUERY, other))  # fmt: skip
        if then := next_of(replace(scenario, what_if=""), last):
            st.button(say("what_if.predict.next", choice=choice_of(then)), key="what_if.next", on_click=put,
                      args=(lambda _: alone(then),))  # fmt: skip


def _keep_usual(scenario: Scenario) -> None:
    """Keep the same set-up with usual attention as A."""
    if keep_as_a(replace(scenario, what_if="")):
        go_to("compare")
