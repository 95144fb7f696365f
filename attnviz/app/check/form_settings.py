"""The settings of the form of Check my numbers, and the buttons that fill it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import streamlit as st

from attnviz.app.check import form_in_address
from attnviz.app.check.typed_tables import bring_back, clear, load, take_upload
from attnviz.core.limits import MAX_D, MAX_HEADS, MAX_TEMPERATURE, MIN_TEMPERATURE
from attnviz.core.stages import EVERY_STAGE
from attnviz.link.typed_form import AS_PRINTED, BY_DIGITS, CHOICES, EXACT, FOUND, ROUNDED, TABLE_NAMES
from attnviz.marking import CARRIED, Results
from attnviz.published import worked_example, worked_examples
from attnviz.words import say

HANDOUT = "three-words"
_MASKS = {FOUND: "found", True: "masked", False: "open"}
_ROUNDED_WORDS = {EXACT: "exact_inputs", BY_DIGITS: "by_digits", ROUNDED: "rounded_inputs"}
_ROUNDED_INPUTS = {BY_DIGITS: None, EXACT: False, ROUNDED: True}
_CARRIED: Mapping[str, Results | None] = MappingProxyType({FOUND: None, **{way: way for way in CARRIED}})


def show_settings() -> dict[str, Any]:
    """Draw them, and return those that marking takes, with the `tokens` and the `decimals` to round to."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="check_settings"):
        about = say("check.form.handout_help", title=worked_example(HANDOUT).title)
        st.button(say("check.form.handout"), on_click=load, args=(HANDOUT,), help=about)
        with st.popover(say("check.form.others")):
            for name, example in worked_examples().items():
                if name != HANDOUT and example.published:
                    st.button(example.title, key=f"check.load.{name}", on_click=load, args=(name,), type="tertiary")
        st.button(say("check.form.clear"), on_click=clear, help=say("check.form.clear_help"))
        if form_in_address.is_aside():
            st.button(say("check.form.bring_back"), on_click=bring_back, help=say("check.form.bring_back_help"))
        scale = st.segmented_control(
            say("check.form.scale"), (True, False), default=True, required=True, key="check.scale",
            format_func=lambda scaled: say("check.form.scaled") if scaled else say("check.form.unscaled"),
            persist_state="session",
        )  # fmt: skip
        decimals = st.selectbox(
            say("check.form.decimals"), CHOICES["check.decimals"], key="check.decimals",
            persist_state="session", width=130,
            format_func=lambda n: say("check.form.as_printed") if n == AS_PRINTED else str(n),
            help=say("check.form.decimals_help"),
        )  # fmt: skip
        more = _show_more()
    return {"scale": scale, "decimals": None if decimals == AS_PRINTED else decimals} | more


def _show_more() -> dict[str, Any]:
    with st.popover(say("check.form.more")):
        tokens = st.text_input(
            say("check.form.tokens"), key="check.tokens", persist_state="session", max_chars=500,
            placeholder=say("check.form.tokens_example"), help=say("check.form.tokens_help"),
        )  # fmt: skip
        causal = st.selectbox(
            say("check.form.causal.label"), CHOICES["check.causal"], key="check.causal", persist_state="session",
            format_func=lambda choice: say(f"check.form.causal.{_MASKS[choice]}"), help=say("check.form.causal.help"),
        )  # fmt: skip
        temperature = st.number_input(
            say("check.form.temperature"), MIN_TEMPERATURE, MAX_TEMPERATURE, 1.0, 0.1, key="check.temperature",
            persist_state="session",
        )  # fmt: skip
        d_k = st.number_input(
            say("check.form.d_k"), 1, MAX_D, None, key="check.d_k", persist_state="session",
            placeholder=say("check.form.d_k_example"), help=say("check.form.d_k_help"),
        )  # fmt: skip
        n_heads = st.number_input(
            say("check.form.n_heads"), 1, MAX_HEADS, None, key="check.n_heads", persist_state="session",
            placeholder=say("check.form.n_heads_found"), help=say("check.form.n_heads_help"),
        )  # fmt: skip
        rounded = st.selectbox(
            say("check.form.inputs"), CHOICES["check.rounded"], key="check.rounded",
            persist_state="session",
            format_func=lambda choice: say(f"check.form.{_ROUNDED_WORDS[choice]}"), help=say("check.form.inputs_help"),
        )  # fmt: skip
        carried = st.selectbox(
            say("check.form.carried.label"), CHOICES["check.carried"], key="check.carried", persist_state="session",
            format_func=lambda choice: say(f"check.form.carried.{choice}"), help=say("check.form.carried.help"),
        )  # fmt: skip
        st.selectbox(
            say("check.form.upload_to"), TABLE_NAMES, format_func=lambda name: EVERY_STAGE[name].title,
            key="check.upload_to", persist_state="session",
        )  # fmt: skip
        st.file_uploader(
            say("check.form.upload"), key="check.upload", on_change=take_upload, max_upload_size=5,
            help=say("check.form.upload_help"),
        )  # fmt: skip
    names = tuple(name.strip() for name in (tokens or "").split(",") if name.strip())
    return {
        "tokens": names, "causal": None if causal == FOUND else causal, "carried": _CARRIED[carried],
        "temperature": temperature, "d_k": d_k, "n_heads": n_heads, "rounded_inputs": _ROUNDED_INPUTS[rounded],
    }  # fmt: skip
