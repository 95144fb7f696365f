"""What if some given matrices were others: each change is tried as B beside the current set-up, A.

What a change makes of the set-up is computed once it is asked for: of a thousand features, it takes a second.
"""

import hashlib
import math
from collections.abc import Callable
from functools import partial

import streamlit as st

from attnviz.app.parts.charts import show_figure
from attnviz.app.session import state, url_texts
from attnviz.app.session.address import go_to
from attnviz.app.session.link_values import picked_head, picked_layer, take
from attnviz.app.session.session import this_session
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.app.text import is_dark
from attnviz.core.attention import AttentionTrace
from attnviz.core.limits import MAX_SEED
from attnviz.core.scenario import Scenario, traced
from attnviz.core.stages import ALL_STAGES
from attnviz.core.tokens import token_labels
from attnviz.figures.small_tables import table_spec
from attnviz.link.parameter_table import B_BITS, BITS, PINNED, texts
from attnviz.teach.few_bits import DTYPES, in_few_bits, read_way, way_of
from attnviz.teach.masked import dropped, mean_of_draws, n_draws
from attnviz.teach.questions.seeing import Table
from attnviz.teach.replaced import (
    can_add_to_row,
    can_be_equal,
    can_drop,
    dropout,
    equal_projections,
    equal_weights,
    factors_of,
    has_one_matrix,
    one_matrix,
    rank_of_match,
    row_plus,
    times,
)
from attnviz.words import listed, say
from attnviz.words.numbers import significant, written

MOST = 100.0
_BITS, _SHIFTED = "what_if.replaced.bits", "what_if.replaced.shifted"
_RANKS = 32  # kept
_DRAWN = 16  # tokens, whose weights are drawn with their numbers


def show_replaced(scenario: Scenario) -> None:
    """Draw what can be replaced, each with a button that tries and compares it."""
    if scenario.what_if:  # what is said of them is true of the usual arithmetic
        st.text(say("what_if.replaced.first_back"))
        return
    computed, layer = traced(scenario), picked_layer(scenario)
    _show_matrices(scenario, computed)
    with _item("times"):
        c = _number(say("what_if.replaced.times"), "times", 2.0)
        _show_button("times", scenario, partial(times, scenario, c))
    found = factors_of(scenario, computed, c, layer)
    done = "times_done" if scenario.n_layers == 1 else "times_done_in_layer"
    told = [say(f"what_if.replaced.{done}", c=significant(c), told=_factors_in_words(found), layer=layer)]
    if scenario.reads_others:  # X is multiplied, as is said; what else keys are made of isn't
        told.append(say(f"what_if.replaced.times_y.{scenario.reads}"))
    st.caption(" ".join(told))
    with _item("row"):
        row = st.selectbox(
            say("what_if.replaced.row"), range(len(scenario.tokens)), key="what_if.replaced.row",
            format_func=token_labels(scenario.tokens, 40).__getitem__, persist_state="session", width=200,
        )  # fmt: skip
        added = _number(say("what_if.replaced.added"), "added", 5.0)
        can = can_add_to_row(scenario)
        _show_button("row", scenario, partial(row_plus, scenario, int(row), added), can)
    st.caption(say(f"what_if.replaced.{'row_done' if can else 'row_not'}"))
    _show_dropout(scenario, computed, layer)
    _show_few_bits(scenario, computed.layers[layer], layer if scenario.n_layers > 1 else None)


def _show_matrices(scenario: Scenario, computed: AttentionTrace) -> None:
    with _item("one_matrix"):
        with_m = has_one_matrix(scenario)
        told = {"rank": _rank(_digest(scenario), scenario), "d_in": scenario.d_in} if with_m else {}
        st.text(say(f"what_if.replaced.{'one_matrix' if with_m else 'no_matrix'}", **told))
        _show_button("one_matrix", scenario, partial(one_matrix, scenario), with_m)
    with _item("equal"):
        can = can_be_equal(scenario)
        kind = "no_equal"
        if can:
            symmetric = equal_weights(computed)
            kind = {None: "equal_scores", True: "equal_both", False: "equal"}[symmetric]
            kind = "equal_alone" if len(scenario.tokens) == 1 else kind
        st.text(say(f"what_if.replaced.{kind}"))
        _show_button("equal", scenario, partial(equal_projections, scenario), can)


def _digest(scenario: Scenario) -> str:
    """Return what tells apart the matrices that M is made of."""
    both = (scenario.matrix(name).contiguous().numpy().tobytes() for name in ("w_q", "w_k"))
    return f"{scenario.d_in}/{hashlib.sha256(b''.join(both)).hexdigest()}"


@st.cache_data(max_entries=_RANKS, show_spinner=False)
def _rank(key: str, _scenario: Scenario) -> int:
    return rank_of_match(_scenario)


