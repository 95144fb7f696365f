"""Running a sweep from a page: with progress, a way to stop, and a bounded cache that all sessions share."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import replace
from threading import Lock

import pandas as pd
import streamlit as st

from attnviz.scaling import sweep_scaling
from attnviz.scenario import Scenario
from attnviz.sweep_settings import SweepSettings, decode_settings, encode_settings
from attnviz.ui.text import literal

_KEPT = 32  # tables, of a few kilobytes each
_SLOW = 0.4  # seconds after which a sweep shows how far it is
_STOPPED, _LAST = "scaling.stopped", "scaling.last"

Rows = tuple[tuple[float, ...], ...]


class _Tables:
    """The tables computed last, by what was asked."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._tables: OrderedDict[Hashable, pd.DataFrame] = OrderedDict()

    def get(self, key: Hashable) -> pd.DataFrame | None:
        with self._lock:
            if key in self._tables:
                self._tables.move_to_end(key)
            return self._tables.get(key)

    def put(self, key: Hashable, table: pd.DataFrame) -> None:
        with self._lock:
            self._tables[key] = table
            while len(self._tables) > _KEPT:
                self._tables.popitem(last=False)


@st.cache_resource
def _tables() -> _Tables:
    return _Tables()


def swept(settings: SweepSettings, x: Rows | None) -> pd.DataFrame | None:
    """Return the table of a sweep, computing it where no one has yet; None where the reader stopped it.

    Raises ``ValueError`` as :func:`attnviz.sweep_scaling` does.
    """
    wanted = x if settings.of_projections else None
    key = (settings.dims, settings.trials, settings.keys, settings.seed, settings.source, settings.swept_scales(),
           wanted, settings.statistics)  # fmt: skip
    table = _tables().get(key)
    if table is not None:
        return table
    place = st.empty()
    name = f"{settings.source}.{settings.statistics}"  # a run may sweep several times, with a button each
    if st.session_state.get(_STOPPED) == key:
        with place.container(horizontal=True, vertical_alignment="center"):
            others = " The plots are those of the last sweep that ran to its end." if _LAST in st.session_state else ""
            st.text(f"Stopped.{others}")
            st.button("Run it again", key=f"scaling.again.{name}", on_click=_stop, args=(None,))
        return None
    table = sweep_scaling(
        settings.dims, settings.trials, settings.seed, n_keys=settings.keys, source=settings.source, x=wanted,
        scales=settings.swept_scales(), statistics=settings.statistics, progress=_progress(place, key, name),
    )  # fmt: skip
    place.empty()
    _tables().put(key, table)
    return table


def _progress(place: st.delta_generator.DeltaGenerator, key: Hashable, name: str) -> Callable[[float], None]:
    """Return what shows a long sweep's progress. Drawing is also where Streamlit ends a run that a click
    on Stop, or on any other control, has made out of date."""
    started = time.monotonic()
    bars: list[st.delta_generator.DeltaGenerator] = []

    def show(done: float) -> None:
        if not bars and time.monotonic() - started > _SLOW:
            with place.container(horizontal=True, vertical_alignment="center"):
                bars.append(st.progress(done))
                st.button("Stop", key=f"scaling.stop.{name}", on_click=_stop, args=(key,))
        if bars:
            bars[0].progress(done, f"Sweeping: {done:.0%}")

    return show


def _stop(key: Hashable) -> None:
    st.session_state[_STOPPED] = key


def inputs_of(scenario: Scenario | None) -> Rows | None:
    """Return the X of a scenario as plain rows; None where there is no sentence, or only one token."""
    if scenario is None or len(scenario.tokens) < 2:
        return None
    return tuple(map(tuple, scenario.matrix("x").tolist()))


def last_or_swept(settings: SweepSettings, scenario: Scenario | None) -> tuple[pd.DataFrame, SweepSettings] | None:
    """Return the table of these settings with them; after an error or a stop, the last that could be made."""
    x, table = inputs_of(scenario), None
    others = " The plots are those of the last sweep." if _LAST in st.session_state else ""
    if x is None and settings.of_projections:
        st.error(f"The sentence's own queries and keys can be swept once it has two tokens or more.{others}")
    else:
        try:
            table = swept(settings, x)
        except ValueError as error:
            st.error(f"This can't be swept: {literal(str(error), most=200)}.{others}")
    if table is not None:
        st.session_state[_LAST] = (table, encode_settings(settings))
    if _LAST not in st.session_state:
        return None
    last, encoded = st.session_state[_LAST]
    return last, replace(decode_settings(encoded)[0], dim=settings.dim)
