"""Replacements of the given matrices, each tried as B beside A.

A change is computed only when the reader asks for it, because with a thousand features it takes a second.
"""

import hashlib
import math
from collections.abc import Callable
from functools import partial

import streamlit as st

from attnviz.app.parts.charts import show_figure
from attnviz.app.parts.predicting import ask, lead_on, prediction
from attnviz.app.session import state, url_texts
from attnviz.app.session.address import go_to
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import picked_head, picked_layer, take
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.app.text import is_dark
from attnviz.core.attention import AttentionTrace
from attnviz.core.dropout import can_drop, dropout, dropped, mean_of_draws, n_draws
from attnviz.core.limits import MAX_SEED
from attnviz.core.scenario import Scenario, traced
from attnviz.core.stages import ALL_STAGES
from attnviz.core.tokens import token_labels
from attnviz.documents import table_svg
from attnviz.explanation.factors import factors_of, times
from attnviz.features.explore.mask_experiments import DTYPES, computed_in, in_few_bits, read_way, way_of
from attnviz.features.explore.page.kept import keep_as_a
from attnviz.features.explore.parameters import B_BITS, BITS
from attnviz.features.explore.replacements import (
    about_other,
    can_add_to_row,
    can_be_equal,
    equal_projections,
    equal_weights,
    has_one_matrix,
    of_other,
    one_matrix,
    rank_of_match,
    row_plus,
    shares_moved,
)
from attnviz.figures.small_tables import Table
from attnviz.link.parameter_table import QUERY
from attnviz.words import listed, say, thousands
from attnviz.words.numbers import significant, written

MOST = 100.0
_BITS, _SHIFTED = "what_if.replaced.bits", "what_if.replaced.shifted"
ASKED = "what_if.replaced.asked"  # session key: which replacement, or the mask, the reader is asked about
_RANKS = 32  # cached
_DRAWN = 16  # tokens, up to which a table of the mean is drawn


def show_replaced(scenario: Scenario) -> None:
    """Draw each possible replacement with a button to predict and try it."""
    if scenario.what_if:  # their sentences are only true without switches
        st.text(say("what_if.replaced.first_back"))
        return
    computed, layer = traced(scenario), picked_layer(scenario)
    _show_matrices(scenario, computed)
    with (item := _item("times")):
        c = _number(say("what_if.replaced.times"), "times", 2.0)
    _offer(item, "times", scenario, partial(times, scenario, c), partial(_told_of_times, scenario, computed, c, layer))
    with (item := _item("row")):
        row = st.selectbox(
            say("what_if.replaced.row"), range(len(scenario.tokens)), key="what_if.replaced.row",
            format_func=token_labels(scenario.tokens, 40).__getitem__, persist_state="session", width=200,
        )  # fmt: skip
        added = _number(say("what_if.replaced.added"), "added", 5.0)
    can = can_add_to_row(scenario)
    told = partial(say, f"what_if.replaced.{'row_done' if can else 'row_not'}")
    _offer(item, "row", scenario, partial(row_plus, scenario, int(row), added), told, can)
    _show_dropout(scenario, computed, layer)
    _show_few_bits(scenario, computed, layer)


def _told_of_times(scenario: Scenario, computed: AttentionTrace, c: float, layer: int) -> str:
    found = factors_of(scenario, computed, c, layer)
    done = "times_done" if scenario.n_layers == 1 else "times_done_in_layer"
    told = [say(f"what_if.replaced.{done}", c=significant(c), told=_factors_in_words(found), layer=layer)]
    if scenario.reads_others:  # only X is multiplied, not the other vectors that keys are made from
        told.append(say(f"what_if.replaced.times_y.{scenario.reads}"))
    return " ".join(told)


def _show_matrices(scenario: Scenario, computed: AttentionTrace) -> None:
    with (item := _item("one_matrix")):
        with_m = has_one_matrix(scenario)
        st.text(say(f"what_if.replaced.{'m_for_both' if with_m else 'no_matrix'}"))
    _offer(item, "one_matrix", scenario, partial(one_matrix, scenario), partial(_told_of_m, scenario, with_m), with_m)
    with (item := _item("equal")):
        can = can_be_equal(scenario)
        st.text(say(f"what_if.replaced.{'k_as_q' if can else 'no_equal'}"))
    _offer(item, "equal", scenario, partial(equal_projections, scenario), partial(_told_of_equal, computed, can), can)


def _told_of_m(scenario: Scenario, can: bool) -> str:
    rank = _rank(_digest(scenario), scenario) if can else 0
    return say("what_if.replaced.one_matrix", rank=rank, d_in=scenario.d_in) if can else ""


def _told_of_equal(computed: AttentionTrace, can: bool) -> str:
    if not can:
        return ""
    kind = {None: "equal_scores", True: "equal_both", False: "equal"}[equal_weights(computed)]
    return say(f"what_if.replaced.{'equal_alone' if len(computed.tokens) == 1 else kind}")


def _digest(scenario: Scenario) -> str:
    """Return a key for the matrices that M is made of."""
    both = (scenario.matrix(name).contiguous().numpy().tobytes() for name in ("w_q", "w_k"))
    return f"{scenario.d_in}/{hashlib.sha256(b''.join(both)).hexdigest()}"


@st.cache_data(max_entries=_RANKS, show_spinner=False)
def _rank(key: str, _scenario: Scenario) -> int:
    return rank_of_match(_scenario)


