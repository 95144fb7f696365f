"""A moment of a training: a text, and the board with what one head of the model makes of it then."""

from typing import Any

import numpy as np
import streamlit as st

from attnviz.app.components.board import show_board_of_model
from attnviz.app.learn.closer.choice import show_closer
from attnviz.app.learn.moment.heads_off import Off, listed, pick_heads_off, tell_heads_off
from attnviz.app.learn.moment.time import BOARD_KEY, identity, picked_token, show_time, time_place
from attnviz.app.refusals import told
from attnviz.app.session import state, url_texts
from attnviz.app.session.link_values import take
from attnviz.app.text import as_message
from attnviz.colours.limits import all_limits
from attnviz.core.attention import AttentionTrace
from attnviz.link.parameter_table import LEARN_HEAD, LEARN_QUERY, LEARN_SENTENCE, LEARN_STEP, MOST_OF_LEARNED_SENTENCE
from attnviz.training import Training, TrainingSettings
from attnviz.words import plural, say
from attnviz.words.numbers import written

_SENTENCE, _TOO_LONG = "learn.sentence", "learn.sentence.too_long"
_LOOKED_AT = 8  # moments whose largest numbers the colours go up to
_SHOWN = (
    "x", "x_norm", "w_q", "q", "q_rotated", "w_k", "k", "k_rotated", "scores", "scaled_scores", "attention_weights",
    "w_v", "v", "context",
)  # fmt: skip
_BEHIND = ("contexts", "w_o", "output")  # where a head that is switched off is seen to be
_ALIKE = 1e-4  # of attention weights, which rounding alone tells apart


def step_of(training: Training) -> int:
    """Return the step that is shown: the one in the address, or the last."""
    step, last = take(LEARN_STEP), len(training.losses)
    if step is not None and step > last:
        state.say_ignored(say("learn.link.no_step", step=step, last=last))
        url_texts.correct(LEARN_STEP, "")
        step = None
    shown = training.at(last if step is None else step).step
    if step is not None and step != shown:
        state.say_ignored(say("learn.link.not_kept", step=f"{step:,}", shown=f"{shown:,}"))
        url_texts.correct(LEARN_STEP, str(shown))
    return shown


def show_moment(training: Training) -> None:
    """Draw the time of a training, and the board at the moment that is picked."""
    step, (layer, head) = step_of(training), _picked(training)
    text, trace = _read(training, step)
    place = time_place()
    with st.container(horizontal=True, vertical_alignment="center", key="learn_read"):
        _sentence(training, text)
        off = pick_heads_off(training.settings)
    made = training.trace(step, text, off) if off else trace
    show_time(training, step, made, (layer, head), off, place)
    if off:
        tell_heads_off(training, step, off)
    _tell_alike(training.settings, trace)
    _tell_last_place(training, trace)
    seen = made.seen_from(head, layer)
    names = tuple(name for name in (*_SHOWN, *(_BEHIND if off else ())) if name in seen.stages)
    show_board_of_model(
        seen, picked_token(training, trace.tokens), names=names, key=f"{BOARD_KEY}.{layer}.{head}",
        picks={"query": LEARN_QUERY}, origin=say("learn.board.token"),
        moment=step, limits=_limits(training, text, (layer, head), off), about=_about(training.settings, step, off),
        numbersOf=f"{identity(training)}.{step}.{off}",
    )  # fmt: skip
    show_closer(training, step, text, trace, layer, made, off)


def _about(settings: TrainingSettings, step: int, off: Off) -> str:
    """Say where the numbers of the board come from: before the first step nothing is learned."""
    about = say("learn.board.about", steps=plural(step, "step")) if step else say("learn.board.random")
    return f"{about} {say('learn.board.without', heads=listed(settings, off))}" if off else about


def _tell_alike(settings: TrainingSettings, trace: AttentionTrace) -> None:
    """Of heads that started alike, say whether they still are, as this text shows."""
    if not settings.heads_alike or settings.n_heads == 1:
        return
    apart = [layer.attention_weights - layer.attention_weights[:1] for layer in trace.layers]
    most = max(float(each.abs().max()) for each in apart)
    key = "alike" if most < _ALIKE else "told_apart"
    st.caption(say(f"learn.board.{key}", heads=plural(settings.n_heads, "head"), most=written(100 * most, 4)))


def _tell_last_place(training: Training, trace: AttentionTrace) -> None:
    """Of a token after which nothing ever came, say so: the vector of its place is as random as it was."""
    last = training.model.task.length - 1
    if training.settings.positions == "learned" and picked_token(training, trace.tokens) == last:
        st.caption(say("learn.board.last_place", tokens=plural(last + 1, "token")))


def _picked(training: Training) -> tuple[int, int]:
    layer, head = take(LEARN_HEAD)
    settings = training.settings
    return min(layer, settings.n_layers - 1), min(head, settings.n_heads - 1)


def _read(training: Training, step: int) -> tuple[str, AttentionTrace]:
    """Return the text that is read, and what the model makes of it; of one that can't be read, why, and the example."""
    example = training.model.task.example
    text = take(LEARN_SENTENCE) or example
    try:
        return text, training.trace(step, text)
    except ValueError as error:
        st.warning(as_message(say("learn.board.refused", why=told(error))))
        return example, training.trace(step, example)


def _sentence(training: Training, text: str) -> None:
    of_now, typed = take(LEARN_SENTENCE) or text, st.session_state.get(_TOO_LONG)
    # What is too long stays in the field as long as the sentence that is read is the one beside which it was typed.
    st.session_state[_SENTENCE] = typed[1] if typed is not None and typed[0] == of_now else of_now
    st.text_input(  # without max_chars: the browser would refuse a longer paste without a word
        say("learn.board.sentence"), key=_SENTENCE, label_visibility="collapsed", icon=":material/edit:",
        on_change=_take_sentence, args=(of_now,),
    )  # fmt: skip


def _take_sentence(before: str) -> None:
    text = st.session_state[_SENTENCE]
    st.session_state.pop(_TOO_LONG, None)
    if len(text) > MOST_OF_LEARNED_SENTENCE:
        st.session_state[_TOO_LONG] = before, text
        state.say(say("learn.board.too_long", characters=plural(len(text), "character"),
                      most=MOST_OF_LEARNED_SENTENCE))  # fmt: skip
        return
    url_texts.put(LEARN_SENTENCE, text)


def _limits(training: Training, text: str, picked: tuple[int, int], off: Off) -> dict[str, Any]:
    """Return how far the colours of each matrix go: the same for all moments, and with and without the heads that are
    switched off."""
    return _limits_of(identity(training), text, picked, off, training)


@st.cache_data(max_entries=64, show_spinner=False)
def _limits_of(name: str, text: str, picked: tuple[int, int], off: Off, _training: Training) -> dict[str, Any]:
    layer, head = picked
    last = len(_training.moments) - 1
    places = sorted({round(last * part / (_LOOKED_AT - 1)) for part in range(_LOOKED_AT)})
    steps = [_training.moments[at].step for at in places]
    made = [_training.trace(step, text, without) for without in dict.fromkeys(((), off)) for step in steps]
    each = [all_limits(one.seen_from(head, layer)) for one in made]
    return {
        matrix: [float(np.min([one[matrix][0] for one in each])), float(np.max([one[matrix][1] for one in each]))]
        for matrix in each[0]
    }
