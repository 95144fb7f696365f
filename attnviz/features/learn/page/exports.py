"""Exports of a training: playground, link, tensors, script, notebook, generated text."""

from functools import partial

import streamlit as st

from attnviz.app.parts.charts import download
from attnviz.app.text import as_message, message_of
from attnviz.core.attention import AttentionTrace
from attnviz.core.limits import MAX_SEED, MAX_TEMPERATURE, MIN_TEMPERATURE
from attnviz.core.scenario import Scenario
from attnviz.export import scenario_json
from attnviz.features.learn.page.moment import Off, listed, picked_token
from attnviz.features.learn.parameters import MOST_OF_LEARNED
from attnviz.features.learn.training import (
    Training,
    moment_safetensors,
    scenario_of,
    training_notebook,
    training_script,
)
from attnviz.features.learn.training.code import as_text, numbers
from attnviz.features.learn.training.training import MOST_GENERATED
from attnviz.link.parameter_table import LAYER, QUERY
from attnviz.link.set_up import query_of
from attnviz.words import plural, say, thousands

MOST_OF_LINK = 64_000  # characters of the longest link that every browser opens
MOST_OPENED = 36_000  # numbers that the playground accepts, at most; see MOST_GIVEN


def scenario_of_layer(trace: AttentionTrace, layer: int) -> Scenario:
    """Return one layer's attention as a scenario with the same attention weights.

    Raises ``ValueError`` if it doesn't fit into a scenario.
    """
    own = trace.layers[layer]
    attended = own.stages["q"].sources[0]
    rotary = "q_rotated" in own.stages or "heads.0.q_rotated" in own.stages
    text, tokenizer = as_text(trace.tokens)
    return Scenario(
        text=text, tokenizer=tokenizer, d_in=own[attended].shape[1], d_out=own.w_q.shape[1],
        n_heads=own.n_heads, causal=True, x=numbers(own[attended]), w_q=numbers(own.w_q),
        w_k=numbers(own.w_k), w_v=numbers(own.w_v), positions="rotary" if rotary else "none",
    )  # fmt: skip


def show_home(training: Training, step: int, text: str, trace: AttentionTrace, layer: int, off: Off) -> None:
    """Draw the exports; the playground opens with `trace`."""
    _playground(training, trace, layer)
    if off:
        st.caption(say("learn.home.without", heads=listed(training.settings, off)))
    name = f"{training.settings.task}-seed-{training.settings.seed}-step-{step}"
    with st.container(horizontal=True):
        for kind, make, ending, icon in (
            ("script", partial(training_script, training, step, text), "py", "code"),
            ("notebook", partial(training_notebook, training, step, text), "ipynb", "book_2"),
            ("tensors", partial(moment_safetensors, training, step), "safetensors", "database"),
        ):
            key = f"learn.home.{kind}"
            download(say(key), make, f"{name}.{ending}", key, icon=f":material/{icon}:")
    st.caption(say("learn.home.what"))
    if _fits_link(training):
        st.caption(say("learn.home.address"))


def _fits_link(training: Training) -> bool:
    """Whether a link holds everything needed to train this model again."""
    return len(training.settings.text) <= MOST_OF_LEARNED


def _playground(training: Training, trace: AttentionTrace, layer: int) -> None:
    """Draw the playground link, or a file where the layers don't fit."""
    layers = plural(training.settings.n_layers, "layer")
    try:
        scenario = scenario_of(training, trace)
    except ValueError:
        st.text(say("learn.home.no_room", layers=layers))
        _one_layer(training, trace, layer)
        return
    n_numbers = sum(len(rows) * len(rows[0]) for rows in scenario.replaced.values())
    if n_numbers > MOST_OPENED:
        st.text(
            say("learn.home.too_many", layers=layers, numbers=plural(n_numbers, "number"), most=thousands(MOST_OPENED))
        )
        _one_layer(training, trace, layer)
        return
    link = query_of(scenario, **{QUERY: str(picked_token(training, trace.tokens)), LAYER: str(layer)})
    if len(link) <= MOST_OF_LINK:
        _open(link, say("learn.home.playground", layers=layers), "learn.home.playground")
    else:
        st.text(say("learn.home.too_long", layers=layers, characters=plural(len(link), "character")))
        with st.container(horizontal=True):
            key, make = "learn.home.scenario", partial(scenario_json, scenario)
            download(say(key, layers=layers), make, "scenario.json", key, icon=":material/stacks:")
            _one_layer(training, trace, layer)
    narrow = training.settings.d_k < training.settings.d_model
    st.caption(" ".join((say("learn.home.ends"), *([say("learn.home.zeros")] if narrow else ()))))


def _one_layer(training: Training, trace: AttentionTrace, layer: int) -> None:
    """Draw the link to the attention of the layer in view alone."""
    try:
        link = query_of(scenario_of_layer(trace, layer), **{QUERY: str(picked_token(training, trace.tokens))})
    except ValueError:
        link = ""
    if not 0 < len(link) <= MOST_OF_LINK:
        st.text(say("learn.home.recipe" if _fits_link(training) else "learn.home.script_alone"))
        return
    _open(link, say("learn.home.layer", layer=layer), "learn.home.layer")


def _open(link: str, label: str, key: str) -> None:
    st.link_button(label, f"./?{link}", key=key, icon=":material/open_in_new:")


def show_generated(training: Training, step: int, text: str, off: Off) -> None:
    """Draw the model's continuation of the text, and its options."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n = st.number_input(
            say("learn.goes_on.n"), 1, MOST_GENERATED, 60, key="learn.goes_on.n", width=120, persist_state="session"
        )
        greedy = st.toggle(say("learn.goes_on.greedy"), key="learn.goes_on.greedy", persist_state="session")
        temperature = st.number_input(
            say("learn.goes_on.temperature"), MIN_TEMPERATURE, MAX_TEMPERATURE, 1.0, 0.1, key="learn.goes_on.t",
            width=140, disabled=greedy, persist_state="session",
        )  # fmt: skip
        n_entries = len(training.model.task.vocabulary)
        top_k = st.number_input(
            say("learn.goes_on.top_k"), 1, n_entries, n_entries, key=f"learn.goes_on.top_k.{n_entries}", width=120,
            disabled=greedy, persist_state="session",
        )  # fmt: skip
        seed = st.number_input(say("learn.goes_on.seed"), 0, MAX_SEED, 0, key="learn.goes_on.seed", width=120,
                               disabled=greedy, persist_state="session")  # fmt: skip
    try:
        made = training.generate(
            step, text, n, temperature=temperature, top_k=1 if greedy else top_k, seed=seed, without=off
        )
    except ValueError as error:
        st.warning(as_message(message_of(error)))
        return
    st.code(training.model.task.between.join(made), language=None, wrap_lines=True)
