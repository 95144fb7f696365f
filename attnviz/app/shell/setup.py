"""The controls that all pages share, drawn by the entry point."""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import streamlit as st
import torch

from attnviz.app.components.temperature import show_temperature
from attnviz.app.operations.run_queue import LANE
from attnviz.app.parts import examples
from attnviz.app.parts.examples import drop_changes, example_sentences, use_sentence
from attnviz.app.parts.typed_cells import scenario_now
from attnviz.app.session import address, page_record, state
from attnviz.app.session.session import Shared, this_session
from attnviz.app.session.url_texts import picked_query, traced_in_view
from attnviz.app.shell import messages, opened_link
from attnviz.app.streamlit_internals import DeltaGenerator, RerunException, get_script_run_ctx
from attnviz.core.limits import MAX_D, MAX_SECOND_CHARACTERS, MAX_TEXT_CHARACTERS
from attnviz.core.masks import MASKS
from attnviz.core.scenario import Scenario
from attnviz.core.stages import ITSELF
from attnviz.explanation.row_statistics import tokens_read
from attnviz.feature import filled
from attnviz.link.codecs import Choice, Flag, FunctionCodec, Number, Text, Whole
from attnviz.link.set_up import BESIDE_WEIGHTING, Control, parameters
from attnviz.words import plural, say, thousands
from attnviz.words.numbers import significant

# Keys in the session: of the feed-forward layer's switch (the address has only d_ff), and of the temperature's slider.
_SWITCH, _TEMPERATURE = "setup.feed_forward", "setup.temperature"
_SUMS = 1e-3  # a row whose sum is this close to 1 has an entropy
# Hides a control that has no effect. It stays on the page, so that it keeps its value.
_OUT_OF_SIGHT = "<style>.st-key-setup_{} {{ display: none; }}</style>"

# How many seconds a session's first controls wait, at most, until the browser has painted the board or heatmaps. Sent
# along, the controls would take up the browser's time first. A slow machine takes more than one second.
_FIRST_PICTURE = 2.0


def wait_for_first_picture() -> None:
    """Wait until a session's first picture is painted, then draw the rest."""
    LANE.leave()
    this_session().painting.wait(_FIRST_PICTURE)


@contextmanager
def shared_setup(share: DeltaGenerator, page: str, *, own_examples: bool = False) -> Iterator[None]:
    """Draw controls and messages around a page, and Share in `share`.

    With `own_examples`, the page does not use the set-up. On the first run of a session, the controls hold what the
    link says, and the page is computed before they are drawn: so the browser has a picture before two dozen controls.
    """
    table = parameters()
    session = this_session()
    first = session.blank is None
    session.shared = Shared(first)
    perhaps_refused = first and not page_record.this_page().query
    opened = opened_link.read(page) if first else None
    panel = st.container(key="setup")
    values = _draw_panel(panel, table) if opened is None else opened
    state.set_up(values)
    if first:
        opened_link.take_texts(session.scenario)
    if page:  # the reader may have left the editor's page before a run read what was typed there
        scenario_now()
    overlay, body = st.container(key="messages", gap="xxsmall"), st.container()
    overtaken = False
    try:
        try:
            with body:
                yield
            if first:
                wait_for_first_picture()
        except RerunException:
            overtaken = True
            raise
        finally:  # draws the controls even if the page fails
            if first:
                _draw_panel(panel, table)
        scenario = session.scenario
        if scenario is not None and not own_examples:
            _tell_tokens_read(scenario)
            _hide_idle(scenario)
            _hide_unused(scenario, values)
    finally:
        examples.take_named()  # so that a page opened later doesn't open the example
        with overlay:
            messages.show(values, session.scenario, offers=not own_examples)
        if perhaps_refused:
            opened_link.reopen_if_too_long()
        with share:
            for show in filled("in_bar").values():
                show(session.scenario, own_examples=own_examples)
        with st.container(key="connection_place"):
            for show in filled("strip").values():
                show()
            address.report(page)
        # After an interrupted run, the next run is the first that reads what the page still holds.
        if not overtaken:
            page_record.this_page().reconnected = False


def _draw_panel(panel: DeltaGenerator, table: Mapping[str, Control]) -> dict[str, Any]:
    with panel:
        messages.hide()
        this_session().shared.unseen = st.container(key="setup_unseen")
        with st.container(key="setup_controls"):
            with st.container(horizontal=True, vertical_alignment="bottom", key="sentence"):
                values = _sentence_controls(table)
            values |= _computation_controls(table)
    return values


