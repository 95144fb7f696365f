"""The page's view of a training: moments, curves and predictions."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import blake2s
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from attnviz.app.session import state, url_texts
from attnviz.app.session.component import component
from attnviz.app.session.page_record import current_mark
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import take
from attnviz.app.text import as_message
from attnviz.board.data import table_data
from attnviz.board.script import CONSTANTS
from attnviz.colours.palette import NEGATIVE, PAPER, ROLES
from attnviz.core.attention import AttentionTrace
from attnviz.core.tokens import token_labels, visible
from attnviz.features.learn.page.running import OneTraining, learning
from attnviz.features.learn.parameters import LEARN_HEAD, LEARN_OFF, LEARN_QUERY, LEARN_STEP
from attnviz.features.learn.training import Training, TrainingSettings, moment_steps, n_moments
from attnviz.features.learn.training.learning import Moment
from attnviz.features.learn.training.settings import MAX_STEPS
from attnviz.words import say
from attnviz.words.numbers import percent, written

Off = tuple[tuple[int, int], ...]  # heads that are switched off, each as (layer, head)


def heads_off(settings: TrainingSettings) -> Off:
    """Return the heads switched off; report and drop those that don't exist."""
    heads = _heads(settings)
    linked = {(int(layer), int(head)) for layer, head in (each.split("-") for each in take(LEARN_OFF))}
    off = tuple(each for each in heads if each in linked)
    if gone := sorted(linked.difference(heads)):
        named = ", ".join(say("learn.time.of_head", layer=layer, head=head) for layer, head in gone)
        state.add_message(say("learn.off.gone", heads=named))
        url_texts.put(LEARN_OFF, tuple(f"{layer}-{head}" for layer, head in off))
    return off


def _heads(settings: TrainingSettings) -> list[tuple[int, int]]:
    return [(layer, head) for layer in range(settings.n_layers) for head in range(settings.n_heads)]


def pick_heads_off(settings: TrainingSettings, off: Off) -> None:
    """Draw a switch for each head."""
    key = f"learn.off.{settings.n_layers}.{settings.n_heads}"
    held = this_session().held(
        key, list(off), lambda to: url_texts.put(LEARN_OFF, tuple(f"{layer}-{head}" for layer, head in sorted(to)))
    )
    st.pills(
        say("learn.off.heads"), _heads(settings), selection_mode="multi", label_visibility="collapsed", **held,
        format_func=lambda each: say("learn.off.switch", head=called(settings, *each)), help=say("learn.off.how"),
    )  # fmt: skip


def tell_heads_off(training: Training, step: int, off: Off) -> None:
    """Say which heads are off, and the results with and without them."""
    worth = training.without(step, off)
    told = say("learn.off.worth", heads=listed(training.settings, off), loss=written(worth.loss, 3),
               without=written(worth.loss_without, 3), right=percent(worth.accuracy),
               right_without=percent(worth.accuracy_without))  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center", key="learn_without"):
        st.info(as_message(told), icon=":material/power_settings_new:")
        st.button(say("learn.off.on"), key="learn.off.on", on_click=url_texts.put, args=(LEARN_OFF, ()))


def listed(settings: TrainingSettings, off: Off) -> str:
    """Return the names of the heads and layers that are off.

    >>> listed(TrainingSettings(n_layers=2), ((0, 0), (1, 0)))
    'layer 0 and layer 1'
    """
    *first, last = [called(settings, *each) for each in off]
    return say("learn.off.and", first=", ".join(first), last=last) if first else last


