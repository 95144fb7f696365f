"""What the scaling page shows of a sweep."""

import numpy as np
import pandas as pd
import streamlit as st

from attnviz.figures import CURVES, Curve, curve_spec, row_spec
from attnviz.limits import MAX_D
from attnviz.scaling import sample_row, softmax_row
from attnviz.scaling_words import described_curve, theory_against_measured
from attnviz.scenario import Scenario
from attnviz.sweep_settings import SweepSettings
from attnviz.tokens import visible
from attnviz.ui.charts import show_figure, show_pickable
from attnviz.ui.scaling_controls import pick_dimension
from attnviz.ui.sweeps import inputs_of, swept
from attnviz.ui.text import is_dark

CLASSIC_SCORES = (0.1, -0.2, 0.3, -0.2, 0.5)
_BROKEN_DIMS = (2, 8, 32, 128, 512)


def show_theory(table: pd.DataFrame, settings: SweepSettings) -> None:
    """Show why the variance of a dot product is d, with the measured value beside it."""
    with st.container(horizontal=True, gap="large"):  # two formulas, one below the other where it is narrow
        st.latex(
            r"\operatorname{Var}(q\cdot k)=\sum_{i=1}^{d}\operatorname{Var}(q_i k_i)=d\cdot 1\cdot 1=d", width="content"
        )
        st.latex(r"\operatorname{Var}\!\left(\frac{q\cdot k}{\sqrt d}\right)=\frac{d}{d}=1", width="content")
    st.caption(
        "For independent entries with mean 0 and variance 1 (Vaswani et al. 2017, section 3.2.1, footnote 4). "
        "d is d_k, the length of the two vectors that are multiplied: of one head, not of the model."
    )
    if "none" in settings.scales and settings.source == "normal":
        st.text(theory_against_measured(table, settings.picked))


def show_curves(table: pd.DataFrame, settings: SweepSettings) -> None:
    """Draw every statistic over the dimension; a click on a point picks its dimension."""
    dark = is_dark()
    for start in range(0, len(CURVES), 3):
        for column, curve in zip(st.columns(3), CURVES[start : start + 3], strict=True):
            with column:
                spec = curve_spec(table, curve, picked=settings.picked, dark=dark)
                clicked = show_pickable(
                    spec, f"scaling.curve.{curve.column}", described_curve(table, curve.column, curve.title)
                )
                _take_click(curve.column, clicked)
    st.caption(
        "Bands: 99 % confidence. Dotted lines: what theory expects. The gradient is the norm of the softmax's "
        "Jacobian by its inputs: where it vanishes, nothing is learned. A key is dead when its weight is below "
        "a hundredth of an equal share. All dimensions share their draws (a smaller one reads the first d "
        "coordinates): each is right by itself, but they err together, so one smooth curve is one draw."
    )


def _take_click(name: str, clicked: float | None) -> None:
    """Pick the dimension of a new click; a chart keeps saying its last one until another is made."""
    key = f"scaling.clicked.{name}"
    if clicked is not None and st.session_state.get(key) != clicked:
        st.session_state[key] = clicked
        pick_dimension(round(clicked))
        st.rerun()


