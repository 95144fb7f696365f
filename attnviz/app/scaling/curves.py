"""What the scaling page shows of a sweep."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from attnviz.app.parts.charts import download, offer, show_offered, show_pickable
from attnviz.app.scaling.controls import pick_dimension
from attnviz.app.scaling.sweeps import Swept, inputs_of
from attnviz.app.session import url_texts
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import picked_query
from attnviz.app.text import is_dark, literal, message_of
from attnviz.core.limits import MAX_D
from attnviz.core.scenario import Scenario
from attnviz.core.tokens import visible
from attnviz.figures import CURVE_ROWS, CURVES, Curve, curve_spec, row_spec
from attnviz.link.parameter_table import QUERY, SWEEP, VIEW
from attnviz.link.set_up import query_of
from attnviz.scaling.experiment import sample_row
from attnviz.scaling.in_words import (
    about_gradient,
    about_source,
    described_curve,
    flat_or_not,
    theory_against_measured,
    write_number,
)
from attnviz.scaling.settings import OWN, SweepSettings, encode_settings, playground_scenario
from attnviz.words import say
from attnviz.words.numbers import significant


def show_numbers(label: str, table: pd.DataFrame, name: str) -> None:
    """Show a table, folded away, with its CSV."""
    with st.expander(label):
        st.dataframe(table, hide_index=True, width="stretch")
        make = partial(table.to_csv, index=False)
        download(say("scaling.numbers.csv"), make, f"{name}.csv", f"scaling.csv.{name}")


_PLOT = CURVES[0]
_HEIGHT = 400  # of it


def show_plot(swept: Swept) -> None:
    """Draw the large plot of variance over dimension."""
    _show_curve(swept, _PLOT, height=_HEIGHT)


def show_findings(swept: Swept) -> None:
    """Say whether the own line is flat, and how theory matches measurements."""
    table, settings, x = swept
    if OWN in settings.scales:
        st.text(flat_or_not(table, significant(settings.p)))
    st.text(theory_against_measured(table, settings.picked))
    if other := about_source(settings.source, x, settings.picked):
        st.text(other)


def show_theory() -> None:
    """Show why the variance of a dot product is d."""
    with st.container(horizontal=True, gap="large"):  # two formulas, one below the other where it is narrow
        st.latex(
            r"\operatorname{Var}(q\cdot k)=\sum_{i=1}^{d}\operatorname{Var}(q_i k_i)=d\cdot 1\cdot 1=d", width="content"
        )
        st.latex(r"\operatorname{Var}\!\left(\frac{q\cdot k}{\sqrt d}\right)=\frac{d}{d}=1", width="content")
    st.caption(say("scaling.theory.assumption"))


def show_curves(swept: Swept) -> None:
    """Draw every other statistic over the dimension."""
    table, settings, _ = swept
    for curves in CURVE_ROWS:
        row = [curve for curve in curves if curve.column in table and curve != _PLOT]
        for column, curve in zip(st.columns(len(row)) if row else (), row, strict=True):
            with column:
                _show_curve(swept, curve)
    st.caption(say("scaling.curve.caption"))
    if settings.statistics == "all":
        st.text("\n".join(about_gradient(table, settings.dims[-1])))


def _show_curve(swept: Swept, curve: Curve, height: int = 300) -> None:
    """Draw one statistic; a click on a point picks its dimension."""
    table, settings, _ = swept
    draw = partial(curve_spec, table, curve, picked=settings.picked, theory=_has_theory(curve, settings), height=height)
    key, alt = f"scaling.curve.{curve.column}", described_curve(table, curve.column, curve.title)
    clicked = show_pickable(draw(dark=is_dark()), key, alt)
    offer(key, curve.title, alt, draw)
    _take_click(curve.column, clicked)


def show_table(swept: Swept) -> None:
    """Show every number of the sweep, to read and to take home."""
    show_numbers(say("scaling.numbers.table"), swept.table, "scaling")


def _take_click(name: str, clicked: float | None) -> None:
    """Pick the dimension of a new click; charts repeat their last click."""
    key = f"scaling.clicked.{name}"
    if clicked is None:
        this_session().pop(key, None)
    elif this_session().get(key) != clicked:
        this_session().put(key, clicked)
        pick_dimension(round(clicked))
        st.rerun()


def _has_theory(curve: Curve, settings: SweepSettings) -> bool:
    # Within rows, the mean standard deviation is not the root of the mean variance, whose theory we know.
    return curve.theory and not (settings.of_projections and curve.column == "std")


def show_row(settings: SweepSettings, scenario: Scenario | None) -> None:
    """Show a softmax row at the picked dimension before and after scaling."""
    key = f"scaling.at.{settings.picked}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(say("scaling.row.dimension"), settings.dims, settings.dims.index(settings.picked), key=key,
                     on_change=lambda: pick_dimension(this_session().get(key)), width=140)  # fmt: skip
        _show_link(settings, scenario)
    own = settings.of_projections
    x = inputs_of(scenario) if own else None
    if own and (x is None or scenario is None):
        st.text(say("scaling.row.too_short"))
        return
    tokens = scenario.tokens if own and scenario is not None else ()
    query = picked_query(scenario) if own and scenario is not None else 0
    try:
        row = sample_row(settings.picked, settings.seed, n_keys=settings.keys, source=settings.source, query=query, x=x)
    except ValueError as error:
        st.text(say("scaling.row.bad", why=message_of(error)))
        return
    labels = [visible(token)[:12] for token in tokens]
    order = np.arange(len(row)) if labels else np.argsort(-row.scores.to_numpy())
    before, after = row.attention_weights_unscaled.to_numpy()[order], row.attention_weights.to_numpy()[order]
    left, right = st.columns(2)
    keys = labels or [say("scaling.row.key", number=k) for k in order]  # in the table, too, they have these numbers
    axis = None if labels else say("scaling.row.axis_sorted")
    raw = say("scaling.row.raw", dim=settings.picked, largest=write_number(before.max()))
    scaled = say("scaling.row.scaled", dim=settings.picked, largest=write_number(after.max()))
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


def _show_link(settings: SweepSettings, scenario: Scenario | None) -> None:
    dim = settings.picked
    if dim > MAX_D:
        st.text(say("scaling.row.playground_limit", most=MAX_D))
        return
    others = {name: text for name in (QUERY, VIEW) if (text := url_texts.current(name))}
    if sweep := encode_settings(settings):
        others[SWEEP] = sweep
    query = query_of(playground_scenario(scenario, settings), **others) if scenario else f"d_out={dim}"
    # Not st.page_link: the controls of this session would hold on to their values, and the URL would have both.
    st.link_button(
        say("scaling.row.playground", dim=dim), f"./?{query}", key="scaling.open", icon=":material/open_in_new:",
        help=say("scaling.row.playground_help"),
    )  # fmt: skip
