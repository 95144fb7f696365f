"""What the model's numbers are for: the next token of a decoder, the similarity that an encoder finds; beside a changed
model, those of the model without its changes."""

import streamlit as st
import torch

from attnviz.app.model.looked import fitting, looked
from attnviz.app.model.typing import is_too_long, sentence
from attnviz.app.parts.charts import Measured, show_measured
from attnviz.app.refusals import told
from attnviz.app.session import state
from attnviz.app.text import as_message
from attnviz.core.tokens import visible
from attnviz.link.parameter_table import MODEL_OTHER
from attnviz.models import ModelTrace, similarity
from attnviz.models.uses import has_next, has_vector, last_vectors
from attnviz.words import say
from attnviz.words.numbers import written

_OTHER_KEY = "model.other"
_DIGITS = 2  # of percent


def show_uses(whole: ModelTrace, asked: str) -> None:
    """Draw what a model answers; `asked` is its name in the list of those offered."""
    if has_vector(whole):
        _show_similarity(whole, asked)
    elif not has_next(whole):
        _show_vectors(whole)
    if whole.original is not None:
        st.text(_moved(whole, whole.original))


def _show_similarity(view: ModelTrace, asked: str) -> None:
    other = sentence(MODEL_OTHER, say("models.use.other"), _OTHER_KEY)
    if not other.strip():
        st.info(say("models.use.blank"), icon=":material/edit:")
        return
    if is_too_long(other):
        return
    try:
        plain = looked(asked, other)
        edits = fitting(tuple(edit for edit in view.edits if edit.of_model), plain)
        changed = looked(asked, other, edits=edits)
    except ValueError as error:
        st.warning(as_message(told(error)), icon=":material/info:")
        return
    digits = state.digits()
    with st.container(horizontal=True, gap="large"):
        st.metric(say("models.use.similarity"), written(similarity(view, changed), digits), width="content")
        if view.original is not None:
            st.metric(say("models.use.without"), written(similarity(view.original, plain), digits), width="content")
    st.caption(say("models.use.cosine"))
    if len(edits) < len(view.edits):
        st.caption(say("models.use.of_sentence"))


def _show_vectors(view: ModelTrace) -> None:
    """Draw how far changes move what comes out of a model that makes no answer of it: each token's last vector."""
    now = last_vectors(view)
    then = None if view.original is None else last_vectors(view.original)
    if now is None or then is None:
        st.caption(say("models.use.vectors"))
        return
    moved, lengths = (now - then).double().norm(dim=-1), then.double().norm(dim=-1)
    moves = moved.tolist()
    of_length = (100 * moved / lengths.clamp_min(torch.finfo(lengths.dtype).tiny)).tolist()
    st.caption(say("models.use.vectors_moved"))
    show_measured("model.vectors", say("models.use.read"), [visible(each) for each in view.layers[-1].tokens], {
        "moves": Measured(say("models.use.moves"), moves, max(moves), state.digits()),
        "of_length": Measured(say("models.use.of_length"), of_length, max(of_length), _DIGITS, percent=True),
    })  # fmt: skip


def _moved(view: ModelTrace, original: ModelTrace) -> str:
    """Say how far the changes reach: what they do to the attention weights of the last layer, or where these stay, as
    of a head of it that is off, to its contexts."""
    last, before = view.layers[-1], original.layers[-1]
    # Layers of a kind are counted on the page by themselves.
    number = sum(each.kind == last.kind for each in view.layers[:-1])
    where = say("models.layer", layer=number)
    if len(view.kinds) > 1:
        where = say("models.use.layer_of_kind", layer=number, kind=say(f"models.page.kinds.{last.kind}"))
    parts = {"moved": (last.weights, before.weights), "moved_context": (last.attended.context, before.attended.context)}
    for name, (now, then) in parts.items():
        if now is None or then is None:
            continue
        apart = (now - then).abs().flatten(1).amax(1)
        head = int(apart.argmax())
        if most := float(apart[head]):
            return say(f"models.use.{name}", layer=where, head=head, most=written(most, state.digits()))
    return say("models.use.stayed", layer=where)