def _show_dropout(scenario: Scenario, computed: AttentionTrace, layer: int) -> None:
    can = can_drop(scenario)
    with _item("dropout"):
        p = float(st.number_input(say("what_if.replaced.dropout"), 0.0, 0.9, 0.1, 0.1, key="what_if.replaced.dropout",
                                  persist_state="session", width=200))  # fmt: skip
        seed = int(st.number_input(say("what_if.replaced.draw"), 0, MAX_SEED, 0, 1, key="what_if.replaced.draw",
                                   persist_state="session", width=200))  # fmt: skip
        _show_button("dropout", scenario, partial(dropout, scenario, p, seed), can)
        mean = st.toggle(say("what_if.replaced.mean"), False, key="what_if.replaced.mean", persist_state="session",
                         disabled=not can)  # fmt: skip
    several = can and scenario.n_heads * scenario.n_layers > 1
    told = say(f"what_if.replaced.{'dropout_done' if can else 'dropout_not'}")
    st.caption(f"{told} {say('what_if.replaced.dropout_of_all')}" if several else told)
    if mean and can:
        _show_mean(computed.seen_from(picked_head(scenario), layer), p, seed)


def _show_mean(computed: AttentionTrace, p: float, seed: int) -> None:
    weights = computed.attention_weights
    made = mean_of_draws(weights, p)
    gaps = [written(float((each - weights).abs().max()), state.digits()) for each in (made, dropped(weights, p, seed))]
    st.text(say("what_if.replaced.mean_done", draws=f"{n_draws(weights):,}", gap=gaps[0], own=gaps[1], seed=seed))
    names, read = token_labels(computed.tokens, 40), token_labels(computed.read_tokens, 40)
    table = Table(ALL_STAGES["attention_weights"].title, made, "share", names, read, sums=True)
    if max(made.shape) <= _DRAWN:
        show_figure(table_spec(table, state.digits(), is_dark()), "what_if.replaced.mean.table", table.title)


def _show_few_bits(scenario: Scenario, trace: AttentionTrace, layer: int | None) -> None:
    with _item("bits"):
        dtype, shifted = read_way(take(BITS))
        session = this_session()
        session.put(_BITS, dtype)
        session.put(_SHIFTED, shifted)
        st.selectbox(say("what_if.replaced.bits"), tuple(DTYPES), key=_BITS, on_change=_choose_bits, width=200)
        st.toggle(say("what_if.replaced.shifted"), key=_SHIFTED, on_change=_choose_bits)
        st.button(say("what_if.replaced.compare"), key="what_if.replaced.bits.compare", on_click=_try_bits,
                  args=(scenario, way_of(dtype, shifted)))  # fmt: skip
    found = in_few_bits(trace, DTYPES[dtype], shifted)
    told = [
        say(f"what_if.replaced.{kind}", matrix=trace.stages[lost.stage].title, n=lost.n, count=lost.size)
        if lost else say(f"what_if.replaced.not_{kind}")
        for kind, lost in (("broken", found.broken), ("zero", found.zero))
    ]  # fmt: skip
    if math.isfinite(found.gap):
        told.append(say("what_if.replaced.bits_gap", gap=written(found.gap, 4)))
    st.caption(" ".join(told if layer is None else [say("what_if.replaced.of_layer", layer=layer), *told]))


def _try_bits(scenario: Scenario, way: str) -> None:
    """Keep the set-up as A; B is the same with numbers of 16 bits."""
    if keep_as_a(scenario):
        url_texts.send(B_BITS, way)
        go_to("pages/compare.py")


def _choose_bits() -> None:
    session = this_session()
    url_texts.put(BITS, way_of(session.get(_BITS), session.get(_SHIFTED)))


def _item(name: str) -> DeltaGenerator:
    return st.container(horizontal=True, vertical_alignment="bottom", key=f"what_if_replaced_{name}")


def _number(label: str, name: str, start: float) -> float:
    key = f"what_if.replaced.{name}"
    # In as few digits as it takes: two after the point would show a small number as 0.
    return float(st.number_input(label, -MOST, MOST, start, 0.5, format="%g", key=key, persist_state="session",
                                 width=200))  # fmt: skip


def _show_button(name: str, before: Scenario, make: Callable[[], Scenario | None], can: bool = True) -> None:
    st.button(say("what_if.replaced.compare"), key=f"what_if.replaced.{name}.compare", disabled=not can,
              on_click=_try, args=(before, make))  # fmt: skip


def _try(before: Scenario, make: Callable[[], Scenario | None]) -> None:
    """Keep the set-up as A, and make the other one the set-up; in a callback, before the controls are drawn."""
    after = make()
    if after is not None and keep_as_a(before):
        state.adopt(after)
        go_to("pages/compare.py")


def _factors_in_words(by: dict[str, float | None]) -> str:
    one = [say("what_if.replaced.times_by", symbol=ALL_STAGES[name].symbol, factor=written(factor, 2))
           for name, factor in by.items() if factor is not None]  # fmt: skip
    none = [ALL_STAGES[name].symbol for name, factor in by.items() if factor is None]
    return "; ".join([*one, *([say("what_if.replaced.times_none", symbols=listed(none))] if none else [])])


def keep_as_a(scenario: Scenario) -> bool:
    """Keep a set-up as A, in a callback; a message where a link can't hold it."""
    packed = texts()[PINNED].write(scenario)
    if not url_texts.fits(PINNED, packed):
        state.say(say("compare.too_large"))
        return False
    url_texts.send(PINNED, packed)
    return True
