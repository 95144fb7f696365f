"""Bars of attention weights that follow d, and the prediction before them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from attnviz.app.parts.charts import offer
from attnviz.app.parts.predicting import ask, prediction, show_outcome
from attnviz.app.session import url_texts
from attnviz.app.session.url_texts import picked_query
from attnviz.app.text import literal, message_of
from attnviz.core.limits import MAX_D
from attnviz.core.scenario import Scenario
from attnviz.core.tokens import visible
from attnviz.explanation.row_statistics import tokens_read
from attnviz.features.scaling.collapsing import ABOUT, FROM, TO, asked_of_rows
from attnviz.features.scaling.curves import row_spec
from attnviz.features.scaling.in_words import write_number
from attnviz.features.scaling.page.controls import pick_dimension
from attnviz.features.scaling.page.sweeps import inputs_of
from attnviz.features.scaling.parameters import SWEEP
from attnviz.features.sweeps.experiment import sample_row
from attnviz.features.sweeps.page.row_bars import Panel, show_row_bars
from attnviz.features.sweeps.settings import SweepSettings, encode_settings, playground_scenario
from attnviz.features.sweeps.typical_rows import TypicalRow, n_rows, typical_rows
from attnviz.link.parameter_table import QUERY
from attnviz.link.set_up import query_of
from attnviz.link.ways import way_to
from attnviz.published import OPENING, starting_points
from attnviz.words import say

_ROWS = 200  # averaged, so that the bars move smoothly
_KEY = "scaling.bars"
_DEFAULT = SweepSettings()


def is_asked(sweep: str) -> bool:
    """Whether to ask for the prediction; links with a sweep don't."""
    return not sweep and not prediction(ABOUT)


def show_asked() -> None:
    """Draw the bars of a small d; ask about a large one."""
    asked = asked_of_rows(*_typical(_DEFAULT, (FROM, TO)))
    left, right = st.columns([72, 28], gap="medium")
    with left, st.container(key="scaling_bars"):
        (raw, _) = typical_rows((FROM,), _DEFAULT.seed, _ROWS, n_keys=_DEFAULT.keys)
        show_row_bars(_KEY, (FROM,), [Panel.of(raw, 0.0)], at=0)
        st.caption(say("scaling.bars.of_vectors", rows=_ROWS))
    with right, st.container(key="scaling_asked", gap="small"):
        ask(asked, lambda: pick_dimension(TO))


def show_rows(settings: SweepSettings, scenario: Scenario | None) -> None:
    """Show rows before and after scaling at every d, with a slider."""
    predicted = prediction(ABOUT) if settings == _of_prediction(settings) else ""
    told = st.container()
    if predicted:
        left, right = st.columns([72, 28], gap="medium")
        with right, st.container(key="scaling_told", gap="small"):
            show_outcome(asked_of_rows(*_typical(_DEFAULT, (FROM, TO))))
        told = left
    with told, st.container(key="scaling_bars"):
        if settings.of_projections:
            _show_rows_of_sentence(settings, scenario)
        else:
            _show_typical_rows(settings)
        _show_link(settings, scenario)


def _of_prediction(settings: SweepSettings) -> SweepSettings:
    """Return the prediction's settings, with those of the other controls."""
    return SweepSettings(dim=settings.dim, p=settings.p, times=settings.times, heads=settings.heads)


def _typical(settings: SweepSettings, dims: tuple[int, ...]) -> tuple[tuple[TypicalRow, ...], ...]:
    rows = n_rows(settings.dims, settings.keys, _ROWS)
    return typical_rows(dims, settings.seed, rows, n_keys=settings.keys, law=settings.source)


def _show_typical_rows(settings: SweepSettings) -> None:
    raw, divided = _typical(settings, settings.dims)
    _show(settings, raw, divided)
    rows = n_rows(settings.dims, settings.keys, _ROWS)
    st.caption(say("scaling.bars.of_vectors", rows=rows))


def _show_rows_of_sentence(settings: SweepSettings, scenario: Scenario | None) -> None:
    x = inputs_of(scenario)
    if x is None or scenario is None:
        st.text(say("scaling.row.too_short"))
        return
    query = picked_query(scenario)
    try:
        drawn = {dim: sampled(settings, scenario, dim) for dim in settings.dims}
    except ValueError as error:
        st.text(say("scaling.row.bad", why=message_of(error)))
        return
    raw, divided = (
        tuple(TypicalRow(dim, row[name].to_numpy(), tokens_read(row[name].to_numpy())) for dim, row in drawn.items())
        for name in ("attention_weights_unscaled", "attention_weights")
    )
    labels = [visible(token)[:12] for token in scenario.tokens]
    _show(settings, raw, divided, labels)
    st.caption(say("scaling.row.of_query", token=literal(visible(scenario.tokens[query]))))


def sampled(settings: SweepSettings, scenario: Scenario | None, dim: int) -> pd.DataFrame:
    """Return one row at `dim`, of a token or of random vectors.

    Raises ``ValueError`` as :func:`attnviz.features.sweeps.experiment.sample_row` does.
    """
    own = settings.of_projections and scenario is not None
    query, x = (picked_query(scenario), inputs_of(scenario)) if own and scenario is not None else (0, None)
    return sample_row(dim, settings.seed, n_keys=settings.keys, source=settings.source, query=query, x=x)


def _show(
    settings: SweepSettings,
    raw: tuple[TypicalRow, ...],
    divided: tuple[TypicalRow, ...],
    tokens: Sequence[str] = (),
) -> None:
    panels = [Panel.of(raw, 0.0), Panel.of(divided, 0.5)]
    at = settings.dims.index(settings.picked)
    queries = [encode_settings(replace(settings, dim=dim)) for dim in settings.dims]
    show_row_bars(_KEY, settings.dims, panels, at=at, tokens=tokens, parameter=SWEEP, queries=queries)
    axis = None if tokens else say("scaling.row.axis_sorted")
    for panel in panels:
        row = panel.rows[at]
        title = say(f"scaling.row.{'raw' if panel.scale == 'none' else 'scaled'}", dim=row.dim,
                    largest=write_number(float(row.weights.max())))  # fmt: skip
        keys = tokens or [say("scaling.bars.place", place=1 + place) for place in range(len(row.weights))]
        draw = partial(
            row_spec, {panel.scale: np.asarray(row.weights)}, title, labels=tokens or None, keys=keys, axis=axis
        )
        offer(f"scaling.row.{panel.scale}", title, say("scaling.row.alt", title=title, n=len(row.weights)), draw)


def _words_of_opening() -> str:
    return starting_points()[OPENING].scenario.text


def _show_link(settings: SweepSettings, scenario: Scenario | None) -> None:
    dim, way = settings.picked, way_to("explore")
    if way is None:
        return
    if dim > MAX_D:
        st.caption(say("scaling.row.playground_limit", most=MAX_D))
        return
    others = {**way.query, **({QUERY: query} if (query := url_texts.current(QUERY)) else {})}
    if sweep := encode_settings(settings):
        others[SWEEP] = sweep
    opened = playground_scenario(scenario, settings) if scenario else Scenario(_words_of_opening(), d_out=dim)
    query = query_of(opened, **(others if scenario else {}))
    # Not st.page_link, because the controls would keep this session's values, and the URL would have both.
    st.link_button(
        say("scaling.row.playground", dim=dim), f"./?{query}", key="scaling.open", icon=":material/open_in_new:",
        help=say("scaling.row.playground_help"),
    )  # fmt: skip