def _sentence_controls(table: Mapping[str, Control]) -> dict[str, Any]:
    text = table["text"]
    _cut_what_was_pasted()
    # There is no max_chars, with which the browser would silently refuse a longer paste.
    typed = _draw(text)
    # The buttons are close together, so that no example is cut off.
    with (
        st.popover(say("setup.examples"), help=say("setup.examples_help")),
        st.container(gap=None, key="setup_examples"),
    ):
        for i, example in enumerate(example_sentences()):
            st.button(example, key=f"setup.example.{i}", on_click=use_sentence, args=(example,), type="tertiary")
            if i == 0:
                examples.show_opening()
        examples.show_choice()
    return {"text": typed}


def _cut_what_was_pasted() -> None:
    """Cut each sentence to what a link can carry, and say so."""
    cut, session = {}, this_session()
    for name, most in (("text", MAX_TEXT_CHARACTERS), ("second", MAX_SECOND_CHARACTERS)):
        pasted = session.get(name) or ""
        if len(pasted) > most:
            lengths = {"characters": plural(len(pasted), "character"), "most": thousands(most)}
            state.add_message(say("messages.pasted_too_much", **lengths))
            cut[name] = pasted[:most]
    if cut:
        address.rerun_with(cut)


def _computation_controls(table: Mapping[str, Control]) -> dict[str, Any]:
    """Draw the common controls, then the others, folded; return all values."""
    values: dict[str, Any] = {name: _draw(table[name]) for name in ("causal", "scale")}
    _show_temperature(table["temperature"])
    with st.container(horizontal=True, gap="small"):
        values |= {name: _draw(table[name]) for name in ("d_in", "d_out")}
    with st.container(horizontal=True, gap="small"):
        values |= {name: _draw(table[name]) for name in ("n_heads", "device")}
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="setup_drawn"):
        values["seed"] = _draw(table["seed"])
        st.button(say("setup.new_seed"), on_click=_new_seed, help=say("setup.new_seed_help"))
    with st.expander(say("setup.who")):
        values |= _reading_controls(table)
    with st.expander(say("setup.layer")):
        values |= _layer_controls(table, values)
    with this_session().shared.unseen:  # the panel What if sets this value
        values["what_if"] = _draw(table["what_if"])
        values["word_classes"] = _draw(table["word_classes"])  # the board's buttons set it
    st.button(say("setup.start_over"), on_click=examples.start_over, help=say("setup.start_over_help"), width="stretch")
    return values


def _show_temperature(control: Control) -> None:
    """Draw the temperature's slider; the folded control takes any number."""
    session = this_session()
    now = session.get(control.name, control.default) or control.default
    with st.container(key="setup-read"):
        show_temperature(control.name, float(now), _TEMPERATURE)
        session.shared.beside_temperature = st.container()


def _tell_tokens_read(scenario: Scenario) -> None:
    """Say beside the temperature how many tokens the picked row reads."""
    query, place = picked_query(scenario), this_session().shared.beside_temperature
    row = traced_in_view(scenario).attention_weights[query].detach().double().cpu().numpy()
    if place is not None and row.min() >= 0 and abs(row.sum() - 1) < _SUMS:
        share_read = say("setup.temperature.read", read=significant(tokens_read(row), 3), n=len(row))
        place.caption(share_read, help=say("setup.temperature.read_help"))


def _hide_idle(scenario: Scenario) -> None:
    """Hide the controls of seed and mask if they have no effect."""
    other = replace(scenario, seed=scenario.seed ^ 1)
    draws = any(not torch.equal(scenario.matrix(name), other.matrix(name)) for name in scenario.editable)
    for key, plays in (("drawn", draws), ("mask_use", scenario.masked is not None)):
        if not plays:
            this_session().shared.unseen.html(_OUT_OF_SIGHT.format(key))


def _hide_unused(scenario: Scenario, values: Mapping[str, Any]) -> None:
    """Hide the meaning of a choice that the computation doesn't use."""
    for name in ("reads", "weighting", "positions", "masking", "mask_use"):
        if getattr(scenario, name) != values[name]:
            this_session().shared.unseen.html(_OUT_OF_SIGHT.format(f"meaning_{name}"))


