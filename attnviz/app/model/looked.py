"""What a model computes for a sentence, kept for all who ask for the same."""

from threading import Lock
from typing import Any

import streamlit as st

from attnviz.app.keeper.logs import get_log
from attnviz.app.refusals import told
from attnviz.core.errors import RefusedError, SaidError
from attnviz.models import ModelEdit, ModelTrace, load, look_into
from attnviz.models.editing import editing_of
from attnviz.words import plural, say

MOST_TOKENS = 64  # whose weights of all heads a page is sent: a megabyte and a half for the included model
_LOG = get_log(__name__)
_LOADING = Lock()


@st.cache_resource(max_entries=2, show_spinner=False)
def _loaded(name: str) -> tuple[Any, Any]:
    """A model of its own for nobody: all sessions share it."""
    return load(name)


def looked(name: str, text: str, target: str = "", edits: tuple[ModelEdit, ...] = ()) -> ModelTrace:
    """Return what a model makes of a sentence, with these changes; raises ``SaidError`` with what to tell the reader
    where it can't be had."""
    return _looked(name, text, target, "*".join(map(str, edits)))


@st.cache_resource(max_entries=24, show_spinner=False)
def _looked(name: str, text: str, target: str, edits: str) -> ModelTrace:
    try:
        with _LOADING:  # one reads it, the others wait
            model, tokenizer = _loaded(name)
    except ValueError:
        _LOG.exception("a model can't be had")
        raise SaidError(say("models.page.no_model", model=name)) from None
    for each in (text, target):
        n_tokens = len(tokenizer(each, verbose=False)["input_ids"]) if each else 0
        if n_tokens > MOST_TOKENS:
            raise SaidError(say("models.page.too_long", tokens=plural(n_tokens, "token"), most=MOST_TOKENS))
    into = target if model.config.is_encoder_decoder else None
    try:
        return look_into(model, tokenizer, text, target=into, edits=edits.split("*") if edits else ())
    except RefusedError as error:
        raise SaidError(told(error)) from None
    except ValueError:
        raise SaidError(say("models.page.changed_refused" if edits else "models.page.refused")) from None


def fitting(edits: tuple[ModelEdit, ...], view: ModelTrace) -> tuple[ModelEdit, ...]:
    """Return those of some changes that a model has a place for while it reads this sentence."""
    kept: tuple[ModelEdit, ...] = ()
    for edit in edits:
        try:
            editing_of((*kept, edit), view.layers)
        except ValueError:
            continue
        kept = (*kept, edit)
    return kept
