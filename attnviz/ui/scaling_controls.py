"""The controls of the scaling page, and their settings in the URL."""

from typing import Any

import streamlit as st

from attnviz.limits import MAX_SEED
from attnviz.scaling_arguments import MAX_KEYS, MAX_TRIALS, parse_dims
from attnviz.scaling_sources import SOURCES
from attnviz.sweep_settings import OWN, SCALE_CHOICES, SweepSettings, decode_settings, encode_settings
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
    values: dict[str, Any] = {
        "trials": trials.number_input("Trials", 2, MAX_TRIALS, step=100, key="scaling.trials", persist_state="session"),
        "keys": keys.number_input(
            "Keys", 2, MAX_KEYS, key="scaling.keys", help="How many keys a query chooses from.", persist_state="session"
        ),
        "seed": seed.number_input("Sweep seed", 0, MAX_SEED, key="scaling.seed", persist_state="session"),
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
    values["p"] = right.slider(
        "Exponent p of / d^p", 0.0, 1.0, step=0.05, key="scaling.p", disabled=OWN not in chosen,
        persist_state="session",
        help="Choose / d^p beside it, then slide: for which p do the curves lie flat?",
    )  # fmt: skip
    settings = _checked(dims, values)
    _keep(settings)
    return settings


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
    try:
        dim = st.session_state.get("scaling.dim", 0)
        return SweepSettings(dims=parse_dims(dims), dim=dim, **values)
    except ValueError as error:
        what = "choose at least one scale" if not values["scales"] else literal(str(error), most=200)
        st.error(f"This can't be swept: {what}. The plots are those of the last settings that could.")
        return decode_settings(st.session_state[_GOOD])[0]


def _keep(settings: SweepSettings) -> None:
    st.session_state[_GOOD] = encode_settings(settings)
    bound.send(bound.SWEEP, st.session_state[_GOOD])


def pick_dimension(dim: int) -> None:
    """Look closely at this dimension from now on."""
    st.session_state["scaling.dim"] = dim