def called(settings: TrainingSettings, layer: int, head: int) -> str:
    """Return a head's name; a layer's only head is named by layer.

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


_SCRIPTS = Path(__file__).parent / "scripts"
_VIEW_STYLE = Path(__file__).parents[3] / "scripts" / "head_view.css"
_MOST_POINTS = 240  # limit for a curve
BOARD_KEY = "learn.board"

_time = component(
    "learn_time",
    '<div class="time"></div>',
    _SCRIPTS / "time.js",
    css=_VIEW_STYLE.read_text() + (_SCRIPTS / "time.css").read_text(),
    sent={"CONSTANTS": CONSTANTS},
)
_kept = component("learn_kept", '<span class="kept"></span>', _SCRIPTS / "moment_store.js", isolate_styles=False)


def show_time(
    training: Training, work: OneTraining | None, step: int | None, trace: AttentionTrace, picked: tuple[int, int],
    off: Off, *, small: bool,
) -> None:  # fmt: skip
    """Draw a training at a step, or its progress.

    With `small`, only the strip with the slider is drawn.
    """
    settings = training.settings.whole
    losses, moments = (training.losses, training.moments) if work is None else work.progress
    moments = moments or training.moments
    name, steps = identity(settings), [moment.step for moment in moments]
    numbers = training.model.n_numbers
    later = [each for each in moment_steps(settings.steps, n_moments(numbers)) if each > steps[-1]]
    with st.container(key="learn_kept"):
        _send(name, moments, numbers, all_of=work is None)
    roles = {role: tone._asdict() for role, tone in (("a", ROLES["a"]), ("negative", NEGATIVE), ("paper", PAPER))}
    data = {
        "id": name, "steps": steps + later, "arrived": len(steps), "done": len(losses), "all": settings.steps,
        "at": None if step is None else max(i for i, each in enumerate(steps) if each <= step),
        "begun": learning().begun, "active": work is not None, "small": small,
        "charts": _charts(losses, moments), "model": _model(training, trace, picked, off), "roles": roles,
        "step": LEARN_STEP, "head": LEARN_HEAD, "query": LEARN_QUERY, "from": current_mark(),
    }  # fmt: skip
    _time(key="learn.time", data=data)


def identity(settings: TrainingSettings, done: int | None = None) -> str:
    """Return a short text that identifies a training despite later rate changes."""
    told = repr((settings.whole, done))
    return blake2s(told.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _send(name: str, moments: Sequence[Moment], size: int, *, all_of: bool) -> None:
    """Send the numbers of all moments, or only of new ones."""
    own = learning()
    since = 0 if all_of or own.sent[0] != name or own.sent[1] >= len(moments) else own.sent[1]
    own.sent = name, len(moments)
    flat = [matrix.numpy().ravel() for moment in moments[since:] for matrix in moment.parameters.values()]
    numbers = b64encode(np.concatenate(flat).astype("<f4").tobytes()).decode()
    _kept(key="learn.kept", data={"id": name, "since": since, "size": size, "float32": numbers})


def is_whole(sent: Any, most: int = MAX_STEPS) -> bool:
    """Whether what a page sent is a whole number from 0 on.

    >>> is_whole(3), is_whole(3.0), is_whole(float("nan")), is_whole("3"), is_whole(100, 99)
    (True, True, False, False, False)
    """
    return isinstance(sent, int | float) and 0 <= sent <= most and sent == int(sent)


def _charts(losses: Sequence[float], moments: Sequence[Moment]) -> dict[str, Any]:
    """Return the data of the curves: losses by step, measures by moment."""
    of_moments = {"held_out": "loss", "accuracy": "accuracy"}
    drawn = {
        key: _curve(say(f"learn.time.{key}"), "whole", [(each.step, getattr(each, name)) for each in moments])
        for key, name in of_moments.items()
    }
    heads = [
        _curve(say(f"learn.figures.{name}"), "head" if at == 0 else "head head-2",
               [(each.step, each.figures[name]) for each in moments])
        for at, name in enumerate(moments[0].figures)
    ]  # fmt: skip
    learned_from = _curve(say("learn.time.learned_from"), "faint", _thinned(losses))
    return {
        "shares": {"title": say("learn.time.shares"), "top": 1, "curves": [drawn["accuracy"], *heads]},
        "loss": {"title": say("learn.time.loss"), "top": None, "curves": [learned_from, drawn["held_out"]]},
    }


def _curve(label: str, kind: str, points: Sequence[tuple[int, float]]) -> dict[str, Any]:
    return {"label": label, "kind": kind, "points": [(step, value) for step, value in points if np.isfinite(value)]}


def _thinned(losses: Sequence[float]) -> list[tuple[int, float]]:
    """Return losses averaged over neighbours, more finely at the start."""
    places = np.unique(np.round(np.linspace(0, len(losses) ** 0.5, _MOST_POINTS) ** 2).astype(int))
    values = np.asarray(losses)
    return [(int(low), float(values[low:high].mean())) for low, high in pairwise(places)]


def _model(training: Training, trace: AttentionTrace, picked: tuple[int, int], off: Off) -> dict[str, Any]:
    model, task, settings = training.model, training.model.task, training.settings
    learned: list[Mapping[str, Any]] = []
    since = 0
    for name, shape in model.shapes.items():
        rows, columns = (1, *shape)[-2:]
        learned.append({"name": name, "rows": rows, "columns": columns, "since": since})
        since += rows * columns
    tokens = trace.tokens
    right = [task.law(tokens[: at + 1]) for at in range(len(tokens))]
    return {
        "table": table_data(trace),
        "learned": learned,
        "labels": list(token_labels(tokens)),
        "entries": [visible(entry) for entry in task.vocabulary],
        "right": [None if entry is None else visible(entry) for entry in right],
        "heads": [
            {"layer": layer, "head": head, "name": model.name_of(layer, head, "attention_weights"),
             "said": called(settings, layer, head), "off": (layer, head) in off}
            for layer in range(settings.n_layers) for head in range(settings.n_heads)
        ],
        "off": [{"name": name, "first": rows.start, "after": rows.stop} for name, rows in training.rows_of(off)],
        "picked": {"layer": picked[0], "head": picked[1]},
        "query": picked_token(training, tokens),
        "asks": [say(f"learn.tasks.{settings.task}.ask", token=label) for label in token_labels(tokens)],
        "board": f"{BOARD_KEY}.{picked[0]}.{picked[1]}",
    }  # fmt: skip


def picked_token(training: Training, tokens: tuple[str, ...]) -> int:
    """Return the picked token, or one whose next token is determined.

    If several are determined, it is the last. In the task "agreement", only the verb is.
    """
    picked = take(LEARN_QUERY)
    if picked is not None and picked < len(tokens):
        return int(picked)
    told = [at for at in range(len(tokens) - 1) if training.model.task.law(tokens[: at + 1]) is not None]
    return told[-1] if told else len(tokens) - 1
