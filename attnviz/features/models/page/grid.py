"""The grid of all heads, sorted and filtered by measured figures."""

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import streamlit as st

from attnviz.app.session.component import component
from attnviz.app.session.page_record import current_mark
from attnviz.app.session.url_texts import take
from attnviz.app.text import as_message, is_dark
from attnviz.board.script import CONSTANTS
from attnviz.features.language_models.inside import STORIES, ModelTrace
from attnviz.features.language_models.inside.hybrids import others_in_words
from attnviz.features.language_models.inside.layers.layer import Layer
from attnviz.features.language_models.inside.pieces import Piece
from attnviz.features.models.link_texts import BY_LAYERS
from attnviz.features.models.model_pages import GRID_STYLE, STRONGEST
from attnviz.features.models.page.result_cache import cached_grid
from attnviz.features.models.parameters import MODEL_HEAD, MODEL_QUERY, MODEL_TARGET
from attnviz.words import plural, say
from attnviz.words.numbers import percent, significant

_HERE = Path(__file__).parent
_INKS = """.grid, .view { --ink: var(--st-text-color); --page: var(--st-background-color);
  --mute: color-mix(in srgb, var(--st-text-color) 70%, var(--st-background-color)); --line: var(--st-border-color);
  color: var(--st-text-color); font-family: var(--st-font); font-size: 16px; }
"""
_STYLE = _INKS + GRID_STYLE

_heads = component(
    "model_heads",
    '<div class="grid" role="group"></div>',
    _HERE / "heads.js",
    css=_STYLE,
    sent={"CONSTANTS": CONSTANTS},
)
_head = component("model_head", '<div class="view"></div>', _HERE / "head.js", css=_STYLE)


def show_heads(view: ModelTrace, place: tuple[int, int], query: int, order: str, above: int) -> None:
    """Draw all heads, or those above a figure; a click picks one."""
    shown = _sorted(view, order, above)
    grid = cached_grid(view, take(MODEL_TARGET), dark=is_dark())
    data = {
        "mark": grid.mark,
        "order": shown,
        "picked": {"layer": place[0], "head": place[1]},
        "followed": query,
        "parameters": {"head": MODEL_HEAD, "query": MODEL_QUERY},
        "from": current_mark(),
    }
    # The grid is JSON already.
    _heads(key="model.heads", data=json.dumps(data).encode()[:-1] + b', "grid": ' + grid.text + b"}")
    if shown is not None and above:
        n_heads = plural(len(view.heads), "head")
        st.caption(say("models.page.shown", shown=len(shown), heads=n_heads, above=above))
    with st.container(key="model_how"):
        st.caption(say("models.page.how"))


def show_which(view: ModelTrace) -> None:
    """Say which model it is, and how many heads it has."""
    many: dict[str, object] = {"layers": plural(view.n_layers, "layer"), "heads": plural(view.n_heads, "head")}
    what = "ours" if view.name == STORIES else "which"
    if len(view.attending) < view.n_layers:
        what, many = "which_some", many | {"attending": len(view.attending)}
    st.markdown(f"**{as_message(say(f'models.page.{what}', model=view.name, **many))}**")


def show_head() -> None:
    """Draw an empty place, into which head.js puts the head in view."""
    _head(key="model.head", data={})


def differential_in_words(layer: Layer) -> str:
    """Say what negative weights mean; blank if there can't be any."""
    less = layer.attended.subtracted
    return "" if less is None else say("models.differential.page", factor=significant(less.factor))


def show_what_to_look_for(view: ModelTrace) -> None:
    """Say what to look for, and how pictures and tokens are made."""
    step = cached_grid(view, take(MODEL_TARGET), dark=is_dark()).step
    blocks = [say("models.page.blocks", rows=step, columns=step, most=STRONGEST)] if step > 1 else []
    told = [_look_for(view), say("models.page.conclude"), *others_in_words(view.layers), *blocks, *_cut_in_words(view)]
    for each in told:
        st.caption(as_message(each))


def _look_for(view: ModelTrace) -> str:
    """Say what to look for in pictures of this kind of attention."""
    read = view.layers[0].read  # in cross-attention, the encoder's tokens
    if len(read) == 1:
        return say("models.look.one", token=read[0])
    kind = "decoder_opened" if view.kinds == ("decoder",) and view.notices else view.kinds[0]
    return say(f"models.look.{kind}", first=read[0], last=read[-1])


def _sorted(view: ModelTrace, order: str, above: int) -> list[tuple[int, int]] | None:
    """Return the heads whose figure exceeds `above` percent, the largest first.

    None if they are ordered by layers. If no figure exceeds it, the page says so.
    """
    if order == BY_LAYERS:
        return None
    found = {place: _figure(view.measured(*place), order) for place in view.heads}
    shown = [place for place, figure in found.items() if not above or 100 * figure > above]
    if not shown:
        st.info(_none_above(view, order, above, max(found.values())), icon=":material/filter_alt:")
    return sorted(shown, key=lambda place: -found[place])


def _none_above(view: ModelTrace, order: str, above: int, largest: float) -> str:
    """Say why no head is shown, and which limit would show one."""
    if largest:
        return say("models.page.none_above", above=above, largest=percent(largest))
    return say("models.page.none_after" if order == "after" and view.kinds == ("decoder",) else "models.page.none_any")


def _figure(measured: Any, order: str) -> float:
    """Return a measured figure as a share; 0 if it's missing."""
    figure = getattr(measured, order, None) or 0.0
    if order == "entropy":
        return float(figure / measured.most) if figure and measured.most else 0.0
    return float(figure)


def unknown_in_words(view: ModelTrace) -> list[str]:
    """Say which parts of a sentence the model has no token for."""
    unknown, pieces = getattr(view.tokenizer, "unk_token", None), zip(view.tokens, view.pieces, strict=False)
    typed = list(pieces)[: len(view.tokens) - len(view.written)]
    lost = dict.fromkeys(f"“{piece.typed}”" for token, piece in typed if token == unknown and piece.typed)
    return [say("models.page.unknown", token=unknown, typed=", ".join(lost))] if lost else []


def _cut_in_words(view: ModelTrace) -> list[str]:
    """Say which words are cut into pieces, and which parts are unknown."""
    pieces = list(zip(view.tokens, view.pieces, strict=False))
    words = [say("models.page.piece", word=word, tokens=" · ".join(tokens)) for word, tokens in _several(pieces)]
    return [*unknown_in_words(view), *([say("models.page.pieces", words=", ".join(words))] if words else [])]


def _several(pieces: list[tuple[str, Piece]]) -> Iterator[tuple[str, list[str]]]:
    """Yield each word that is cut into several tokens, with these."""
    for (_, word), each in groupby(pieces, lambda both: (both[1].at, both[1].word)):
        tokens = [token for token, _ in each]
        if word and len(tokens) > 1:
            yield word, tokens
