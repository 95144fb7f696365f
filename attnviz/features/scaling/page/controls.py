"""The controls of the scaling page, and their settings in the URL."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import streamlit as st

from attnviz.app.session import url_texts
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import take
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.app.text import as_message, message_of
from attnviz.features.scaling.in_words import said_source
from attnviz.features.scaling.page import sweeps
from attnviz.features.scaling.parameters import SWEEP
from attnviz.features.sweeps.arguments import check_factor, log_steps, parse_dims
from attnviz.features.sweeps.settings import MAX_P, OWN, SCALE_CHOICES, SweepSettings, decode_settings, encode_settings
from attnviz.features.sweeps.sources import SOURCES
from attnviz.words import plural, say

_GOOD = "scaling.good"
_LOG_STEPS = ("first", "last", "how_many")


def show_settings(messages: DeltaGenerator, slider: DeltaGenerator) -> SweepSettings:
    """Draw the slider of p and the folded controls; return the settings.

    Settings that can't be swept get a message outside the fold, and the last valid ones are returned instead.
    """
    take_from_url()
    with slider:
        _show_p()
    with st.expander(say("scaling.controls.heading"), key="scaling_settings"):
        _show_sweep()
    with messages:
        try:
            settings = _checked()
        except ValueError as error:
            st.error(as_message(say("scaling.controls.bad", why=message_of(error))))
            good = _good()
            settings = replace(good, **_below(good))
    _keep(settings)
    return settings


def _field(name: str, *, helps: bool = True) -> dict[str, Any]:
    """Return the arguments that every control has: label, key and help."""
    own: dict[str, Any] = {"label": say(f"scaling.controls.{name}"), "key": f"scaling.{name}"}
    own |= {"persist_state": "session", "on_change": take_typed}
    return own | ({"help": say(f"scaling.controls.{name}_help")} if helps else {})


def _show_p() -> None:
    st.slider(min_value=0.0, max_value=MAX_P, step=0.05, **_field("p") | {"on_change": _show_own})
    if OWN not in this_session().get("scaling.scales"):
        st.caption(say("scaling.controls.p_hidden"))


def _show_sweep() -> None:
    """Draw the sweep's controls."""
    wide, trials, keys, seed = st.columns([6, 2, 2, 2], vertical_alignment="bottom")
    with wide, st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.text_input(**_field("dims"))
        with st.popover(say("scaling.controls.log_steps"), help=say("scaling.controls.log_steps_help")):
            _show_log_steps()
    # No limits here: the browser would silently hold back a number beyond them, but the core says what's wrong with it.
    trials.number_input(step=100, **_field("trials"))
    keys.number_input(step=1, **_field("keys"))
    seed.number_input(step=1, **_field("seed", helps=False))
    left, right = st.columns([5, 7], vertical_alignment="bottom")
    left.selectbox(options=SOURCES, format_func=said_source, **_field("source", helps=False))
    right.pills(
        options=SCALE_CHOICES, selection_mode="multi", **_field("scales", helps=False),
        format_func=lambda name: say(f"scaling.scale.{name.replace(' ', '_')}"),
    )  # fmt: skip
    st.toggle(**_field("dots"))


def _show_log_steps() -> None:
    """Draw the controls that fill the dimensions in logarithmic steps."""
    row = st.columns(3)
    bounds = [
        column.number_input(
            say(f"scaling.controls.log_{name}"), step=1, key=f"scaling.log.{name}", persist_state="session"
        )
        for column, name in zip(row, _LOG_STEPS, strict=True)
    ]
    try:
        dims = log_steps(*bounds)
    except ValueError as error:
        st.error(as_message(say("scaling.controls.log_bad", why=message_of(error))))
        return
    listed = ", ".join(map(str, dims))
    st.text(say("scaling.controls.log_listed", dimensions=plural(len(dims), "dimension"), listed=listed))
    st.button(say("scaling.controls.log_use"), key="scaling.log.use", on_click=_use, args=(listed,))


def _use(dims: str) -> None:
    this_session().put("scaling.dims", dims)
    take_typed()


def _show_own() -> None:
    """Show the line of the exponent that the reader has just moved."""
    chosen = this_session().get("scaling.scales")
    if OWN not in chosen:
        this_session().put("scaling.scales", [*chosen, OWN])
    take_typed()


def take_from_url() -> None:
    """Set the controls from the URL after opening it or going back."""
    settings = take(SWEEP)
    if url_texts.current(SWEEP) == this_session().get(_GOOD):
        return
    if _GOOD in this_session() and replace(_good(), dim=settings.dim) == settings:  # the slider of d was moved
        this_session().put("scaling.dim", settings.dim)
        _keep(settings)
    else:
        fill(settings)


def fill(settings: SweepSettings) -> None:
    """Set the controls to these settings."""
    this_session().put("scaling.dims", ", ".join(map(str, settings.dims)))
    for name in ("trials", "keys", "seed", "source", "p", "times", "heads"):
        this_session().put(f"scaling.{name}", getattr(settings, name))
    this_session().put("scaling.dots", settings.statistics == "dot products")
    steps = (settings.dims[0], settings.dims[-1], max(2, len(settings.dims)))
    for name, step in zip(_LOG_STEPS, steps, strict=True):
        this_session().put(f"scaling.log.{name}", step)
    this_session().put("scaling.scales", list(settings.scales))
    this_session().put("scaling.dim", settings.dim)
    sweeps.came_with_link(settings)
    _keep(settings)


def _good() -> SweepSettings:
    return decode_settings(this_session().get(_GOOD))[0]


def _below(good: SweepSettings) -> dict[str, Any]:
    """Return the settings that are further down the page."""
    get = this_session().get
    return {"dim": get("scaling.dim", 0), "times": _times(good), "heads": get("scaling.heads", good.heads)}


def _checked() -> SweepSettings:
    """Return the controls' settings; ``ValueError`` if they can't be swept."""
    get = this_session().get
    return SweepSettings(
        dims=parse_dims(get("scaling.dims")),
        scales=tuple(scale for scale in SCALE_CHOICES if scale in get("scaling.scales")),
        statistics="dot products" if get("scaling.dots") else "all",
        p=round(get("scaling.p"), 2),
        **{name: get(f"scaling.{name}") for name in ("trials", "keys", "seed", "source")},
        **_below(_good()),
    )


def take_typed() -> None:
    """Keep the controls' settings before a link ends the run."""
    with suppress(ValueError):  # the run shows the error
        _keep(_checked())


def _times(good: SweepSettings) -> float:
    try:
        return check_factor("times", this_session().get("scaling.times", good.times))
    except ValueError:
        return good.times


def show_times(settings: SweepSettings) -> float:
    """Draw the factor's control; return the factor, or the last valid one."""
    # No limits here either, so that the core can say what's wrong.
    times = st.number_input(step=0.5, format="%g", **_field("times"))
    try:
        return check_factor("times", times)
    except ValueError as error:
        st.error(as_message(say("scaling.controls.times_bad", why=message_of(error))))
        return settings.times


def _keep(settings: SweepSettings) -> None:
    this_session().put(_GOOD, encode_settings(settings))
    url_texts.send(SWEEP, this_session().get(_GOOD))


def pick_dimension(dim: int) -> None:
    """Show this dimension in detail from now on."""
    this_session().put("scaling.dim", dim)
    take_typed()
