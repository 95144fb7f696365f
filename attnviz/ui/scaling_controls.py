"""The controls of the scaling page, and their settings in the URL."""

from dataclasses import replace
from typing import Any

import streamlit as st

from attnviz.scaling_arguments import check_factor, log_steps, parse_dims
from attnviz.scaling_sources import SOURCES
from attnviz.sweep_settings import OWN, SCALE_CHOICES, SweepSettings, decode_settings, encode_settings
from attnviz.ui import bound, state
from attnviz.ui.exponent import show_exponent
from attnviz.ui.text import as_message, literal
from attnviz.words import say

_GOOD = "scaling.good"
_LOG_STEPS = ("first", "last", "how_many")
_SOURCE_NAMES = {
    "normal": "standard normal q and k (the paper's assumption)",
    "uniform": "uniform [0, 1) q and k",
    "uniform-projections": "this sentence, torch.rand projections",
    "linear-projections": "this sentence, nn.Linear projections",
    "normal-projections": "this sentence, torch.randn projections",
}
_SCALE_NAMES = {"none": "raw", "sqrt": "/ √d", "linear": "/ d", OWN: "/ d^p"}


def show_settings() -> SweepSettings:
    """Draw the controls and return what they ask for; what can't be swept gets a message and changes nothing."""
    take_from_url()
    wide, trials, keys, seed = st.columns([6, 2, 2, 2], vertical_alignment="bottom")
    with wide, st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        dims = st.text_input(
            "Dimensions d",
            key="scaling.dims",
            help="Whole numbers from 1 to 4096, parted by commas.",
            persist_state="session",
        )
        with st.popover("Log steps", help="Fill the list with dimensions equally far apart on the log axis"):
            _show_log_steps()
    # No limits here: the browser would keep a number beyond them to itself, the core says what is wrong with it.
    values: dict[str, Any] = {
        "trials": trials.number_input(
            "Trials",
            step=100,
            key="scaling.trials",
            persist_state="session",
            help="From 2 to 10,000. 10,000 trials at d = 4096 with 64 keys take about 25 MiB of memory; "
            "no sweep takes more than 400 MiB.",
        ),
        "keys": keys.number_input(
            "Keys", step=1, key="scaling.keys", help="How many keys a query chooses from.", persist_state="session"
        ),
        "seed": seed.number_input("Sweep seed", step=1, key="scaling.seed", persist_state="session"),
    }
    left, middle, right = st.columns([5, 4, 3], vertical_alignment="bottom")
    values["source"] = left.selectbox(
        "Queries and keys are",
        SOURCES,
        format_func=_SOURCE_NAMES.__getitem__,
        key="scaling.source",
        persist_state="session",
    )
    chosen = middle.pills(
        "Dot products are", SCALE_CHOICES, selection_mode="multi", format_func=_SCALE_NAMES.__getitem__,
        key="scaling.scales", persist_state="session",
    )  # fmt: skip
    values["scales"] = tuple(scale for scale in SCALE_CHOICES if scale in chosen)
    with right:
        values["p"] = p = show_exponent(
            "Find it yourself: p of / d^p", "scaling.p", on_change=_show_own, persist_state="session",
            help="Slide: the plots get a line divided by d^p. For which p does it lie flat?",
        )  # fmt: skip
    left, right = st.columns([9, 3])
    right.caption(
        f"The plots have a line for / d^{p:g}." if OWN in chosen else "Slide, and the plots get a line for this p."
    )
    dots = left.toggle(
        "Dot products only: leave out the softmax statistics, which take some 30 times as long",
        key="scaling.dots", persist_state="session",
        help="Variance and standard deviation need one dot product per trial. Largest weight, entropy, dead keys and "
        "gradient need a whole softmax row per trial, 65 times the random numbers with 64 keys. Measured with ten "
        "dimensions up to 1024 and 1000 trials: 4 ms against some 120 ms.",
    )  # fmt: skip
    values["statistics"] = "dot products" if dots else "all"
    settings = _checked(dims, values)
    _keep(settings)
    return settings