def show_row(settings: SweepSettings, scenario: Scenario | None) -> None:
    """Show one softmax row at the picked dimension, before and after scaling, and the way to the playground."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.markdown("#### One softmax row, up close")
        st.selectbox(
            "At dimension", settings.dims, settings.dims.index(settings.picked), key=f"scaling.at.{settings.picked}",
            on_change=_take_choice, args=(settings.picked,), width=140,
        )  # fmt: skip
        _show_link(settings.picked)
    x = inputs_of(scenario) if settings.source.endswith("-projections") else None
    row = sample_row(settings.picked, settings.seed, n_keys=settings.keys, source=settings.source, x=x)
    labels = [visible(token)[:12] for token in scenario.tokens] if x and scenario else None
    order = np.arange(len(row)) if labels else np.argsort(-row.scores.to_numpy())
    before, after = row.attention_weights_unscaled.to_numpy()[order], row.attention_weights.to_numpy()[order]
    left, right = st.columns(2)
    for column, name, weights, title in (
        (left, "none", before, f"Raw, d = {settings.picked}: largest {before.max():.3f}"),
        (right, "sqrt", after, f"Divided by √{settings.picked}: largest {after.max():.3f}"),
    ):
        with column:
            spec = row_spec({name: weights}, title, labels=labels, dark=is_dark())
            show_figure(spec, f"scaling.row.{name}", f"{title} of {len(row)} attention weights.", width="stretch")
    if not labels:
        st.caption("One query and its keys from the sweep's seed, the keys ordered by their score.")


def _take_choice(shown: int) -> None:
    pick_dimension(st.session_state[f"scaling.at.{shown}"])


def _show_link(dim: int) -> None:
    if dim > MAX_D:
        st.text(f"The playground goes up to d_out = {MAX_D}.")
    elif st.button(f"Open the playground with d_out = {dim}", key="scaling.open", on_click=_set_d_out, args=(dim,)):
        st.switch_page("pages/playground.py", query_params={})  # the controls write it anew


def _set_d_out(dim: int) -> None:
    st.session_state["d_out"] = dim


def show_classic_row() -> None:
    """Show the softmax of one small row times a factor."""
    st.markdown("#### The same five scores, made larger")
    left, right = st.columns([4, 8])
    with left:
        factor = st.slider("Times", 0.5, 16.0, 8.0, 0.5, key="scaling.factor", persist_state="session")
        st.text(f"scores: {', '.join(f'{score:g}' for score in CLASSIC_SCORES)}")
        for times in dict.fromkeys((1.0, factor)):
            weights = ", ".join(f"{weight:.4f}" for weight in softmax_row(CLASSIC_SCORES, times))
            st.text(f"softmax of {times:g} times them: {weights}")
        st.caption("Larger scores do not change the order, they make the largest take all: softmax saturates.")
    with right:
        rows = {"sqrt": softmax_row(CLASSIC_SCORES), "none": softmax_row(CLASSIC_SCORES, factor)}
        spec = row_spec(rows, f"Softmax of the row times 1 and times {factor:g}", dark=is_dark())
        for trace, label in zip(spec["data"], ("times 1", f"times {factor:g}"), strict=True):
            trace["name"] = label
        show_figure(spec, "scaling.classic", f"The largest weight goes from 0.287 to {rows['none'].max():.3f}.",
                    width="stretch")  # fmt: skip


def show_broken_assumption(scenario: Scenario | None) -> None:
    """Show that projections whose entries are not around zero break the argument."""
    st.markdown("#### Where the argument fails: `torch.rand` projections")
    x = inputs_of(scenario)
    if x is None:
        st.text("A sentence of at least two tokens shows it.")
        return
    tables = {}
    for init in ("uniform", "linear", "normal"):
        settings = SweepSettings(dims=_BROKEN_DIMS, trials=200, source=f"{init}-projections", scales=("sqrt",))
        tables[init] = swept(settings, x, statistics="dot products")
    left, right = st.columns([4, 8])
    with left:
        first, last = (
            {init: float(table.set_index("dim")["std"][dim]) for init, table in tables.items() if table is not None}
            for dim in (_BROKEN_DIMS[0], _BROKEN_DIMS[-1])
        )
        st.text(
            "Numbers between 0 and 1 have the mean 1/2, so all queries and keys point the same way: scores grow "
            "like d_k, not like √d_k, and dividing by √d_k does not keep the spread within a row. For this "
            f"sentence it goes from {first['uniform']:.2f} at d = {_BROKEN_DIMS[0]} to {last['uniform']:.2f} at "
            f"d = {_BROKEN_DIMS[-1]} with torch.rand, while zero-mean projections stay where they are "
            f"({first['normal']:.2f} to {last['normal']:.2f} with torch.randn, {first['linear']:.2f} to "
            f"{last['linear']:.2f} with nn.Linear)."
        )
        st.caption("The argument needs entries with mean 0. Trained and nn.Linear's projections are near it; "
                   "torch.rand, used in a well-known notebook for its readable numbers, is not.")  # fmt: skip
    with right:
        joined = pd.concat(
            [
                table.assign(scale="nn.Linear" if init == "linear" else init)
                for init, table in tables.items()
                if table is not None
            ]
        )
        spec = curve_spec(
            joined, Curve("std", "Spread of the scaled scores within a row"), dark=is_dark(), theory=False
        )
        show_figure(spec, "scaling.broken", described_curve(joined, "std", "Spread of scaled scores"), width="stretch")


def show_table(table: pd.DataFrame) -> None:
    """Show every number of the sweep, to read and to take home."""
    with st.expander("Every number as a table"):
        st.dataframe(table, hide_index=True, width="stretch")
        st.download_button(
            "Download as CSV", lambda: table.to_csv(index=False), "scaling.csv", "text/csv", on_click="ignore"
        )
