"""A training moment on the page: text, head in view, and board."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from attnviz.app.components.board import show_board_of_model
from attnviz.app.session import state, url_texts
from attnviz.app.session.url_texts import take
from attnviz.app.text import as_message, message_of
from attnviz.colours.shading import all_limits
from attnviz.core.attention import AttentionTrace
from attnviz.features.learn.page.moment import BOARD_KEY, Off, heads_off, identity, listed, picked_token, tell_heads_off
from attnviz.features.learn.parameters import LEARN_HEAD, LEARN_QUERY, LEARN_SENTENCE, LEARN_STEP
from attnviz.features.learn.training import Training, TrainingSettings
from attnviz.words import plural, say, thousands
from attnviz.words.numbers import written

_LOOKED_AT = 8  # moments whose numbers set the range of the colours
_SHOWN = (
    "x", "x_norm", "w_q", "q", "q_rotated", "w_k", "k", "k_rotated", "scores", "scaled_scores", "attention_weights",
    "w_v", "v", "context",
)  # fmt: skip
_BEHIND = ("contexts", "w_o", "output")  # they show that a head is switched off
_ALIKE = 1e-4  # attention weights that differ by less differ by rounding alone


@dataclass(frozen=True)
class Shown:
    """A training moment with a text, with and without the heads `off`.

    With `ahead`, it is the moment before the first step, because later ones are still to come.
    """

    training: Training
    step: int
    text: str
    trace: AttentionTrace
    made: AttentionTrace
    head: tuple[int, int]
    off: Off
    ahead: bool

    def tell(self) -> None:
        """Say which heads are off, and whether heads are still alike."""
        if self.off:
            tell_heads_off(self.training, self.step, self.off)
        _tell_alike(self.training.settings, self.trace)
        last = self.training.model.task.length - 1  # its position vector is never trained, as nothing follows it
        if self.training.settings.position.adds and picked_token(self.training, self.trace.tokens) == last:
            st.caption(say("learn.board.last_place", tokens=plural(last + 1, "token")))


def shown_of(training: Training, *, ahead: bool) -> Shown:
    """Return the moment of the address; replace an unreadable text, saying why."""
    step = 0 if ahead else _step_of(training)
    off, (layer, head) = heads_off(training.settings), take(LEARN_HEAD)
    text, example = take(LEARN_SENTENCE), training.model.task.example
    try:
        trace = training.trace(step, text or example)
    except ValueError as error:
        st.warning(as_message(say("learn.board.refused", why=message_of(error))))
        text, trace = "", training.trace(step, example)
    settings = training.settings
    place = min(layer, settings.n_layers - 1), min(head, settings.n_heads - 1)
    made = training.trace(step, text or example, off) if off else trace
    return Shown(training, step, text or example, trace, made, place, off, ahead)


def _step_of(training: Training) -> int:
    """Return the step shown: the one in the address, or the last."""
    step, last = take(LEARN_STEP), len(training.losses)
    if step is not None and step > last:
        state.say_ignored(say("learn.link.no_step", step=step, last=last))
        url_texts.correct(LEARN_STEP, "")
        step = None
    shown = training.at(last if step is None else step).step
    if step is not None and step != shown:
        state.say_ignored(say("learn.link.not_kept", step=thousands(step), shown=thousands(shown)))
        url_texts.correct(LEARN_STEP, str(shown))
    return shown


def show_board(shown: Shown) -> None:
    """Draw the board, with all numbers of the head in view."""
    training, step, (layer, head), off = shown.training, shown.step, shown.head, shown.off
    seen = shown.made.for_head(head, layer)
    names = tuple(name for name in (*_SHOWN, *(_BEHIND if off else ())) if name in seen.stages)
    name = identity(training.settings, len(training.losses))
    about = say("learn.board.about", steps=plural(step, "step")) if step else say("learn.board.random")
    if off:
        about = f"{about} {say('learn.board.without', heads=listed(training.settings, off))}"
    show_board_of_model(
        seen, picked_token(training, seen.tokens), names=names, key=f"{BOARD_KEY}.{layer}.{head}",
        picks={"query": LEARN_QUERY}, origin=say("learn.board.token"), moment=step, about=about,
        limits=_limits_of(name, shown.text, (layer, head), off, training), numbersOf=f"{name}.{step}.{off}",
    )  # fmt: skip


def _tell_alike(settings: TrainingSettings, trace: AttentionTrace) -> None:
    """Say whether heads that started alike still are, for this text."""
    if not settings.heads_alike or settings.n_heads == 1:
        return
    apart = [layer.attention_weights - layer.attention_weights[:1] for layer in trace.layers]
    most = max(float(each.abs().max()) for each in apart)
    key = "alike" if most < _ALIKE else "told_apart"
    st.caption(say(f"learn.board.{key}", heads=plural(settings.n_heads, "head"), most=written(100 * most, 4)))


@st.cache_data(max_entries=64, show_spinner=False)
def _limits_of(name: str, text: str, picked: tuple[int, int], off: Off, _training: Training) -> dict[str, Any]:
    """Return each matrix's colour range over all moments, with and without `off`."""
    layer, head = picked
    last = len(_training.moments) - 1
    places = sorted({round(last * part / (_LOOKED_AT - 1)) for part in range(_LOOKED_AT)})
    steps = [_training.moments[at].step for at in places]
    made = [_training.trace(step, text, without) for without in dict.fromkeys(((), off)) for step in steps]
    each = [all_limits(one.for_head(head, layer)) for one in made]
    return {
        matrix: [float(np.min([one[matrix][0] for one in each])), float(np.max([one[matrix][1] for one in each]))]
        for matrix in each[0]
    }
