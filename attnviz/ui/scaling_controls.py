"""The controls of the scaling page, and their settings in the URL."""

from dataclasses import replace
from typing import Any

import streamlit as st

from attnviz.scaling_arguments import parse_dims
from attnviz.scaling_sources import SOURCES
from attnviz.sweep_settings import MAX_P, OWN, SCALE_CHOICES, SweepSettings, decode_settings, encode_settings
from attnviz.ui import bound, state
from attnviz.ui.text import literal

_GOOD = "scaling.good"
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
    _take_from_url()
    wide, trials, keys, seed = st.columns([6, 2, 2, 2], vertical_alignment="bottom")
    dims = wide.text_input(
        "Dimensions d",
        key="scaling.dims",
        help="Whole numbers from 1 to 4096, parted by commas.",
        persist_state="session",
    )
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
    p = right.slider(
        "Find it yourself: p of / d^p", 0.0, MAX_P, step=0.05, key="scaling.p", on_change=_show_own,
        persist_state="session",
        help="Slide: the plots get a line divided by d^p. For which p does it lie flat?",
    )  # fmt: skip
    values["p"] = round(p, 2)
    settings = _checked(dims, values)
    _keep(settings)
    return settings


def _show_own() -> None:
    """Show the line of the exponent that the reader has just moved."""
    chosen = st.session_state["scaling.scales"]
    if OWN not in chosen:
        st.session_state["scaling.scales"] = [*chosen, OWN]


def _take_from_url() -> None:
    """Set the controls to what the URL says, on the first run and after Back."""
    encoded, arrived = bound.receive(bound.SWEEP)
    if not arrived and _GOOD in st.session_state:
        return
    settings, ignored = decode_settings(encoded)
    if ignored:
        state.say(f"The link's sweep was left out where it can't be run: {literal(', '.join(ignored))}.")
    st.session_state["scaling.dims"] = ", ".join(map(str, settings.dims))
    for name in ("trials", "keys", "seed", "source", "p"):
        st.session_state[f"scaling.{name}"] = getattr(settings, name)
    st.session_state["scaling.scales"] = list(settings.scales)
    st.session_state["scaling.dim"] = settings.dim
    _keep(settings)


def _checked(dims: str, values: dict[str, Any]) -> SweepSettings:
    dim = st.session_state.get("scaling.dim", 0)
    try:
        return SweepSettings(dims=parse_dims(dims), dim=dim, **values)
    except ValueError as error:
        what = "choose at least one scale" if not values["scales"] else literal(str(error), most=200)
        st.error(f"This can't be swept: {what}. The plots are those of the last settings that could.")
        return replace(decode_settings(st.session_state[_GOOD])[0], dim=dim)


def _keep(settings: SweepSettings) -> None:
    st.session_state[_GOOD] = encode_settings(settings)
    bound.send(bound.SWEEP, st.session_state[_GOOD])


def pick_dimension(dim: int) -> None:
    """Look closely at this dimension from now on."""
    st.session_state["scaling.dim"] = dim
