"""Sweeps run from a page: queued, with progress, stop and cache."""

import math
import time
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from attnviz.app.operations import metrics
from attnviz.app.operations.run_queue import CLOCK, Pace, Turns
from attnviz.app.session.session import this_session
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.app.text import as_message, message_of
from attnviz.core.cache import Cache
from attnviz.core.scenario import Scenario
from attnviz.features.scaling.in_words import said_time
from attnviz.features.sweeps.experiment import seconds_needed, sweep_scaling
from attnviz.features.sweeps.settings import SweepSettings, decode_settings, encode_settings
from attnviz.words import say

LARGE = 1.0  # estimated seconds; longer sweeps run one after the other, and those of links wait for a click
MOST = 120.0  # estimated seconds, at most, so that nobody waits longer for another's sweep
_QUICK_AT_ONCE = 4  # sweeps that aren't large, at the same time
_KEPT = 32  # tables, of a few kilobytes each
_SLOW = 0.4  # seconds after which a sweep shows its progress
_PULSE = 0.1  # seconds between two reports of progress; at each of them, Streamlit can end the run
_STOPPED, _LAST, _OF_LINK = "scaling.stopped", "scaling.last", "scaling.of_link"

Rows = tuple[tuple[float, ...], ...]


class _Shared(NamedTuple):
    tables: Cache  # the key of an _Asked -> its table
    large: Turns
    quick: Turns


@cache
def shared() -> _Shared:
    """Return the cache and the queues that all sessions share.

    A sweep takes up to 170 MiB and both cores of the server, and any number of sessions may ask for one at the same
    time. So all sessions use the same queues and the same cache, which are locked and bounded.
    """
    made = _Shared(Cache(most=_KEPT), Turns(1), Turns(_QUICK_AT_ONCE))
    metrics.SWEEPS.set_function(lambda: made.large.length)
    return made


shared()  # now, because two sessions that need it first at the same time would each create one


class _Asked:
    """A requested sweep, with the key under which it's cached."""

    def __init__(self, settings: SweepSettings, x: Rows | None) -> None:
        self.asks: dict[str, Any] = {
            "dims": settings.dims, "trials": settings.trials, "n_keys": settings.keys, "source": settings.source,
            "x": x if settings.of_projections else None, "scales": settings.swept_scales(),
            "statistics": settings.statistics,
        }  # fmt: skip
        self.seed = settings.seed
        self.key: Hashable = (self.seed, *self.asks.values())
        self.name = f"{settings.source}.{settings.statistics}"  # in the keys of buttons: a page may have several sweeps

    @property
    def seconds(self) -> float:
        return seconds_needed(**self.asks)

    def run(self, progress: Callable[[float], object]) -> pd.DataFrame:
        return sweep_scaling(seed=self.seed, progress=progress, **self.asks)


def came_with_link(settings: SweepSettings) -> None:
    """Remember a link's sweep: if it's large, it waits for a click."""
    this_session().put(_OF_LINK, _of_sweep(settings))


def _of_sweep(settings: SweepSettings) -> str:
    default = SweepSettings()
    return encode_settings(replace(settings, dim=default.dim, times=default.times, heads=default.heads))


def swept(settings: SweepSettings, x: Rows | None) -> pd.DataFrame | None:
    """Return the table of a sweep; None if stopped or not started.

    Raises ``ValueError`` as :func:`attnviz.sweep_scaling` does.
    """
    asked = _Asked(settings, x)
    table = shared().tables.find(asked.key)
    if table is not None:
        return table
    seconds = asked.seconds
    if seconds > MOST:
        st.error(as_message(say("scaling.sweep.too_long", time=said_time(seconds), most=said_time(MOST))))
        return None
    if this_session().get(_STOPPED) == asked.key:
        others = "stopped_others" if _LAST in this_session() else "stopped"
        _offer(say(f"scaling.sweep.{others}"), "again", f"scaling.again.{asked.name}")
        return None
    if seconds > LARGE and this_session().get(_OF_LINK) == _of_sweep(settings):
        _offer(say("scaling.sweep.large", time=said_time(seconds)), "run", f"scaling.run.{asked.name}")
        return None
    return _in_turn(asked, shared().large if seconds > LARGE else shared().quick)