def _show_dropout(scenario: Scenario, computed: AttentionTrace, layer: int) -> None:
    can = can_drop(scenario)
    with (item := _item("dropout")):
        p = float(st.number_input(say("what_if.replaced.dropout"), 0.0, 0.9, 0.1, 0.1, key="what_if.replaced.dropout",
                                  persist_state="session", width=200))  # fmt: skip
        seed = int(st.number_input(say("what_if.replaced.draw"), 0, MAX_SEED, 0, 1, key="what_if.replaced.draw",
                                   persist_state="session", width=200))  # fmt: skip
        mean = st.toggle(
            say("what_if.replaced.mean"), False, key="what_if.replaced.mean", persist_state="session", disabled=not can
        )
    several = can and scenario.n_heads * scenario.n_layers > 1
    told = say(f"what_if.replaced.{'dropout_done' if can else 'dropout_not'}")
    told = f"{told} {say('what_if.replaced.dropout_of_all')}" if several else told
    _offer(item, "dropout", scenario, partial(dropout, scenario, p, seed), lambda: told, can)
    if mean and can:
        _show_mean(computed.for_head(picked_head(scenario), layer), p, seed)


def _show_mean(computed: AttentionTrace, p: float, seed: int) -> None:
    weights = computed.attention_weights
    made = mean_of_draws(weights, p)
    gaps = [written(float((each - weights).abs().max()), state.digits()) for each in (made, dropped(weights, p, seed))]
    st.text(say("what_if.replaced.mean_done", draws=thousands(n_draws(weights)), gap=gaps[0], own=gaps[1], seed=seed))
    names, read = token_labels(computed.tokens, 40), token_labels(computed.read_tokens, 40)
    table = Table(ALL_STAGES["attention_weights"].title, made, "share", names, read, sums=True)
    if max(made.shape) <= _DRAWN:
        show_figure(table_svg(table, state.digits(), dark=is_dark()), "what_if.replaced.mean.table")


def _show_few_bits(scenario: Scenario, whole: AttentionTrace, layer: int) -> None:
    with (item := _item("bits")):
        dtype, shifted = read_way(take(BITS))
        session = this_session()
        session.put(_BITS, dtype)
        session.put(_SHIFTED, shifted)
        st.selectbox(say("what_if.replaced.bits"), tuple(DTYPES), key=_BITS, on_change=_choose_bits, width=200)
        st.toggle(say("what_if.replaced.shifted"), key=_SHIFTED, on_change=_choose_bits)
    trace, made = whole.layers[layer], partial(computed_in, whole, DTYPES[dtype], shifted)
    found = in_few_bits(trace, DTYPES[dtype], shifted)
    told = [
        say(f"what_if.replaced.{kind}", matrix=trace.stages[lost.stage].title, n=lost.n, count=lost.size)
        if lost
        else say(f"what_if.replaced.not_{kind}")
        for kind, lost in (("broken", found.broken), ("zero", found.zero))
    ]
    if math.isfinite(found.gap):
        told.append(say("what_if.replaced.bits_gap", gap=written(found.gap, 4)))
    told = [say("what_if.replaced.of_layer", layer=layer), *told] if scenario.n_layers > 1 else told
    _offer(item, "bits", scenario, lambda: scenario, lambda: " ".join(told), made=made, way=way_of(dtype, shifted))


def _choose_bits() -> None:
    session = this_session()
    url_texts.put(BITS, way_of(session.get(_BITS), session.get(_SHIFTED)))


def _item(name: str) -> DeltaGenerator:
    return st.container(horizontal=True, vertical_alignment="bottom", key=f"what_if_replaced_{name}")


def _number(label: str, name: str, start: float) -> float:
    key = f"what_if.replaced.{name}"
    # With %g, because two decimals would show a small number as 0.
    return float(
        st.number_input(label, -MOST, MOST, start, 0.5, format="%g", key=key, persist_state="session", width=200)
    )


def _offer(
    item: DeltaGenerator, name: str, before: Scenario, make: Callable[[], Scenario | None], told: Callable[[], str],
    can: bool = True, made: Callable[[], AttentionTrace] | None = None, way: str = "",
) -> None:  # fmt: skip
    """Draw the button that tries a change, after asking for a prediction.

    With a `way` to compute in 16 bits, the set-up stays the same, and `made` returns its trace in 16 bits.
    """
    predicted = prediction(about_other(name))
    after = make() if can and not predicted and this_session().get(ASKED) == name else None
    if after is not None:
        view = picked_head(before), picked_layer(before)
        both = traced(before), made() if made else traced(after)
        gap, row = shares_moved(*(each.for_head(*view) for each in both))
        with st.container(key="what_if_other_asked", gap="xsmall"):
            ask(of_other(name, gap), lambda: _try(before, make, way, row))
        return
    then = partial(_try, before, make, way) if predicted else partial(ask_first, name)
    item.button(
        say("what_if.replaced.compare"), key=f"what_if.replaced.{name}.compare", disabled=not can, on_click=then
    )
    if (predicted or not can) and (sentence := told()):
        st.caption(sentence)


def ask_first(name: str) -> None:
    """Ask for a prediction about a change, in a callback."""
    this_session().put(ASKED, name)
    lead_on()


def _try(before: Scenario, make: Callable[[], Scenario | None], way: str = "", moves: int | None = None) -> None:
    """Keep the set-up as A and try the change, in a callback."""
    after = make()
    if after is not None and keep_as_a(before):
        if way:
            url_texts.send(B_BITS, way)
        else:
            state.adopt(after)
        go_to("compare")
        if moves is not None:
            url_texts.put(QUERY, moves)


def _factors_in_words(by: dict[str, float | None]) -> str:
    one = [say("what_if.replaced.times_by", symbol=ALL_STAGES[name].symbol, factor=written(factor, 2))
           for name, factor in by.items() if factor is not None]  # fmt: skip
    none = [ALL_STAGES[name].symbol for name, factor in by.items() if factor is None]
    return "; ".join([*one, *([say("what_if.replaced.times_none", symbols=listed(none))] if none else [])])
