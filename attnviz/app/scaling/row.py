"""One softmax row of the scaling page, at the picked dimension."""

from functools import partial

import numpy as np
import streamlit as st

from attnviz.app.parts.charts import show_offered
from attnviz.app.refusals import told
from attnviz.app.scaling.controls import pick_dimension
from attnviz.app.scaling.numbers_table import show_numbers
from attnviz.app.scaling.sweeps import inputs_of
from attnviz.app.session import url_texts
from attnviz.app.session.link_values import picked_query
from attnviz.app.session.session import this_session
from attnviz.app.text import literal
from attnviz.core.limits import MAX_D
from attnviz.core.scenario import Scenario
from attnviz.core.tokens import visible
from attnviz.figures import row_spec
from attnviz.link.parameter_table import QUERY, SWEEP, VIEW
from attnviz.link.set_up import query_of
from attnviz.scaling.experiment import sample_row
from attnviz.scaling.in_words import shown
from attnviz.scaling.settings import SweepSettings, encode_settings, playground_scenario
from attnviz.words import say


def show_row(settings: SweepSettings, scenario: Scenario | None) -> None:
    """Show one softmax row at the picked dimension, before and after scaling, and the way to the playground."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            say("scaling.row.dimension"), settings.dims, settings.dims.index(settings.picked),
            key=f"scaling.at.{settings.picked}", on_change=_take_choice, args=(settings.picked,), width=140,
        )  # fmt: skip
        _show_link(settings, scenario)
    own = settings.of_projections
    x = inputs_of(scenario) if own else None
    if own and (x is None or scenario is None):
        st.text(say("scaling.row.too_short"))
        return
    tokens = scenario.tokens if own and scenario is not None else ()
    query = picked_query(scenario) if own and scenario is not None else 0
    try:
        row = sample_row(
            settings.picked, settings.seed, n_keys=settings.keys, source=settings.source, query=query,
            x=x,
        )  # fmt: skip
    except ValueError as error:
        st.text(say("scaling.row.bad", why=told(error)))
        return
    labels = [visible(token)[:12] for token in tokens]
    order = np.arange(len(row)) if labels else np.argsort(-row.scores.to_numpy())
    before, after = row.attention_weights_unscaled.to_numpy()[order], row.attention_weights.to_numpy()[order]
    left, right = st.columns(2)
    keys = labels or [say("scaling.row.key", number=k) for k in order]  # in the table, too, they have these numbers
    axis = None if labels else say("scaling.row.axis_sorted")
    raw = say("scaling.row.raw", dim=settings.picked, largest=shown(before.max()))
    scaled = say("scaling.row.scaled", dim=settings.picked, largest=shown(after.max()))
    for column, name, weights, title in ((left, "none", before, raw), (right, "sqrt", after, scaled)):
        with column:
            draw = partial(row_spec, {name: weights}, title, labels=labels, keys=keys, axis=axis)
            alt = say("scaling.row.alt", title=title, n=len(row))
            show_offered(draw, f"scaling.row.{name}", title, alt, width="stretch")
    if labels:
        st.caption(say("scaling.row.of_query", token=literal(visible(tokens[query]))))
    else:
        st.caption(say("scaling.row.of_vectors"))
    show_numbers(say("scaling.row.numbers"), row, "softmax_row")


def _take_choice(shown: int) -> None:
    pick_dimension(this_session().get(f"scaling.at.{shown}"))


def _show_link(settings: SweepSettings, scenario: Scenario | None) -> None:
    dim = settings.picked
    if dim > MAX_D:
        st.text(say("scaling.row.playground_limit", most=MAX_D))
        return
    others = {name: text for name in (QUERY, VIEW) if (text := url_texts.receive(name)[0])}
    if sweep := encode_settings(settings):
        others[SWEEP] = sweep
    query = query_of(playground_scenario(scenario, settings), **others) if scenario else f"d_out={dim}"
    # Not st.page_link: the controls of this session would hold on to their values, and the URL would have both.
    st.link_button(
        say("scaling.row.playground", dim=dim), f"./?{query}", key="scaling.open", icon=":material/open_in_new:",
        help=say("scaling.row.playground_help"),
    )  # fmt: skip
