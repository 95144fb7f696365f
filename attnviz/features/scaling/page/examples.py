"""Examples beside the sweep: a scaled row, one head, and failing assumptions."""

from functools import partial

import pandas as pd
import streamlit as st

from attnviz.app.parts.charts import show_offered
from attnviz.app.session.session import this_session
from attnviz.app.text import as_message, message_of
from attnviz.core.limits import MAX_SEED
from attnviz.core.scenario import Scenario
from attnviz.core.seeding import INITIALIZATIONS, INITS
from attnviz.explanation.row_statistics import tokens_read
from attnviz.features.scaling.curves import Curve, curve_spec, histogram_spec, row_spec
from attnviz.features.scaling.in_words import about_factor, about_inits, described_curve, write_number
from attnviz.features.scaling.page.controls import show_times, take_typed
from attnviz.features.scaling.page.curves import show_numbers
from attnviz.features.scaling.page.sweeps import Rows, inputs_of, starts_by_itself, swept
from attnviz.features.sweeps.draws import D_MODEL, N_TOKENS, drawn_scores, head_scores
from attnviz.features.sweeps.experiment import softmax_row
from attnviz.features.sweeps.settings import HEADS, SweepSettings
from attnviz.features.sweeps.sources import OF_PROJECTIONS
from attnviz.words import plural, say
from attnviz.words.numbers import equals, percent, significant

CLASSIC_SCORES = (0.1, -0.2, 0.3, -0.2, 0.5)
_SIZES, _DRAWN = (100, 1000, 10_000), "scaling.width.drawn"
_BROKEN_DIMS = (2, 8, 32, 128, 512)
_BROKEN_TOKENS = 64  # tokens, at most; _BROKEN_SCORES limits the trials, so that it stays quick
_BROKEN_SCORES = 200_000


def show_width(settings: SweepSettings) -> None:
    """Show the distribution of sampled scores at the picked dimension."""
    session, d_k = this_session(), settings.picked
    with st.container(horizontal=True, vertical_alignment="bottom"):
        size = st.segmented_control(say("scaling.width.size"), _SIZES, default=_SIZES[1], required=True,
                                    key="scaling.width.size", persist_state="session")  # fmt: skip
        st.button(say("scaling.width.again"), key="scaling.width.again",
                  on_click=lambda: session.put(_DRAWN, session.get(_DRAWN, 0) + 1))  # fmt: skip
    scores = drawn_scores(d_k, size or _SIZES[1], (settings.seed + session.get(_DRAWN, 0)) % MAX_SEED)
    root, within = d_k**0.5, percent(float((abs(scores) <= d_k**0.5).mean()))
    title = say("scaling.width.title", n=len(scores), dim=d_k)
    told_so = say("scaling.width.within", within=within, dim=d_k, equals=equals(root, 3),
                  root=significant(root, 3), typical=significant(scores.std(), 3))  # fmt: skip
    show_offered(partial(histogram_spec, scores, d_k, title), "scaling.width", title, told_so, width="stretch")
    st.text(f"{told_so} {say('scaling.width.another')}")


def show_classic_row(settings: SweepSettings) -> None:
    """Show the softmax of one small row times a factor."""
    left, right = st.columns([4, 8])
    with left:
        factor = show_times(settings)
        times = significant(factor)
        texts = [significant(score) for score in CLASSIC_SCORES]
        st.text(say("scaling.classic.scores", scores=", ".join(texts)))
        for each in dict.fromkeys((1.0, factor)):
            weights = ", ".join(map(write_number, softmax_row(CLASSIC_SCORES, each)))
            st.text(say("scaling.classic.softmax", times=significant(each), weights=weights))
            read = significant(tokens_read(softmax_row(CLASSIC_SCORES, each)), 3)
            st.caption(say("scaling.classic.read", n=read, of=len(CLASSIC_SCORES)))
        st.caption(as_message(about_factor(CLASSIC_SCORES, factor)))
    with right:
        rows = {"sqrt": softmax_row(CLASSIC_SCORES), "none": softmax_row(CLASSIC_SCORES, factor)}
        title = say("scaling.classic.title", times=times)
        names = [say("scaling.classic.times", times=each) for each in ("1", times)]
        draw = partial(row_spec, rows, title, names=names, labels=texts, axis=say("scaling.classic.axis"))
        before, after = (write_number(rows[scale][-1]) for scale in ("sqrt", "none"))  # the last score is the highest
        alt = say("scaling.classic.alt", before=before, after=after)
        show_offered(draw, "scaling.classic", title, alt, width="stretch")


