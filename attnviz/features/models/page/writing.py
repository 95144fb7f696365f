"""Bars of probable next words; a click appends one, using the cache."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st
from torch import Tensor

from attnviz.app.session import state, url_texts
from attnviz.app.session.component import component
from attnviz.app.session.page_record import current_mark
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import take
from attnviz.app.text import as_message
from attnviz.core.limits import MAX_SEED, MAX_TEMPERATURE, MIN_TEMPERATURE
from attnviz.core.tokens import visible
from attnviz.features.language_models.inside import ModelTrace
from attnviz.features.language_models.inside.pieces import text_of
from attnviz.features.language_models.inside.uses import costs_in_words
from attnviz.features.language_models.inside.writing import Chances, Sampling, can_write, drawn, ends_of
from attnviz.features.models.link_texts import MOST_TOP, TOP
from attnviz.features.models.page.grid import unknown_in_words
from attnviz.features.models.page.result_cache import most_of
from attnviz.features.models.page.typing import is_too_long, sentence
from attnviz.features.models.page.uses import held_out_in_words, places_of, reasons_of, stood_in_words
from attnviz.features.models.parameters import (
    MODEL_CACHE,
    MODEL_FROM,
    MODEL_HEAD,
    MODEL_NEXT,
    MODEL_PLACE,
    MODEL_QUERY,
    MODEL_SEED,
    MODEL_TOP_P,
    MODEL_WHY,
    MODEL_WRITTEN,
)
from attnviz.features.stories.grammar import World, points
from attnviz.link.parameter_table import texts
from attnviz.words import say
from attnviz.words.numbers import percent, written

_NEARLY_ALL = 0.98  # drawing among words with this share of the probability hardly changes their chances
_FEW = 1000  # tokens: the stories' vocabulary has fewer, and listing a large one takes a while
_HERE = Path(__file__).parent
_KEYS = {name: f"model.{name}" for name in ("temperature", "top", "top_p", "seed", "cache")}

_next = component("model_next", '<div class="next"></div>', _HERE / "next.js")


def show_next(view: ModelTrace) -> None:
    """Draw the words that may come next, and how one is drawn."""
    sampling, seed = drawing()
    writes = can_write(view)
    law = law_of(view.tokens, view.tokenizer.get_vocab() if len(view.tokenizer) < _FEW else ())
    st.caption(say("models.use.next" if not writes else "write.heading" if law is None else "write.heading_law"))
    chances = sampling.chances(view)
    full = writes and len(view.tokens) >= most_of(view)
    ended = bool(view.written) and view.written[-1] in ends_of(view.model)
    places, put = places_of(view) if writes else (None, {})
    others = {} if view.original is None else {"before": view.original.result.logits[0, -1]}
    others |= put
    columns = _columns(sampling, chances, ["probability", "logit", *([] if law is None else ["law"]), *others])
    data = {
        "rows": _rows(view, sampling, chances.probabilities, others, law, [*columns]),
        "columns": columns,
        "written": [visible(token) for token in view.tokens[len(view.tokens) - len(view.written) :]],
        "ids": texts()[MODEL_WRITTEN].write(view.written),
        "drawn": drawn(chances, seed, len(view.written)),
        "writes": writes and not full and not ended,
        "can": writes,
        "why": take(MODEL_WHY),
        "reasons": reasons_of(view, take(MODEL_WHY) if writes else None),
        "places": places,
        "parameters": {
            "written": MODEL_WRITTEN,
            "query": MODEL_QUERY,
            "why": MODEL_WHY,
            "head": MODEL_HEAD,
            "place": MODEL_PLACE,
        },
        "from": current_mark(),
    }
    _next(key="model.next", data=data)
    if exam := held_out_in_words(view) if writes else "":
        st.caption(exam)
    if instead := stood_in_words(view) if writes else "":
        st.caption(instead)
    short = say("write.settings", temperature=f"{sampling.temperature:g}", top=sampling.top_k)
    with st.popover(short, width="content"):
        _show_settings(sampling, seed, writes=writes)
        if writes:
            is_too_long(sentence(MODEL_FROM, say("write.from.field"), "model.from", ends=(MODEL_PLACE,)))
    if full:
        st.info(say("write.full", n=len(view.tokens)), icon=":material/info:")
    elif ended:
        st.info(as_message(say("write.ended", token=view.tokens[-1])), icon=":material/info:")
    elif not writes:
        st.caption(say("write.cant"))
    for unknown in unknown_in_words(view):
        st.info(as_message(say("write.unknown_word", what=unknown)), icon=":material/info:")
    if view.written:
        _show_cache(view)


def drawing() -> tuple[Sampling, int]:
    """Return how the next word is drawn, and by which seed."""
    temperature, top = take(MODEL_NEXT)
    return Sampling(temperature, top, take(MODEL_TOP_P)), take(MODEL_SEED)


def law_of(tokens: Sequence[str], vocabulary: Collection[str]) -> Mapping[str, float] | None:
    """Return each next word's true probability; None outside the stories' world."""
    if not set(World().vocabulary).issubset(vocabulary):
        return None
    places = list(points(tokens, World()))
    return places[-1].law if len(places) == len(tokens) + 1 else None


def _columns(sampling: Sampling, chances: Chances, names: Sequence[str]) -> dict[str, str]:
    """Return titles; "drawn" has its own column unless it's nearly the probability."""
    of_all = (chances.logits / sampling.temperature).softmax(-1)
    titles = {name: say(f"write.column.{name}") for name in names}
    if (sampling.top_k, sampling.top_p) == (TOP, 1) and of_all[chances.probabilities > 0].sum() >= _NEARLY_ALL:
        return titles
    key = "write.column.drawn" if sampling.top_p == 1 else "write.column.drawn_of_both"
    return {"drawn": say(key, top=sampling.top_k, top_p=sampling.top_p), **titles}


