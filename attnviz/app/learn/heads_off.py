"""Heads switched off at a moment: the switches over the board, and what the model is worth with and without them."""

import streamlit as st

from attnviz.app.session import state, url_texts
from attnviz.app.session.link_values import take
from attnviz.app.session.session import this_session
from attnviz.app.text import as_message
from attnviz.link.parameter_table import LEARN_OFF
from attnviz.training import Training, TrainingSettings
from attnviz.words import say
from attnviz.words.numbers import written
from attnviz.words.shares import percent

Off = tuple[tuple[int, int], ...]  # the heads that are switched off, each by its layer and its number


def heads_off(settings: TrainingSettings) -> Off:
    """Return the heads that the address switches off; those that this model hasn't are told, and leave it."""
    heads = _heads(settings)
    linked = {(int(layer), int(head)) for layer, head in (each.split("-") for each in take(LEARN_OFF))}
    off = tuple(each for each in heads if each in linked)
    if gone := sorted(linked.difference(heads)):
        named = ", ".join(say("learn.time.of_head", layer=layer, head=head) for layer, head in gone)
        state.say(say("learn.off.gone", heads=named))
        url_texts.put(LEARN_OFF, tuple(f"{layer}-{head}" for layer, head in off))
    return off


def _heads(settings: TrainingSettings) -> list[tuple[int, int]]:
    return [(layer, head) for layer in range(settings.n_layers) for head in range(settings.n_heads)]


def pick_heads_off(settings: TrainingSettings, off: Off) -> None:
    """Draw a switch for each head."""
    key = f"learn.off.{settings.n_layers}.{settings.n_heads}"
    this_session().put(key, list(off))
    st.pills(
        say("learn.off.heads"), _heads(settings), selection_mode="multi", key=key, label_visibility="collapsed",
        format_func=lambda each: say("learn.off.switch", head=called(settings, *each)), on_change=_take, args=(key,),
        help=say("learn.off.how"),
    )  # fmt: skip


def _take(key: str) -> None:
    """Have the address name the heads that are off, so that its link shows the same."""
    url_texts.put(LEARN_OFF, tuple(f"{layer}-{head}" for layer, head in sorted(this_session().get(key))))


def tell_heads_off(training: Training, step: int, off: Off) -> None:
    """Say that what stands below is without these heads, and what the model is worth with and without them."""
    worth = training.without(step, off)
    told = say("learn.off.worth", heads=listed(training.settings, off), loss=written(worth.loss, 3),
               without=written(worth.loss_without, 3), right=percent(worth.accuracy),
               right_without=percent(worth.accuracy_without))  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center", key="learn_without"):
        st.info(as_message(told), icon=":material/power_settings_new:")
        st.button(say("learn.off.on"), key="learn.off.on", on_click=url_texts.put, args=(LEARN_OFF, ()))


def listed(settings: TrainingSettings, off: Off) -> str:
    """Return these heads in words.

    >>> listed(TrainingSettings(n_layers=2), ((0, 0), (1, 0)))
    'layer 0 and layer 1'
    """
    *first, last = [called(settings, *each) for each in off]
    return say("learn.off.and", first=", ".join(first), last=last) if first else last


def called(settings: TrainingSettings, layer: int, head: int) -> str:
    """Return what a head is called: where a layer has one alone, by its layer.

    >>> called(TrainingSettings(), 0, 0), called(TrainingSettings(n_layers=2), 1, 0)
    ('the head', 'layer 1')
    >>> called(TrainingSettings(n_heads=2), 0, 1)
    'layer 0, head 1'
    """
    if settings.n_heads == settings.n_layers == 1:
        return say("learn.time.only_head")
    if settings.n_heads == 1:
        return say("learn.time.of_layer", layer=layer)
    return say("learn.time.of_head", layer=layer, head=head)
