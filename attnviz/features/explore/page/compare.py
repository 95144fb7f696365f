"""Compare two set-ups, A and B, matrix by matrix."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from attnviz.app.components.pictures import show_pictures
from attnviz.app.parts.charts import offer
from attnviz.app.parts.predicting import show_outcome
from attnviz.app.parts.typed_cells import scenario_now
from attnviz.app.session import state, url_texts
from attnviz.app.session.url_texts import picked_head, picked_layer, take
from attnviz.core.attention import AttentionTrace
from attnviz.core.matrix_input import Edit
from attnviz.core.scenario import Scenario, traced
from attnviz.core.stages import STAGES
from attnviz.explanation.comparing import Comparison
from attnviz.explanation.numbers_from import projections_in_words
from attnviz.features.explore.compared import about, changed_in_words, moved_most, other_words
from attnviz.features.explore.mask_experiments import DTYPES, computed_in, read_way
from attnviz.features.explore.page.kept import keep_as_a
from attnviz.features.explore.parameters import B_BITS, PINNED
from attnviz.features.explore.replacements import CHANGES, about_other, is_made, of_other, shares_moved
from attnviz.figures import comparison_specs
from attnviz.figures.small_tables import comparison_on_page
from attnviz.link.parameter_table import OFF, PREDICTED, PREDICTIONS
from attnviz.link.parameter_table import QUERY as PICKED
from attnviz.published import OPENING, starting_points
from attnviz.words import say
from attnviz.words.numbers import written

CHANGED = Edit("w_q", 1, 0, -2.0)  # an adjective's query no longer looks for nouns, but for anything else
QUERY = 1


def example() -> tuple[Scenario, Scenario]:
    """Return A and B.

    >>> a, b = example()
    >>> a.tokens[QUERY], a.matrix("w_q")[1, 0].item(), b.matrix("w_q")[1, 0].item()
    ('fluffy', 2.0, -2.0)
    """
    a = starting_points()[OPENING].scenario
    return a, replace(a, edits=(*a.edits, CHANGED))


def as_computed(b: Scenario) -> AttentionTrace:
    """Return B's computation, in 16 bits if the address says so."""
    way = take(B_BITS)
    if not way:
        return traced(b)
    dtype, shifted = read_way(way)
    return computed_in(traced(b), DTYPES[dtype], shifted)


def show_keep(scenario: Scenario, a: Scenario | None) -> None:
    """Draw the buttons that keep, restore and forget A; list the differences."""
    way = take(B_BITS)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            say("compare.keep") if a is None else say("compare.keep_b"),
            on_click=keep,
            type="primary" if a is None else "secondary",
        )
        if a is not None:
            st.button(say("compare.back"), on_click=state.adopt, args=(a,), help=say("compare.back_help"))
            st.button(say("compare.forget"), on_click=url_texts.send, args=(PINNED, ""), type="tertiary")
            if way:
                st.button(say("compare.bits_back"), on_click=url_texts.send, args=(B_BITS, ""), type="tertiary")
        else:
            st.text(say("compare.nothing_yet"))
    if a is None:
        return
    _show_predicted(a, scenario, way)
    words = changed_in_words(a, scenario) + ([_bits_in_words(way)] if way else [])
    st.text(say("compare.differs", changes="; ".join(words)) if words else say("compare.same"))


def _show_predicted(a: Scenario, b: Scenario, way: str) -> None:
    """Tell the outcome of a prediction that was about B."""
    names = {about_other(name): name for name in CHANGES}
    predictions = [names[each] for each in take(PREDICTED) if each in names]
    if take(PREDICTIONS) == OFF:
        return
    for name in reversed(predictions):
        if (name == "bits") == bool(way) and is_made(name, a, b):
            view = picked_head(a), picked_layer(a)
            gap, _ = shares_moved(traced(a).for_head(*view), as_computed(b).for_head(*view))
            show_outcome(of_other(name, gap))
            return


def _bits_in_words(way: str) -> str:
    dtype, shifted = read_way(way)
    return say(f"compare.changes.{'bits' if shifted else 'bits_unshifted'}", dtype=dtype)


def keep() -> None:
    """Keep the current scenario as A."""
    scenario = scenario_now()
    if scenario is not None:
        keep_as_a(scenario)


def show_numbers(a: Scenario, b: Scenario) -> None:
    """Say whether A's and B's numbers are random, given or changed."""
    said = {"A": projections_in_words(a), "B": projections_in_words(b)}
    if said["A"] == said["B"]:
        st.caption(said["A"])
        return
    for which, numbers in said.items():
        st.caption(say("compare.numbers", which=which, numbers=numbers))


def show_comparison(comparison: Comparison, query: int) -> None:
    """Draw each compared matrix of A, of B, and their difference."""
    aside = other_words(comparison)
    if aside:
        st.caption(aside)
    for name in comparison.names:
        stage = comparison.b.stages[name]
        st.markdown(f"### {stage.title}")
        st.caption(about(comparison, name))
        draw = partial(comparison_specs, comparison, name, digits=state.digits(), query=query)
        for label, alt in _show_matrix(comparison, name, query, f"compare.{name}").items():
            called = say("compare.label", title=stage.title, which=label)
            offer(f"compare.{name}.{label}", called, alt, partial(_one_of, draw, label))


def show_example() -> None:
    """Draw a worked comparison as a preview, before the reader makes one."""
    a, b = example()
    before, after = (
        written(scenario.matrix(CHANGED.matrix)[CHANGED.row, CHANGED.column].item(), 2) for scenario in (a, b)
    )
    with st.container(border=True, key="compare_preview"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(f"### {say('compare.example.title')}")
            st.button(say("compare.example.open"), on_click=_open_example)
        places = {"symbol": STAGES[CHANGED.matrix].symbol, "row": CHANGED.row, "column": CHANGED.column}
        st.text(say("compare.example.change", **places, before=before, after=after))
        _show_matrix(Comparison(traced(a), traced(b)), "attention_weights", QUERY, "compare.example")


def _open_example() -> None:
    a, b = example()
    keep_as_a(a)
    url_texts.put(PICKED, QUERY)
    state.adopt(b)


def _show_matrix(comparison: Comparison, name: str, query: int, key: str) -> dict[str, str]:
    """Draw A, B and their difference; return their descriptions."""
    digits, title = state.digits(), comparison.b.stages[name].title
    moved = moved_most(comparison, name, digits)
    st.text("\n".join(moved))
    labels = ("A", "B") if comparison.difference(name) is None else ("B − A", "A", "B")
    alts = {label: say("compare.alt", title=title, which=label, moved=" ".join(moved)) for label in labels}
    show_pictures(comparison_on_page(comparison, name, digits=digits, query=query, alts=alts), key)
    return alts


def _one_of(draw: Callable[[], dict[str, dict[str, Any]]], label: str) -> dict[str, Any]:
    return draw()[label]
