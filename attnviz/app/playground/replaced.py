"""What if some given matrices were others: each change is tried as B beside the current set-up, A."""

import math

import streamlit as st

from attnviz.app.session import state, url_texts
from attnviz.app.session.navigation import go_to
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.core.limits import MAX_SEED
from attnviz.core.scenario import Scenario, traced
from attnviz.core.stages import STAGES
from attnviz.core.tokens import token_labels
from attnviz.explanation.listing import listed
from attnviz.link.parameter_table import PINNED, texts
from attnviz.teach.few_bits import DTYPES, in_few_bits
from attnviz.teach.replaced import dropout, equal_projections, factors, one_matrix, rank_of_match, row_plus, times
from attnviz.words import say
from attnviz.words.numbers import written

MOST = 100.0


def show_replaced(scenario: Scenario) -> None:
    """Draw what can be replaced, each with a button that tries and compares it."""
    st.markdown(f"##### {say('what_if.replaced.heading')}")
    if scenario.what_if:  # what is said of them is true of the usual arithmetic
        st.text(say("what_if.replaced.first_back"))
        return
    with_m, equal = one_matrix(scenario), equal_projections(scenario)
    told = {"rank": rank_of_match(scenario), "d_in": scenario.d_in} if with_m else {}
    with _item("one_matrix"):
        st.text(say(f"what_if.replaced.{'one_matrix' if with_m else 'no_matrix'}", **told))
        _show_button("one_matrix", scenario, with_m)
    with _item("equal"):
        st.text(say(f"what_if.replaced.{'equal' if equal else 'no_equal'}"))
        _show_button("equal", scenario, equal)
    with _item("times"):
        c = _number(say("what_if.replaced.times"), "times", 2.0)
        _show_button("times", scenario, times(scenario, c))
    st.caption(say("what_if.replaced.times_done", c=f"{c:g}", told=_factors_in_words(scenario, c)))
    with _item("row"):
        row = st.selectbox(
            say("what_if.replaced.row"), range(len(scenario.tokens)), key="what_if.replaced.row",
            format_func=token_labels(scenario.tokens, 40).__getitem__, persist_state="session", width=200,
        )  # fmt: skip
        added = _number(say("what_if.replaced.added"), "added", 5.0)
        moved = row_plus(scenario, int(row), added)
        _show_button("row", scenario, moved)
    st.caption(say(f"what_if.replaced.{'row_done' if moved else 'row_not'}"))
    with _item("dropout"):
        p = st.number_input(say("what_if.replaced.dropout"), 0.0, 0.9, 0.1, 0.1, key="what_if.replaced.dropout",
                            persist_state="session", width=200)  # fmt: skip
        seed = st.number_input(say("what_if.replaced.draw"), 0, MAX_SEED, 0, 1, key="what_if.replaced.draw",
                               persist_state="session", width=200)  # fmt: skip
        dropped = dropout(scenario, float(p), int(seed))
        _show_button("dropout", scenario, dropped)
    st.caption(say(f"what_if.replaced.{'dropout_done' if dropped else 'dropout_not'}"))
    _show_few_bits(scenario)


def _show_few_bits(scenario: Scenario) -> None:
    with _item("bits"):
        dtype = st.selectbox(say("what_if.replaced.bits"), tuple(DTYPES), key="what_if.replaced.bits",
                             persist_state="session", width=200)  # fmt: skip
        shifted = st.toggle(say("what_if.replaced.shifted"), True, key="what_if.replaced.shifted",
                            persist_state="session")  # fmt: skip
    trace = traced(scenario).layers[0]
    found = in_few_bits(trace, DTYPES[dtype], shifted)
    told = [
        say(f"what_if.replaced.{kind}", matrix=trace.stages[lost.stage].title, n=lost.n, count=lost.size)
        if lost else say(f"what_if.replaced.not_{kind}")
        for kind, lost in (("broken", found.broken), ("zero", found.zero))
    ]  # fmt: skip
    if math.isfinite(found.gap):
        told.append(say("what_if.replaced.bits_gap", gap=written(found.gap, 4)))
    st.caption(" ".join(told))


def _item(name: str) -> DeltaGenerator:
    return st.container(horizontal=True, vertical_alignment="bottom", key=f"what_if_replaced_{name}")


def _number(label: str, name: str, start: float) -> float:
    key = f"what_if.replaced.{name}"
    return float(st.number_input(label, -MOST, MOST, start, 0.5, key=key, persist_state="session", width=200))


def _show_button(name: str, before: Scenario, after: Scenario | None) -> None:
    if st.button(say("what_if.replaced.compare"), key=f"what_if.replaced.{name}.compare", disabled=after is None,
                 on_click=_try, args=(before, after)):  # fmt: skip
        go_to("pages/compare.py")


def _try(before: Scenario, after: Scenario | None) -> None:
    """Keep the set-up as A, and make the other one the set-up; in a callback, before the controls are drawn."""
    if after is not None and keep_as_a(before):
        state.adopt(after)


def _factors_in_words(scenario: Scenario, c: float) -> str:
    by = factors(traced(scenario), traced(times(scenario, c)))
    one = [say("what_if.replaced.times_by", symbol=STAGES[name].symbol, factor=written(factor, 2))
           for name, factor in by.items() if factor is not None]  # fmt: skip
    none = [STAGES[name].symbol for name, factor in by.items() if factor is None]
    return "; ".join([*one, *([say("what_if.replaced.times_none", symbols=listed(none))] if none else [])])


def keep_as_a(scenario: Scenario) -> bool:
    """Keep a set-up as A, in a callback; a message where a link can't hold it."""
    packed = texts()[PINNED].write(scenario)
    if not url_texts.fits(PINNED, packed):
        state.say(say("compare.too_large"))
        return False
    url_texts.send(PINNED, packed)
    return True
