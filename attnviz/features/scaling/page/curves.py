"""A sweep on the page Scaling: its curves, findings and tables."""

from contextlib import suppress
from functools import partial

import pandas as pd
import streamlit as st

from attnviz.app.parts.charts import download, offer, show_pickable
from attnviz.app.session.session import this_session
from attnviz.app.text import is_dark
from attnviz.core.scenario import Scenario
from attnviz.features.scaling.curves import CURVE_ROWS, CURVES, Curve, curve_spec
from attnviz.features.scaling.in_words import (
    about_gradient,
    about_source,
    described_curve,
    flat_or_not,
    theory_against_measured,
)
from attnviz.features.scaling.page.controls import pick_dimension
from attnviz.features.scaling.page.rows import sampled
from attnviz.features.scaling.page.sweeps import Swept, inputs_of
from attnviz.features.sweeps.settings import OWN, SweepSettings
from attnviz.words import say
from attnviz.words.numbers import significant


def show_numbers(label: str, table: pd.DataFrame, name: str) -> None:
    """Show a table with its CSV."""
    st.markdown(f"### {label}")
    st.dataframe(table, hide_index=True, width="stretch")
    make = partial(table.to_csv, index=False)
    download(say("scaling.numbers.csv"), make, f"{name}.csv", f"scaling.csv.{name}")


_PLOT = CURVES[0]
_HEIGHT = 400  # pixels


def show_plot(swept: Swept) -> None:
    """Draw the large plot of variance over dimension."""
    _show_curve(swept, _PLOT, height=_HEIGHT)


def show_findings(swept: Swept) -> None:
    """Say whether the reader's line is flat, and how theory matches measurements."""
    table, settings, x = swept
    if OWN in settings.scales:
        st.text(flat_or_not(table, significant(settings.p)))
    st.text(theory_against_measured(table, settings.picked))
    if other := about_source(settings.source, x, settings.picked):
        st.text(other)


def show_theory() -> None:
    """Show why the variance of a dot product is d."""
    with st.container(horizontal=True, gap="large"):  # two formulas, one below the other on a narrow screen
        st.latex(
            r"\operatorname{Var}(q\cdot k)=\sum_{i=1}^{d}\operatorname{Var}(q_i k_i)=d\cdot 1\cdot 1=d", width="content"
        )
        st.latex(r"\operatorname{Var}\!\left(\frac{q\cdot k}{\sqrt d}\right)=\frac{d}{d}=1", width="content")
    st.caption(say("scaling.theory.assumption"))


def show_curves(swept: Swept) -> None:
    """Draw all statistics but the first plot's, by dimension."""
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


def show_tables(swept: Swept, scenario: Scenario | None) -> None:
    """Show one row's and the sweep's numbers, for download."""
    settings = swept.settings
    with suppress(ValueError):  # the bars say why there is no row
        if not settings.of_projections or inputs_of(scenario):
            row = sampled(settings, scenario, settings.picked)
            show_numbers(say("scaling.row.numbers", dim=settings.picked), row, "softmax_row")
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
    # With projections, the figures are means over rows: theory tells the mean variance, but the mean standard deviation
    # isn't its root.
    return curve.theory and not (settings.of_projections and curve.column == "std")