def show_which_dimension(settings: SweepSettings) -> None:
    """Show that the d under the root is that of one head."""
    left, right = st.columns([4, 8])
    with left:
        heads = st.select_slider(
            say("scaling.heads.heads", d_model=D_MODEL), HEADS, key="scaling.heads", persist_state="session",
            on_change=take_typed,
        )  # fmt: skip
        d_k = D_MODEL // heads
        scores = head_scores(heads, settings.seed)
        rows = {"sqrt": softmax_row(scores, d_k**-0.5), "linear": softmax_row(scores, D_MODEL**-0.5)}
        texts = [write_number(score) for score in scores]
        st.text(say("scaling.heads.shape", d_model=D_MODEL, d_k=d_k, heads=heads))
        st.text(say("scaling.heads.scores", tokens=plural(N_TOKENS, "token"), scores=", ".join(texts)))
        for name, divisor, scale in (("d_k", d_k, "sqrt"), ("d_model", D_MODEL, "linear")):
            weights = ", ".join(map(write_number, rows[scale]))
            st.text(say("scaling.heads.divided", name=name, root=write_number(divisor**0.5), weights=weights))
        st.caption(
            say("scaling.heads.one")
            if heads == 1
            else say("scaling.heads.why", heads=heads, root=write_number(heads**0.5))
        )
        st.caption(say("scaling.heads.drawn", d_model=D_MODEL))
    with right:
        title = say("scaling.heads.title", d_k=d_k, d_model=D_MODEL)
        keys = [say("scaling.heads.token", number=i, score=text) for i, text in enumerate(texts)]
        draw = partial(
            row_spec, rows, title, names=("÷ √d_k", "÷ √d_model"), labels=texts, keys=keys,
            axis=say("scaling.heads.axis"),
        )  # fmt: skip
        alt = say("scaling.heads.alt", right=write_number(rows["sqrt"].max()), wrong=write_number(rows["linear"].max()))
        show_offered(draw, "scaling.heads_row", title, alt, width="stretch")


def show_broken_assumption(scenario: Scenario | None) -> None:
    """Show that projections with entries not centred on zero break the argument."""
    st.text(say("scaling.broken.why"))
    x = inputs_of(scenario)
    if x is None:
        st.text(say("scaling.broken.too_short"))
        return
    try:
        tables = _swept_inits(x[:_BROKEN_TOKENS])
    except ValueError as error:
        st.text(say("scaling.broken.bad", why=message_of(error)))
        return
    if tables is None:
        return
    left, right = st.columns([4, 8])
    with left:
        st.text("\n".join((say("scaling.broken.measured"), *about_inits(tables))))
        st.caption(say("scaling.broken.needs"))
    with right:
        joined = pd.concat([table.assign(scale=INITIALIZATIONS[init].written) for init, table in tables.items()])
        curve = Curve("std", say("scaling.broken.title"))
        alt = described_curve(joined, "std", curve.title)
        draw = partial(curve_spec, joined, curve, theory=False)
        show_offered(draw, "scaling.broken", curve.title, alt, width="stretch")
    show_numbers(say("scaling.broken.numbers"), joined.rename(columns={"scale": "init"}), "projections")


def _swept_inits(x: Rows) -> dict[str, pd.DataFrame] | None:
    """Return a sweep for each init; None unless all are done."""
    trials = min(1000, _BROKEN_SCORES // len(x) ** 2)
    asked = {
        init: SweepSettings(
            dims=_BROKEN_DIMS, trials=trials, source=init + OF_PROJECTIONS, scales=("sqrt",), statistics="dot products"
        )
        for init in INITS
    }
    if not starts_by_itself("broken", [(settings, x) for settings in asked.values()]):
        return None
    tables = {}
    for init, settings in asked.items():
        table = swept(settings, x)
        if table is None:
            return None
        tables[init] = table
    return tables
