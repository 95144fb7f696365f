"""A training to take home: in the playground, as a link, a file of tensors, a script, a notebook; and text that it
makes."""

import streamlit as st

from attnviz.app.learn.time import picked_token
from attnviz.app.refusals import told
from attnviz.app.text import as_message
from attnviz.core.attention import AttentionTrace
from attnviz.core.limits import MAX_SEED, MAX_TEMPERATURE, MIN_TEMPERATURE
from attnviz.core.scenario import Scenario
from attnviz.link.parameter_table import QUERY
from attnviz.link.set_up import query_of
from attnviz.link.training_text import MOST_OF_LEARNED
from attnviz.training import Training, moment_safetensors, training_notebook, training_script
from attnviz.training.training import MOST_GENERATED
from attnviz.words import say

MOST_OF_LINK = 30_000  # characters of an address that a click on it still opens everywhere


def scenario_of_head(trace: AttentionTrace, layer: int) -> Scenario:
    """Return the attention of a layer as a scenario: with its own X and W's, it makes the very same attention weights.

    Raises ``ValueError`` where a scenario has no room for it.
    """
    own = trace.layers[layer]
    attended = own.stages["q"].sources[0]
    rotary = "q_rotated" in own.stages or "heads.0.q_rotated" in own.stages
    return Scenario(
        text=" ".join(trace.tokens), tokenizer="whitespace", d_in=own[attended].shape[1], d_out=own.w_q.shape[1],
        n_heads=own.n_heads, causal=True, x=own[attended].tolist(), w_q=own.w_q.tolist(),
        w_k=own.w_k.tolist(), w_v=own.w_v.tolist(), positions="rotary" if rotary else "none",
    )  # fmt: skip


def show_home(training: Training, step: int, text: str, trace: AttentionTrace, layer: int) -> None:
    """Draw the ways home."""
    _playground(training, trace, layer)
    name = f"{training.settings.task}-seed-{training.settings.seed}-step-{step}"
    with st.container(horizontal=True):
        st.download_button(
            say("learn.home.script"), lambda: training_script(training, step, text), f"{name}.py", "text/x-python",
            key="learn.home.script", on_click="ignore", icon=":material/code:",
        )  # fmt: skip
        st.download_button(
            say("learn.home.notebook"), lambda: training_notebook(training, step, text), f"{name}.ipynb",
            "application/x-ipynb+json", key="learn.home.notebook", on_click="ignore", icon=":material/book_2:",
        )  # fmt: skip
        st.download_button(
            say("learn.home.tensors"), lambda: moment_safetensors(training, step), f"{name}.safetensors",
            "application/octet-stream", key="learn.home.tensors", on_click="ignore", icon=":material/database:",
        )  # fmt: skip
    st.caption(say("learn.home.what"))
    if len(training.settings.text) <= MOST_OF_LEARNED:
        st.caption(say("learn.home.address"))


def _playground(training: Training, trace: AttentionTrace, layer: int) -> None:
    query = picked_token(training, trace.tokens)
    try:
        link = query_of(scenario_of_head(trace, layer), **{QUERY: str(query)})
    except ValueError:
        st.text(say("learn.home.no_room"))
        return
    if len(link) > MOST_OF_LINK:
        st.text(say("learn.home.too_long"))
        return
    st.link_button(
        say("learn.home.playground", layer=layer), f"./?{link}", key="learn.home.playground",
        icon=":material/open_in_new:",
    )  # fmt: skip


def show_generated(training: Training, step: int, text: str) -> None:
    """Draw how the model goes on with the text, and the choices of that."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n = st.number_input(say("learn.goes_on.n"), 1, MOST_GENERATED, 60, key="learn.goes_on.n", width=120,
                            persist_state="session")  # fmt: skip
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
        made = training.generate(step, text, n, temperature=temperature, top_k=1 if greedy else top_k, seed=seed)
    except (ValueError, RuntimeError) as error:
        st.warning(as_message(told(error)))
        return
    st.code(training.model.task.between.join(made), language=None, wrap_lines=True)
