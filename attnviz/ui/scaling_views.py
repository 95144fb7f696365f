"""What the scaling page shows of a sweep."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from attnviz.figures import CURVES, Curve, curve_spec, row_spec
from attnviz.limits import MAX_D
from attnviz.link import query_of
from attnviz.numbers import in_format
from attnviz.scaling import sample_row, softmax_row
from attnviz.scaling_words import described_curve, flat_or_not, theory_against_measured
from attnviz.scenario import Scenario
from attnviz.sweep_settings import HEADS, OWN, SweepSettings, encode_settings, playground_scenario
from attnviz.tokens import visible
from attnviz.ui import bound, state
from attnviz.ui.charts import offer, show_offered, show_pickable
from attnviz.ui.scaling_controls import pick_dimension, show_times
from attnviz.ui.sweeps import inputs_of, swept
from attnviz.ui.text import is_dark, literal

CLASSIC_SCORES = (0.1, -0.2, 0.3, -0.2, 0.5)
_D_MODEL = 512  # with 8 heads, the paper's
_BROKEN_DIMS = (2, 8, 32, 128, 512)
_BROKEN_TOKENS = 64  # at most, and as many trials as leave it quick
_BROKEN_SCORES = 200_000
# What the worked line means where the entries are not those of the paper.
_IN_THEORY = {
    "uniform": "Entries from 0 to 1 have the mean 1/2: a product has the variance 1/9 − 1/16 = 7/144, and d of them "
    "7/144 d. The mean of the sum grows like d, but all keys share it, and softmax does not see it.",
    "uniform-projections": "Scores within a row. All share a direction, so that the variance grows like d², not "
    "like d: read more below, where the argument fails.",
    "linear-projections": "Scores within a row. Entries of these w_q and w_k have the mean 0, so that the variance "
    "grows like d, from less than 1 because nn.Linear draws small numbers.",
    "normal-projections": "Scores within a row. Entries of these w_q and w_k have the mean 0, so that the variance "
    "grows like d, from whatever the sentence's vectors make it.",
}


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
    st.text(theory_against_measured(table, settings.picked))
    if settings.source in _IN_THEORY:
        st.text(_IN_THEORY[settings.source])
    if OWN in settings.scales:
        st.text(flat_or_not(table, f"{settings.p:g}"))


def show_curves(table: pd.DataFrame, settings: SweepSettings) -> None:
    """Draw every statistic over the dimension; a click on a point picks its dimension."""
    dark = is_dark()
    curves = [curve for curve in CURVES if curve.column in table]
    for start in range(0, len(curves), 3):
        row = curves[start : start + 3]
        for column, curve in zip(st.columns(len(row)), row, strict=True):
            with column:
                draw = partial(curve_spec, table, curve, picked=settings.picked, theory=_has_theory(curve, settings))
                key, alt = f"scaling.curve.{curve.column}", described_curve(table, curve.column, curve.title)
                clicked = show_pickable(draw(dark=dark), key, alt)
                offer(key, curve.title, alt, draw)
                _take_click(curve.column, clicked)
    st.caption(
        "Click a point to look closely at its dimension. Dotted lines: what theory expects. Bands: 99 % confidence "
        "over the trials, thin with many. The gradient is the norm of the softmax's "
        "Jacobian by its inputs: where it vanishes, nothing is learned. A key is dead when its weight is below "
        "a hundredth of an equal share. All dimensions share their draws (a smaller one reads the first d "
        "coordinates): each is right by itself, but they err together, so one smooth curve is one draw."
    )


def _take_click(name: str, clicked: float | None) -> None:
    """Pick the dimension of a new click; a chart keeps saying its last one until it is drawn anew."""
    key = f"scaling.clicked.{name}"
    if clicked is None:
        st.session_state.pop(key, None)
    elif st.session_state.get(key) != clicked:
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
        _show_link(settings, scenario)
    own = settings.of_projections
    x = inputs_of(scenario) if own else None
    if own and (x is None or scenario is None):
        st.text("A sentence of at least two tokens has a row to show.")
        return
    tokens = scenario.tokens if own and scenario is not None else ()
    query = state.picked_query(len(tokens)) if tokens else 0
    try:
        row = sample_row(
            settings.picked, settings.seed, n_keys=settings.keys, source=settings.source, query=query,
            x=x,
        )  # fmt: skip
    except ValueError as error:
        st.text(f"There is no row to show: {error}.")
        return
    labels = [visible(token)[:12] for token in tokens]
    order = np.arange(len(row)) if labels else np.argsort(-row.scores.to_numpy())
    before, after = row.attention_weights_unscaled.to_numpy()[order], row.attention_weights.to_numpy()[order]
    left, right = st.columns(2)
    for column, name, weights, title in (
        (left, "none", before, f"Raw, d = {settings.picked}: largest {before.max():.3f}"),
        (right, "sqrt", after, f"Divided by √{settings.picked}: largest {after.max():.3f}"),
    ):
        with column:
            draw = partial(row_spec, {name: weights}, title, labels=labels)
            alt = f"{title} of {len(row)} attention weights."
            show_offered(draw, f"scaling.row.{name}", title, alt, width="stretch")
    if labels:
        st.caption(f"The query is {literal(visible(tokens[query]))}; w_q and w_k are drawn from the sweep's seed.")
    else:
        st.caption("One query and its keys from the sweep's seed, the keys ordered by their score.")
    _show_numbers("The numbers of this row", row, "softmax_row")


def _take_choice(shown: int) -> None:
    pick_dimension(st.session_state[f"scaling.at.{shown}"])


def _show_link(settings: SweepSettings, scenario: Scenario | None) -> None:
    dim = settings.picked
    if dim > MAX_D:
        st.text(f"The playground goes up to d_out = {MAX_D}.")
        return
    others = {name: text for name in (bound.QUERY, bound.VIEW) if (text := bound.receive(name)[0])}
    if sweep := encode_settings(settings):
        others[bound.SWEEP] = sweep
    query = query_of(playground_scenario(scenario, settings), **others) if scenario else f"d_out={dim}"
    # Not st.page_link: the controls of this session would hold on to their values, and the URL would have both.
    st.link_button(
        f"Open the playground with d_out = {dim}", f"./?{query}", key="scaling.open", icon=":material/open_in_new:",
        help="Opens in a new tab; a link like any other, whose address can be copied."
    )  # fmt: skip


def show_classic_row(settings: SweepSettings) -> None:
    """Show the softmax of one small row times a factor."""
    st.markdown("#### The same five scores, made larger")
    left, right = st.columns([4, 8])
    with left:
        factor = show_times(settings)
        times_factor = f"times {in_format(factor, 'g')}"
        shown = [in_format(score, "g") for score in CLASSIC_SCORES]
        st.text(f"scores: {', '.join(shown)}")
        for times in dict.fromkeys((1.0, factor)):
            weights = ", ".join(f"{weight:.4f}" for weight in softmax_row(CLASSIC_SCORES, times))
            st.text(f"softmax of {in_format(times, 'g')} times them: {weights}")
        st.caption("Larger scores do not change the order, they make the largest take all: softmax saturates.")
    with right:
        rows = {"sqrt": softmax_row(CLASSIC_SCORES), "none": softmax_row(CLASSIC_SCORES, factor)}
        title = f"Softmax of the row times 1 and {times_factor}"
        draw = partial(row_spec, rows, title, names=("times 1", times_factor), labels=shown, axis="score")
        alt = f"The largest weight goes from 0.287 to {rows['none'].max():.3f}."
        show_offered(draw, "scaling.classic", title, alt, width="stretch")


def show_which_dimension() -> None:
    """Show that the d under the root is that of one head."""
    st.markdown("#### Which d: the model's, or one head's?")
    left, right = st.columns([4, 8])
    with left:
        heads = st.select_slider(f"Heads in a model of {_D_MODEL}", HEADS, key="scaling.heads", persist_state="session")
        d_k = _D_MODEL // heads
        scores = np.array((2.0, 1.0, 0.0, -1.0)) * np.sqrt(d_k)  # as wide as dot products of d_k numbers are
        shown = [in_format(score, ".3g") for score in scores]
        rows = {"sqrt": softmax_row(scores, d_k**-0.5), "linear": softmax_row(scores, _D_MODEL**-0.5)}
        st.text(f"d_model = {_D_MODEL}, d_k = {_D_MODEL} / {heads} = {d_k}. Scores of one head: {', '.join(shown)}")
        for name, divisor, scale in (("d_k", d_k, "sqrt"), ("d_model", _D_MODEL, "linear")):
            weights = ", ".join(f"{weight:.3f}" for weight in rows[scale])
            st.text(f"/ √{name} = {divisor**0.5:.3g}: {weights}")
        st.caption(
            "A dot product has one term for each number of its two vectors, and these are one head's: d_k terms. "
            "The wrong root raises no error, it makes the scores √heads times too small and the weights too even."
        )
    with right:
        title = f"Softmax of the same scores, divided by √{d_k} and by √{_D_MODEL}"
        draw = partial(row_spec, rows, title, names=("/ √d_k", "/ √d_model"), labels=shown, axis="score")
        alt = f"The largest weight is {rows['sqrt'].max():.3f} with √d_k, {rows['linear'].max():.3f} with √d_model."
        show_offered(draw, "scaling.heads_row", title, alt, width="stretch")


def show_broken_assumption(scenario: Scenario | None) -> None:
    """Show that projections whose entries are not around zero break the argument."""
    st.markdown("#### Where the argument fails: `torch.rand` projections")
    x = inputs_of(scenario)
    if x is None:
        st.text("A sentence of at least two tokens shows it.")
        return
    x = x[:_BROKEN_TOKENS]
    trials = min(1000, _BROKEN_SCORES // len(x) ** 2)
    tables = {}
    for init in ("uniform", "linear", "normal"):
        settings = SweepSettings(
            dims=_BROKEN_DIMS, trials=trials, source=f"{init}-projections", scales=("sqrt",), statistics="dot products"
        )
        try:
            table = swept(settings, x)
        except ValueError as error:
            st.text(f"This sentence can't show it: {error}.")
            return
        if table is None:
            return
        tables[init] = table
    left, right = st.columns([4, 8])
    with left:
        first, last = (
            {init: float(table.set_index("dim")["std"][dim]) for init, table in tables.items()}
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
            [table.assign(scale="nn.Linear" if init == "linear" else init) for init, table in tables.items()]
        )
        curve = Curve("std", "Spread of the scaled scores within a row")
        alt = described_curve(joined, "std", "Spread of scaled scores")
        draw = partial(curve_spec, joined, curve, theory=False)
        show_offered(draw, "scaling.broken", curve.title, alt, width="stretch")
    _show_numbers("The numbers of this plot", joined.rename(columns={"scale": "init"}), "projections")


def show_table(table: pd.DataFrame, settings: SweepSettings) -> None:
    """Show every number of the sweep, to read and to take home."""
    _show_numbers("Every number of the sweep as a table", table, "scaling")


def _has_theory(curve: Curve, settings: SweepSettings) -> bool:
    # Within rows, the mean standard deviation is not the root of the mean variance, whose theory we know.
    return curve.theory and not (settings.of_projections and curve.column == "std")


def _show_numbers(label: str, table: pd.DataFrame, name: str) -> None:
    with st.expander(label):
        st.dataframe(table, hide_index=True, width="stretch")
        st.download_button(
            "Download as CSV", lambda: table.to_csv(index=False), f"{name}.csv", "text/csv", on_click="ignore",
            key=f"scaling.csv.{name}",
        )  # fmt: skip
