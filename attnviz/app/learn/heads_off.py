"""Heads switched off at a moment: what the model is worth with and without them, and what it expects next."""

import pandas as pd
import streamlit as st

from attnviz.app.learn.time import picked_token
from attnviz.core.attention import AttentionTrace
from attnviz.core.tokens import token_labels, visible
from attnviz.training import Training
from attnviz.words import say
from attnviz.words.numbers import written
from attnviz.words.shares import percent

_MOST = 6  # next tokens that are shown


def show_heads_off(training: Training, step: int, text: str, trace: AttentionTrace) -> None:
    """Draw the choice of heads, and two tables: on held-out data, and of the text."""
    settings = training.settings
    heads = [(layer, head) for layer in range(settings.n_layers) for head in range(settings.n_heads)]
    st.text(say("learn.off.how"))
    off = st.pills(
        say("learn.off.heads"), heads, selection_mode="multi", key=f"learn.off.{len(heads)}.{settings.n_heads}",
        format_func=lambda each: say("learn.time.of_head", layer=each[0], head=each[1]), persist_state="session",
    )  # fmt: skip
    off = [each for each in heads if each in off]
    if not off:
        return
    worth = training.without(step, off)
    st.text(say("learn.off.worth", loss=written(worth.loss, 3), without=written(worth.loss_without, 3),
                right=percent(worth.accuracy), right_without=percent(worth.accuracy_without)))  # fmt: skip
    query = picked_token(training, trace.tokens)
    both = trace.probabilities[query], training.trace(step, text, off).probabilities[query]
    entries = training.model.task.vocabulary
    best = sorted(range(len(entries)), key=lambda i: -max(float(both[0][i]), float(both[1][i])))[:_MOST]
    table = pd.DataFrame({
        say("learn.off.token"): [visible(entries[i]) for i in best],
        say("learn.off.with"): [percent(float(both[0][i])) for i in best],
        say("learn.off.without"): [percent(float(both[1][i])) for i in best],
    })  # fmt: skip
    st.text(say("learn.time.next", token=token_labels(trace.tokens)[query]))
    st.dataframe(table, hide_index=True, width=420, key="learn.off.table")