def _rows(
    view: ModelTrace,
    sampling: Sampling,
    shares: Tensor,
    others: Mapping[str, Tensor],
    law: Mapping[str, float] | None,
    columns: Sequence[str],
) -> list[dict[str, Any]]:
    """Return a row of texts and bars for each most probable word."""
    logits, digits = view.result.logits[0, -1], state.digits()
    probabilities, *beside = ((each.float() / sampling.temperature).softmax(-1) for each in (logits, *others.values()))
    rows = []
    for each in probabilities.topk(min(sampling.top_k or 1, len(shares))).indices.tolist():
        share, probability = float(shares[each]), float(probabilities[each])
        word = text_of(view.tokenizer, each)
        told = {"drawn": percent(share), "probability": percent(probability),
                "logit": written(float(logits[each]), digits), "law": percent((law or {}).get(word, 0.0)),
                **{name: percent(float(other[each])) for name, other in zip(others, beside, strict=True)}}  # fmt: skip
        rows.append({"id": each, "token": visible(word), "drawn": share, "probability": probability,
                     "told": [told[name] for name in columns]})  # fmt: skip
    return rows


def _show_settings(sampling: Sampling, seed: int, *, writes: bool) -> None:
    fields: dict[str, tuple[Any, ...]] = {
        "temperature": (sampling.temperature, MIN_TEMPERATURE, MAX_TEMPERATURE, 0.1),
        "top": (sampling.top_k, 1, MOST_TOP, 1),
        "top_p": (sampling.top_p, 0.01, 1.0, 0.05),
        "seed": (seed, 0, MAX_SEED, 1),
    }
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        for name, (value, low, high, step) in fields.items():
            if name == "seed" and not writes:
                continue
            this_session().put(_KEYS[name], value)
            st.number_input(say(f"write.{name}"), low, high, step=step, key=_KEYS[name], width=124,
                            help=say(f"write.{name}_help"), on_change=_keep)  # fmt: skip


def _keep() -> None:
    temperature, top, top_p, seed = (
        this_session().get(_KEYS[name]) for name in ("temperature", "top", "top_p", "seed")
    )
    if temperature is not None and top is not None:  # an emptied field changes nothing
        url_texts.put(MODEL_NEXT, (float(temperature), int(top)))
    for parameter, value in ((MODEL_TOP_P, top_p), (MODEL_SEED, seed)):
        if value is not None:
            url_texts.put(parameter, value)


def _show_cache(view: ModelTrace) -> None:
    """Draw the switch of the cache, and say what was computed now."""
    held = this_session().held(
        _KEYS["cache"], take(MODEL_CACHE) == "off", lambda off: url_texts.put(MODEL_CACHE, "off" if off else "")
    )
    st.toggle(say("write.cache"), help=say("write.cache_help"), **held)
    st.caption(cache_in_words(view))
    for told in costs_in_words(view):
        st.caption(as_message(told))


def cache_in_words(view: ModelTrace) -> str:
    """Say which rows were computed now, and which are from the cache."""
    n = len(view.tokens) - view.computed_from
    return say("write.marks", kept=view.computed_from, n=n) if view.computed_from else say("write.now", n=n)
