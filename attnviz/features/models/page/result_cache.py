"""A cache of models' results for sentences, shared by all sessions."""

import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from hashlib import blake2s
from threading import BoundedSemaphore, Lock
from typing import Any, NamedTuple

import streamlit as st
from torch import Tensor

from attnviz.app.operations.logs import get_log
from attnviz.app.operations.memory import give_back
from attnviz.app.text import literal, message_of
from attnviz.core.cache import Cache
from attnviz.core.limits import ReaderError, RefusedError
from attnviz.features.language_models.inside import STORIES, ModelEdit, ModelTrace, offered
from attnviz.features.language_models.inside.editing import editing_of
from attnviz.features.language_models.inside.loading import Progress
from attnviz.features.language_models.inside.logit_attribution import Why, moved, why
from attnviz.features.language_models.inside.pieces import Read, most_tokens, n_tokens_of, n_weights
from attnviz.features.language_models.inside.pretrained import look, scores_of
from attnviz.features.language_models.inside.shelf import Shelf
from attnviz.features.language_models.inside.writing import appended
from attnviz.features.models.model_pages import grid_data
from attnviz.features.stories.asked import StoryQuestion, right
from attnviz.words import LANGUAGE, say

MOST_WEIGHTS = 2**25  # all heads for one sentence: 128 MiB, twice what 512 tokens of the included model take
MOST_SENT = 2**19  # weights that the page is sent in full: two megabytes, 85 tokens of the included model
MOST_BYTES = 9 * 2**25  # limits for the whole cache: two texts of 512 tokens ...
MOST_KEPT = 64  # ... or 32 short sentences, each with its grid
_LONG = 2**21  # weights of a long sentence, such as 170 tokens of the included model; only one is read at a time
_READING, _DRAWING = Lock(), BoundedSemaphore(2)  # _DRAWING is taken first
_LOG = get_log(__name__)


class SentGrid(NamedTuple):
    """The grid's data as JSON, with a `mark` that identifies it.

    A cell of a picture stands for `step` by `step` weights.
    """

    text: bytes
    mark: str
    step: int


@cache
def _shelf() -> Shelf:
    """Return the loaded models, which all sessions share."""
    return Shelf()


@cache
def _kept() -> Cache:
    """Return the shared cache of the models' results and grids."""
    return Cache(MOST_BYTES, MOST_KEPT)


_shelf(), _kept()  # made here, because two threads asking at once would each make their own


def load_first() -> None:
    """Load the first model early, so that no reader waits for it.

    Raises what :meth:`Shelf.get` does.
    """
    _shelf().get(offered()[STORIES])


def looked(
    name: str, text: Read, target: str = "", edits: tuple[ModelEdit, ...] = (), written: tuple[int, ...] = (), *,
    cache: bool = True,
) -> ModelTrace:  # fmt: skip
    """Return what a model computes for a sentence, changed and continued.

    Raises ``ReaderError``, which says to the reader why it isn't possible.
    """
    model, tokenizer = _model(name)
    plain = looked(name, text, target, (), written, cache=cache) if edits else None
    key = _key(name, text, target, edits, written, cache=cache)
    if written:
        last = _kept().find(_key(name, text, target, (), written[:-1], cache=True)) if cache else None
        before = plain or last or looked(name, text, target)
        return _kept().get(key, lambda: _written(before, edits, written, cache=cache), lambda view: view.n_bytes)
    return _kept().get(
        key, lambda: _looked(model, tokenizer, name, text, target, edits, plain), lambda view: view.n_bytes
    )


def _key(
    name: str, text: Read, target: str, edits: tuple[ModelEdit, ...], written: tuple[int, ...], *, cache: bool
) -> tuple[object, ...]:
    return (name, text, target, "*".join(map(str, edits)), written, cache or not written)


def _written(before: ModelTrace, edits: tuple[ModelEdit, ...], written: tuple[int, ...], *, cache: bool) -> ModelTrace:
    """Return the trace after the model's written words, continuing from `before`."""
    try:
        if edits:
            return appended(before, (), edits=edits)
        if cache and len(before.written) < len(written) - 1:  # a link's words, which weren't written one by one here
            before = appended(before, written[len(before.written) : -1])
        return appended(before, written[len(before.written) :], cache=cache)
    except RefusedError as error:
        raise ReaderError(message_of(error)) from None
    except ValueError:
        raise ReaderError(say("models.page.refused")) from None


def looked_why(view: ModelTrace, token: int) -> Why:
    """Return, from the cache, what gives a token its score."""
    key = (view.name, view.text, view.written, view.computed_from, "*".join(map(str, view.edits)), token)
    found: Why = _kept().get(key, lambda: why(view, token), lambda _: 8 * len(view.heads) * len(view.tokens))
    return found