def starts_by_itself(group: str, asked: list[tuple[SweepSettings, Rows]]) -> bool:
    """Whether these sweeps are quick or were asked for; otherwise offer them."""
    each = [_Asked(settings, x) for settings, x in asked]
    left = [one for one in each if shared().tables.find(one.key) is None]
    seconds = sum(one.seconds for one in left)
    key = f"scaling.run.{group}"
    wanted = hash(tuple(one.key for one in each))
    if seconds <= LARGE or this_session().get(f"{key}.wanted") == wanted:
        return True
    _offer(say("scaling.sweep.large_more", time=said_time(seconds)), "run", key, (f"{key}.wanted", wanted))
    return False


def _offer(text: str, label: str, key: str, remember: tuple[str, int] | None = None) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(text)
        st.button(say(f"scaling.sweep.{label}"), key=key, on_click=_start, args=(remember,))


def _start(remember: tuple[str, int] | None) -> None:
    if remember is None:
        this_session().pop(_STOPPED, None)
        this_session().pop(_OF_LINK, None)
    else:
        this_session().put(remember[0], remember[1])


def _in_turn(asked: _Asked, turns: Turns) -> pd.DataFrame:
    place = st.empty()
    told = _Told(place, asked)
    with turns.turn(told.waiting):
        table = shared().tables.find(asked.key)  # an earlier one in the queue may have been the same
        if table is None:
            table = asked.run(told.done)
            shared().tables.put(asked.key, table)
    place.empty()
    return table


class _Told:
    """The messages to a reader about a running sweep.

    At each message, Streamlit can also end the run, if a click on Stop or on any other control has made it out of date,
    or if its reader has left: the exception then passes through the sweep, and frees its place in the queue.
    """

    def __init__(self, place: DeltaGenerator, asked: _Asked) -> None:
        self._place, self._asked = place, asked
        self._asked_at = self._told_at = time.monotonic()
        self._pace = Pace()
        self._line: DeltaGenerator | None = None

    def waiting(self, before: int) -> None:
        self._tell(lambda line: line.text(say("scaling.sweep.waiting", n=before)))

    def done(self, part: float) -> None:
        CLOCK.check()
        left = self._pace.left(time.monotonic(), part)
        if math.isfinite(left):
            text = say("scaling.sweep.progress", done=f"{part:.0%}", left=said_time(left))
            self._tell(lambda line: line.progress(part, text))

    def _tell(self, tell: Callable[[DeltaGenerator], object]) -> None:
        now = time.monotonic()
        if now - self._asked_at < _SLOW or (self._line is not None and now - self._told_at < _PULSE):
            return
        self._told_at = now
        if self._line is None:
            with self._place.container(horizontal=True, vertical_alignment="center"):
                self._line = st.empty()
                st.button(
                    say("scaling.sweep.stop"),
                    key=f"scaling.stop.{self._asked.name}",
                    on_click=this_session().put,
                    args=(_STOPPED, self._asked.key),
                )
        tell(self._line)


def inputs_of(scenario: Scenario | None) -> Rows | None:
    """Return a scenario's X as rows; None with fewer than two tokens."""
    if scenario is None or len(scenario.tokens) < 2:
        return None
    return tuple(map(tuple, scenario.inputs.tolist()))


class Swept(NamedTuple):
    """A sweep's table, its settings, and X if projections were swept."""

    table: pd.DataFrame
    settings: SweepSettings
    x: Rows | None


def last_or_swept(settings: SweepSettings, scenario: Scenario | None) -> Swept | None:
    """Return this sweep, or the last successful one if it can't run."""
    x, table = inputs_of(scenario), None
    if x is None and settings.of_projections:
        st.error(_with_last(say("scaling.sweep.two_tokens")))
    else:
        try:
            table = swept(settings, x)
        except ValueError as error:
            st.error(as_message(_with_last(say("scaling.sweep.bad", why=message_of(error)))))
    if table is not None:
        this_session().put(_LAST, (table, encode_settings(settings), x if settings.of_projections else None))
    if _LAST not in this_session():
        return None
    table, encoded, x = this_session().get(_LAST)
    return Swept(table, replace(decode_settings(encoded)[0], dim=settings.dim), x)


def _with_last(text: str) -> str:
    return f"{text} {say('scaling.sweep.last')}" if _LAST in this_session() else text