def _show_log_steps() -> None:
    """Draw what fills the list of dimensions in equal steps on the log axis."""
    row = st.columns(3)
    bounds = [
        column.number_input(label, step=1, key=f"scaling.log.{name}", persist_state="session")
        for column, name, label in zip(row, _LOG_STEPS, ("From", "To", "How many"), strict=True)
    ]
    try:
        dims = log_steps(*bounds)
    except ValueError as error:
        st.error(as_message(f"There are no such steps: {error}."))
        return
    listed = ", ".join(map(str, dims))
    st.text(f"{len(dims)} dimensions: {listed}")
    st.button("Put them into the list", key="scaling.log.use", on_click=_list_dims, args=(listed,))


def _list_dims(listed: str) -> None:
    st.session_state["scaling.dims"] = listed


def _show_own() -> None:
    """Show the line of the exponent that the reader has just moved."""
    chosen = st.session_state["scaling.scales"]
    if OWN not in chosen:
        st.session_state["scaling.scales"] = [*chosen, OWN]


def take_from_url() -> None:
    """Set the controls to what the URL says, on the first run and after Back."""
    encoded, arrived = bound.receive(bound.SWEEP)
    if not arrived and _GOOD in st.session_state:
        return
    settings, ignored = decode_settings(encoded)
    if ignored:
        state.say_ignored(say("links.sweep", parts=f"{literal(', '.join(ignored))}."))
    st.session_state["scaling.dims"] = ", ".join(map(str, settings.dims))
    for name in ("trials", "keys", "seed", "source", "p", "times", "heads"):
        st.session_state[f"scaling.{name}"] = getattr(settings, name)
    st.session_state["scaling.dots"] = settings.statistics == "dot products"
    steps = (settings.dims[0], settings.dims[-1], max(2, len(settings.dims)))
    for name, step in zip(_LOG_STEPS, steps, strict=True):
        st.session_state[f"scaling.log.{name}"] = step
    st.session_state["scaling.scales"] = list(settings.scales)
    st.session_state["scaling.dim"] = settings.dim
    _keep(settings)


def _checked(dims: str, values: dict[str, Any]) -> SweepSettings:
    good = decode_settings(st.session_state[_GOOD])[0]
    # Set further down the page, where what they can't be is said too.
    below = {"dim": st.session_state.get("scaling.dim", 0), "times": _times(good),
             "heads": st.session_state.get("scaling.heads", good.heads)}  # fmt: skip
    values |= below
    try:
        return SweepSettings(dims=parse_dims(dims), **values)
    except ValueError as error:
        what = "choose at least one scale" if not values["scales"] else literal(str(error), most=200)
        st.error(f"This can't be swept: {what}. The plots are those of the last settings that could.")
        return replace(good, **below)


def _times(good: SweepSettings) -> float:
    try:
        return check_factor("times", st.session_state.get("scaling.times", good.times))
    except ValueError:
        return good.times


def show_times(settings: SweepSettings) -> float:
    """Draw the control of the classic row's factor; return it, or the last good one with a word about this one."""
    # No limits here either.
    times = st.number_input(
        "Times", step=0.5, format="%g", key="scaling.times", persist_state="session",
        help="Any factor from -1000 to 1000: arrow keys and the buttons go in steps of a half.",
    )  # fmt: skip
    try:
        return check_factor("times", times)
    except ValueError as error:
        st.error(f"{literal(str(error))}. The row below is that of the last factor that was.")
        return settings.times


def _keep(settings: SweepSettings) -> None:
    st.session_state[_GOOD] = encode_settings(settings)
    bound.send(bound.SWEEP, st.session_state[_GOOD])


def pick_dimension(dim: int) -> None:
    """Look closely at this dimension from now on."""
    st.session_state["scaling.dim"] = dim