def looked_moved(view: ModelTrace, other: ModelTrace) -> Tensor:
    """Return how far another sentence's activations move this one's next word."""
    key = (view.name, view.text, view.written, "*".join(map(str, view.edits)), other.text)
    found: Tensor = _kept().get(key, lambda: moved(view, other), lambda moves: moves.numel() * 4)
    return found


def looked_right(
    view: ModelTrace, edits: tuple[ModelEdit, ...], ids: Tensor, asked: Mapping[str, list[StoryQuestion]]
) -> dict[str, int]:
    """Return how many held-out questions a changed model answers correctly, by kind."""

    def made() -> dict[str, int]:
        editing = editing_of(edits, (view.original or view).layers) if edits else None
        return right(scores_of(view.model, ids, editing).argmax(-1).tolist(), asked)

    found: dict[str, int] = _kept().get((view.name, "held out", "*".join(map(str, edits))), made, len)
    return found


def most_of(view: ModelTrace) -> int:
    """Return how many tokens the page shows of what this model reads."""
    return most_tokens(view.model, view.tokenizer, MOST_WEIGHTS)


def cached_grid(view: ModelTrace, target: str, *, dark: bool) -> SentGrid:
    """Return the grid data for a trace that :func:`looked` gave."""
    own = (view.name, view.asked, view.written, view.computed_from, target)
    key = (*own, "*".join(map(str, view.edits)), view.kinds, dark, LANGUAGE.get())
    return _kept().get(key, lambda: _sent_grid(view, dark=dark), lambda sent: len(sent.text))


def _sent_grid(view: ModelTrace, *, dark: bool) -> SentGrid:
    data = grid_data(view, dark=dark, most=MOST_SENT)
    text = json.dumps(data).encode()
    return SentGrid(text, blake2s(text, digest_size=8).hexdigest(), data["step"])


def _model(name: str) -> tuple[Any, Any]:
    """Return a model and its tokenizer, with progress while they load."""
    shelf, loaded_by = _shelf(), offered()[name]
    if loaded_by in shelf:
        return shelf.get(loaded_by)
    place = st.empty()

    def tell(progress: Progress) -> None:
        place.progress(progress.whole, say(f"models.loading.{progress.step}", share=f"{100 * progress.share:.0f}"))

    try:
        found = shelf.get(loaded_by, tell)
        stay = {name for name, each in offered().items() if each in shelf}
        _kept().forget(lambda key: key[0] not in stay)  # results would keep a dropped model in memory
        return found
    except RefusedError as error:
        _LOG.exception("a model can't be had")
        raise ReaderError(say("models.page.no_model", model=literal(name), why=message_of(error))) from None
    except ValueError:
        _LOG.exception("a model can't be had")
        raise ReaderError(say("models.page.no_model", model=literal(name), why=say("refused.model_damaged"))) from None
    finally:
        place.empty()


def _looked(
    model: Any, tokenizer: Any, name: str, text: Read, target: str, edits: tuple[ModelEdit, ...],
    plain: ModelTrace | None,
) -> ModelTrace:  # fmt: skip
    """Compute a model's result for a sentence, without the cache."""
    most = most_tokens(model, tokenizer, MOST_WEIGHTS)
    if (longest := _longest(tokenizer, text, target)) > most:
        raise ReaderError(message_of(RefusedError("model_tokens", tokens=longest, most=most)))
    into = target if model.config.is_encoder_decoder else None
    try:
        with _READING if n_weights(model, longest) > _LONG else nullcontext():
            return look(model, tokenizer, text, into, name, edits, plain)
    except RefusedError as error:
        # Without the changes, the model could read this.
        raise ReaderError(say("models.page.changed_refused") if edits else message_of(error)) from None
    except ValueError:
        raise ReaderError(say("models.page.changed_refused" if edits else "models.page.refused")) from None


def turn(name: str, text: Read, target: str) -> AbstractContextManager[object]:
    """Return a lock to hold while reading and drawing a long text.

    It saves memory: each page that didn't wait would need a hundred megabytes. Raises ``ReaderError`` as :func:`looked`
    does.
    """
    model, tokenizer = _model(name)
    return _turn() if n_weights(model, _longest(tokenizer, text, target)) > _LONG else nullcontext()


@contextmanager
def _turn() -> Iterator[None]:
    with _DRAWING:
        try:
            yield
        finally:
            give_back()


def _longest(tokenizer: Any, *texts: Read) -> int:
    return max(n_tokens_of(tokenizer, each) if each else 0 for each in texts)


def fitting(edits: tuple[ModelEdit, ...], view: ModelTrace) -> tuple[ModelEdit, ...]:
    """Return those changes that fit the model and this sentence."""
    kept: tuple[ModelEdit, ...] = ()
    for edit in edits:
        try:
            editing_of((*kept, edit), view.layers)
        except ValueError:
            continue
        kept = (*kept, edit)
    return kept
