"""What a model computes for a sentence, kept for all who ask for the same."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from threading import BoundedSemaphore, Lock
from typing import Any

import streamlit as st

from attnviz.app.keeper.logs import get_log
from attnviz.app.refusals import told
from attnviz.app.text import literal
from attnviz.core.errors import RefusedError, SaidError
from attnviz.documents.heads_data import grid_data
from attnviz.models import ModelEdit, ModelTrace, look_into
from attnviz.models.editing import editing_of
from attnviz.models.kept import Kept
from attnviz.models.loading import STEPS, Shelf, Step
from attnviz.models.pretrained import most_tokens, n_weights
from attnviz.words import plural, say

MOST_WEIGHTS = 2**25  # of all heads for one sentence: 128 MiB, and 512 tokens of the included model have half of it
MOST_SENT = 2**19  # that the page is sent: two megabytes, of 85 tokens of the included model
MOST_BYTES = 2**29  # of all that is kept: three texts of 512 tokens ...
MOST_KEPT = 64  # ... or 32 short sentences, each with what is drawn of it
_LONG = 2**21  # weights, above which only one sentence at a time is read: of 170 tokens of the included model
_READING, _DRAWING = Lock(), BoundedSemaphore(2)  # this one is taken first
_LOG = get_log(__name__)


@st.cache_resource(show_spinner=False)
def _shelf() -> Shelf:
    """Models of nobody: all sessions share them."""
    return Shelf()


@st.cache_resource(show_spinner=False)
def _kept() -> Kept:
    """What they make of sentences, and what of it is drawn: of nobody, too."""
    return Kept(MOST_BYTES, MOST_KEPT)


def looked(name: str, text: str, target: str = "", edits: tuple[ModelEdit, ...] = ()) -> ModelTrace:
    """Return what a model makes of a sentence, with these changes; raises ``SaidError`` with what to tell the reader
    where it can't be had."""
    model, tokenizer = _model(name)
    key = (name, text, target, "*".join(map(str, edits)))
    return _kept().get(key, lambda: _looked(model, tokenizer, *key), lambda view: view.n_bytes)


def looked_grid(view: ModelTrace, target: str, *, dark: bool) -> dict[str, Any]:
    """Return what the grid of a model's heads is sent, of a view of one kind that :func:`looked` gave."""
    key = (view.name, view.text, target, "*".join(map(str, view.edits)), view.kinds, dark)
    return _kept().get(key, lambda: grid_data(view, dark=dark, most=MOST_SENT), _characters)


def _characters(sent: Any) -> int:
    """Return about how many bytes plain values for JSON take."""
    if isinstance(sent, dict):
        return _characters(list(sent.values()))
    return sum(map(_characters, sent)) if isinstance(sent, list) else len(sent) if isinstance(sent, str) else 8


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
        found = shelf.get(name, tell)
        _kept().forget(lambda key: key[0] not in shelf)  # which would hold on to a model that had to go
        return found
    except RefusedError as error:
        _LOG.exception("a model can't be had")
        raise SaidError(say("models.page.no_model", model=literal(name), why=told(error))) from None
    except ValueError:
        _LOG.exception("a model can't be had")
        raise SaidError(say("models.page.no_model", model=literal(name), why=say("refused.model_damaged"))) from None
    finally:
        place.empty()


def _looked(model: Any, tokenizer: Any, name: str, text: str, target: str, edits: str) -> ModelTrace:
    """What a model makes of a sentence, by the name that it has in the list of those offered."""
    most = most_tokens(model, tokenizer, MOST_WEIGHTS)
    if (longest := _longest(tokenizer, text, target)) > most:
        raise SaidError(say("models.page.too_long", tokens=plural(longest, "token"), most=most))
    into = target if model.config.is_encoder_decoder else None
    try:
        with _READING if n_weights(model, longest) > _LONG else nullcontext():
            view = look_into(model, tokenizer, text, target=into, edits=edits.split("*") if edits else ())
    except RefusedError as error:
        raise SaidError(told(error)) from None
    except ValueError:
        raise SaidError(say("models.page.changed_refused" if edits else "models.page.refused")) from None
    original = None if view.original is None else replace(view.original, name=name)
    return replace(view, name=name, original=original)


def turn(name: str, text: str, target: str) -> AbstractContextManager[object]:
    """Return what is held while a text is read and drawn: each page that waits with what was computed of a long one
    would need a hundred megabytes. Raises ``SaidError`` as :func:`looked` does."""
    model, tokenizer = _model(name)
    return _DRAWING if n_weights(model, _longest(tokenizer, text, target)) > _LONG else nullcontext()


def _longest(tokenizer: Any, *texts: str) -> int:
    return max(len(tokenizer(each, verbose=False)["input_ids"]) if each else 0 for each in texts)


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
