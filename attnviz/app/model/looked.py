"""What a model computes for a sentence, kept for all who ask for the same."""

from typing import Any

import streamlit as st

from attnviz.app.keeper.logs import get_log
from attnviz.app.refusals import told
from attnviz.app.text import literal
from attnviz.core.errors import RefusedError, SaidError
from attnviz.models import ModelEdit, ModelTrace, look_into
from attnviz.models.editing import editing_of
from attnviz.models.loading import STEPS, Shelf, Step
from attnviz.words import plural, say

MOST_TOKENS = 64  # whose weights of all heads a page is sent: a megabyte and a half for the included model
_LOG = get_log(__name__)


@st.cache_resource(show_spinner=False)
def _shelf() -> Shelf:
    """Models of nobody: all sessions share them."""
    return Shelf()


def looked(name: str, text: str, target: str = "", edits: tuple[ModelEdit, ...] = ()) -> ModelTrace:
    """Return what a model makes of a sentence, with these changes; raises ``SaidError`` with what to tell the reader
    where it can't be had."""
    model, tokenizer = _model(name)
    return _looked(model, tokenizer, name, text, target, "*".join(map(str, edits)))


def _model(name: str) -> tuple[Any, Any]:
    """Return a model and its tokenizer; while it's loaded for the first time, draw how far that is."""
    shelf = _shelf()
    if name in shelf:
        return shelf.get(name)
    place = st.empty()

    def tell(step: Step) -> None:
        at = STEPS.index(step)
        place.progress((at + 0.5) / len(STEPS), say(f"models.loading.{step}"))

    try:
        return shelf.get(name, tell)
    except RefusedError as error:
        _LOG.exception("a model can't be had")
        raise SaidError(say("models.page.no_model", model=literal(name), why=told(error))) from None
    except ValueError:
        _LOG.exception("a model can't be had")
        raise SaidError(say("models.page.no_model", model=literal(name), why=say("refused.model_damaged"))) from None
    finally:
        place.empty()


@st.cache_resource(max_entries=24, show_spinner=False)
def _looked(_model: Any, _tokenizer: Any, name: str, text: str, target: str, edits: str) -> ModelTrace:
    """What a model makes of a sentence; `name` stands for the model and its tokenizer."""
    for each in (text, target):
        n_tokens = len(_tokenizer(each, verbose=False)["input_ids"]) if each else 0
        if n_tokens > MOST_TOKENS:
            raise SaidError(say("models.page.too_long", tokens=plural(n_tokens, "token"), most=MOST_TOKENS))
    into = target if _model.config.is_encoder_decoder else None
    try:
        return look_into(_model, _tokenizer, text, target=into, edits=edits.split("*") if edits else ())
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