def _reading_controls(table: Mapping[str, Control]) -> dict[str, Any]:
    """Draw the controls of masks, weighting and the second sentence."""
    values = {"masking": _draw(table["masking"])}
    with st.container(key="setup_size"):
        values["mask_size"] = _draw(table["mask_size"])
        if not MASKS[values["masking"]].sized:
            st.html(_OUT_OF_SIGHT.format("size"))
    with st.container(key="setup_mask_use"):
        values["mask_use"] = _draw(table["mask_use"])
    values["temperature"] = _draw(table["temperature"], say("setup.temperature.number"))
    values |= {name: _draw(table[name]) for name in ("weighting", *BESIDE_WEIGHTING, "reads")}
    with st.container(key="setup_second"):
        values["second"] = _draw(table["second"])
        if values["reads"] == ITSELF:
            st.html(_OUT_OF_SIGHT.format("second"))
    return values


def _layer_controls(table: Mapping[str, Control], basics: Mapping[str, Any]) -> dict[str, Any]:
    """Draw the controls of the layer, random numbers, tokens and digits."""
    values = {
        "d_v": _draw(table["d_v"], placeholder=say("setup.as_d_out", d_out=basics["d_out"])),
        "n_kv_heads": _draw(table["n_kv_heads"], placeholder=say("setup.as_n_heads", n_heads=basics["n_heads"])),
    }
    values |= {name: _draw(table[name]) for name in ("output", "bias", "positions", "embedding_factor")}
    session = this_session()
    session.put(_SWITCH, session.get("d_ff", table["d_ff"].default) is not None)
    st.toggle(say("setup.feed_forward.label"), key=_SWITCH, on_change=_switch_feed_forward,
              help=say("setup.feed_forward.help"))  # fmt: skip
    # These are always drawn, so that they keep their values.
    values["d_ff"] = _draw(table["d_ff"], placeholder=say("setup.off"))
    values |= {name: _draw(table[name]) for name in ("activation", "norm", "n_layers", "same_layers")}
    values["init"] = _draw(table["init"])
    st.button(say("setup.same_seed"), on_click=drop_changes, help=say("setup.same_seed_help"))
    values |= {name: _draw(table[name]) for name in ("tokenizer", "embedding", "digits")}
    return values


def _switch_feed_forward() -> None:
    on, scenario = this_session().get(_SWITCH), scenario_now()
    width = 1 if scenario is None else scenario.shape_of("w_v")[1]
    # The hidden layer is four times as wide as its input, as in the paper.
    address.set_controls({"d_ff": min(4 * width, MAX_D) if on else None})


def _draw(control: Control, label: str = "", **more: Any) -> Any:
    """Draw a control and its choice's meaning; return its value."""
    label = label or control.label
    # A move of a control starts no run by itself ("ignore"): the page sends its value, which lets the page fetch the
    # numbers first, and join several moves into one run.
    drawn = {"key": control.name, "bind": "query-params", "help": control.help, "on_change": "ignore"} | more
    match control.codec:
        case Whole(low, high):
            value = st.number_input(label, low, high, control.default, 1, **drawn)
            return None if value is None else int(value)
        case Number(low, high):
            off = say("setup.off") if control.default is None else None
            return st.number_input(label, low, high, control.default, 0.1, format="%.2f", placeholder=off, **drawn)
        case Choice(choices):
            session, key, context = this_session(), f"setup.{control.name}", get_script_run_ctx()
            with session.shared.unseen:  # if this box were visible, the labels of its choices would get into links
                value = st.selectbox(label, choices, choices.index(control.default), **drawn)
            # After a reconnect, the page may still hold a choice that the old server never read. That choice is kept,
            # unless the reader goes to another address.
            if not page_record.came_back() or (context and context.is_history_navigation):
                session.put(key, value)
            chosen = st.selectbox(label, choices, choices.index(value), key=key, format_func=control.called,
                                  help=control.help, **more,
                                  on_change=lambda: address.set_controls({control.name: session.get(key)}))  # fmt: skip
            if chosen != value:
                address.rerun_with({control.name: chosen})
            if meaning := control.meaning(value):
                with st.container(key=f"setup_meaning_{control.name}"):
                    st.caption(meaning)
            return value
        case Flag():
            return st.toggle(label, control.default, **drawn)
        case FunctionCodec() | Text():
            return st.text_input(label, control.default, **drawn)
        case codec:
            raise TypeError(f"{control.name} is read by {codec!r}, expected a codec that has a control")


def _new_seed() -> None:
    # They are dropped here already, so that Back never shows the new seed with edits made to the old one's matrices.
    drop_changes()
    address.set_controls({"seed": secrets.randbelow(10_000)})
