"""The time of a training on its page: curves, the slider through its moments, and what the model makes of a text."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import blake2s
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from attnviz.app.learn.moment.heads_off import Off, called
from attnviz.app.learn.running.works import OneTraining
from attnviz.app.scripts import script
from attnviz.app.session.address import mark_of_now
from attnviz.app.session.link_values import take
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.app.text import is_dark
from attnviz.board.data import table_data
from attnviz.board.script import CONSTANTS
from attnviz.colours.roles import NEGATIVE, PAPER, PICKED, ROLES
from attnviz.core.attention import AttentionTrace
from attnviz.core.tokens import token_labels, visible
from attnviz.link.parameter_table import LEARN_HEAD, LEARN_QUERY, LEARN_STEP
from attnviz.training import Training, TrainingSettings, moment_steps
from attnviz.training.learning import Moment
from attnviz.training.settings import MAX_STEPS
from attnviz.words import say
from attnviz.words.numbers import written
from attnviz.words.shares import percent

_HERE = Path(__file__).parent
_KEY = "learn.time"
_MOST_POINTS = 240  # of a curve
_HEIGHT = 104  # pixels of a chart
BOARD_KEY = "learn.board"

_time = st.components.v2.component(
    "attnviz_learn_time",
    html='<div class="time"></div>',
    css=(_HERE / "time.css").read_text(),
    js=script(_HERE / "time.js", {"CONSTANTS": CONSTANTS}),
)
_kept = st.components.v2.component(
    "attnviz_learn_kept", html='<span class="kept"></span>', js=script(_HERE / "kept.js"), isolate_styles=False
)


def time_place() -> DeltaGenerator:
    """Return where the time of a training goes: it stays in sight while the board below it scrolls."""
    return st.container(key="learn_time")


def show_under_way(work: OneTraining) -> None:
    """Draw the curves of a training so far."""
    moments, losses = work.moments, work.losses
    with time_place():
        _draw(_curves(work.settings, losses, moments, moment_steps(work.settings.steps)) | {"model": None, "at": 0})


def show_time(
    training: Training, step: int, trace: AttentionTrace, picked: tuple[int, int], off: Off, place: DeltaGenerator
) -> None:
    """Draw the curves of a training, its slider at a step, and what the model makes of a text there, without the heads
    that are switched off; all of it into a place of its own."""
    steps = tuple(moment.step for moment in training.moments)
    data = _curves(training.settings, training.losses, training.moments, steps)
    with place, st.container(key="learn_kept"):
        _kept(key="learn.kept", data={"id": data["id"], "float32": _numbers(training)})
    at = max(i for i, each in enumerate(steps) if each <= step)
    with place:
        _draw(data | {"at": at, "model": _model(training, trace, picked, off)})


def identity(training: Training) -> str:
    """Return a short text that tells a training from all others."""
    told = repr((training.settings, len(training.losses)))
    return blake2s(told.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _draw(data: dict[str, Any]) -> None:
    sent = {"step": LEARN_STEP, "head": LEARN_HEAD, "from": mark_of_now(), "roles": _roles()}
    st.html(f"<style>.st-key-learn_time {{ --weight: {ROLES['a'].on(is_dark())}; }}</style>")
    _time(key=_KEY, data=data | sent)


def _roles() -> dict[str, dict[str, str]]:
    tones = {**ROLES, "negative": NEGATIVE, "paper": PAPER, "picked": PICKED}
    return {name: tone._asdict() for name, tone in tones.items()}


def is_whole(sent: Any, most: int = MAX_STEPS) -> bool:
    """Whether what a page sent is a whole number from 0 on.

    >>> is_whole(3), is_whole(3.0), is_whole(float("nan")), is_whole("3"), is_whole(100, 99)
    (True, True, False, False, False)
    """
    return isinstance(sent, int | float) and 0 <= sent <= most and sent == int(sent)


def _curves(
    settings: TrainingSettings, losses: Sequence[float], moments: Sequence[Moment], steps: Sequence[int]
) -> dict[str, Any]:
    """Return what is drawn over time: the losses of each step, and what is measured at each moment."""
    curves = [
        {"label": say("learn.time.learned_from"), "kind": "faint", "points": _thinned(losses)},
        {"label": say("learn.time.held_out"), "kind": "whole", "points": [(m.step, m.loss) for m in moments]},
    ]
    shares = [{"label": say("learn.time.accuracy"), "kind": "whole", "points": [(m.step, m.accuracy) for m in moments]}]
    for at, name in enumerate(moments[0].figures if moments else ()):
        points = [(m.step, m.figures[name]) for m in moments]
        kind = "head" if at == 0 else "head head-2"
        shares.append({"label": say(f"learn.figures.{name}"), "kind": kind, "points": points})
    told = repr((settings, len(losses)))
    return {
        "id": blake2s(told.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest(),
        "steps": list(steps),
        "done": len(losses),
        "charts": [
            {
                "title": say("learn.time.loss"),
                "top": None,
                "height": _HEIGHT,
                "curves": [_finite(each) for each in curves],
            },
            {
                "title": say("learn.time.shares"),
                "top": 1,
                "height": _HEIGHT,
                "curves": [_finite(each) for each in shares],
            },
        ],
        "told": [_told(moment) for moment in moments],
    }


def _finite(curve: Mapping[str, Any]) -> dict[str, Any]:
    return {**curve, "points": [(step, value) for step, value in curve["points"] if np.isfinite(value)]}


def _thinned(losses: Sequence[float]) -> list[tuple[int, float]]:
    """Return the means of neighbours, as many as a curve may have points: all at the start, where time is stretched."""
    places = np.unique(np.round(np.linspace(0, len(losses) ** 0.5, _MOST_POINTS) ** 2).astype(int))
    values = np.asarray(losses)
    return [(int(low), float(values[low:high].mean())) for low, high in pairwise(places)]


def _told(moment: Moment) -> list[str]:
    figures = [
        say("learn.time.figure", name=say(f"learn.figures.{name}"), value=percent(value))
        for name, value in moment.figures.items()
    ]
    return [
        say("learn.time.step", step=f"{moment.step:,}"),
        say("learn.time.loss_of", loss=written(moment.loss, 3)),
        say("learn.time.accuracy_of", share=percent(moment.accuracy)),
        *figures,
    ]


def _numbers(training: Training) -> str:
    flat = [matrix.numpy().ravel() for moment in training.moments for matrix in moment.parameters.values()]
    return b64encode(np.concatenate(flat).astype("<f4").tobytes()).decode()


def _model(training: Training, trace: AttentionTrace, picked: tuple[int, int], off: Off) -> dict[str, Any]:
    model, task, settings = training.model, training.model.task, training.settings
    learned, since = [], 0
    for name, shape in model.shapes.items():
        rows, columns = (1, *shape)[-2:]
        learned.append({"name": name, "rows": rows, "columns": columns, "since": since})
        since += rows * columns
    tokens = trace.tokens
    return {
        "table": table_data(trace),
        "learned": learned,
        "size": since,
        "labels": list(token_labels(tokens)),
        "entries": [visible(entry) for entry in task.vocabulary],
        "right": [None if (law := task.law(tokens[: at + 1])) is None else visible(law) for at in range(len(tokens))],
        "heads": [
            {"layer": layer, "head": head, "name": model.name_of(layer, head, "attention_weights"),
             "said": called(settings, layer, head), "off": (layer, head) in off}
            for layer in range(settings.n_layers) for head in range(settings.n_heads)
        ],
        "off": [{"name": name, "first": rows.start, "after": rows.stop} for name, rows in training.rows_of(off)],
        "picked": {"layer": picked[0], "head": picked[1]},
        "query": picked_token(training, tokens),
        "board": f"{BOARD_KEY}.{picked[0]}.{picked[1]}",
    }  # fmt: skip


def picked_token(training: Training, tokens: tuple[str, ...]) -> int:
    """Return the token that is followed: the one picked, or the last whose next one the law tells."""
    picked = take(LEARN_QUERY)
    if picked is not None and picked < len(tokens):
        return int(picked)
    told = [at for at in range(len(tokens) - 1) if training.model.task.law(tokens[: at + 1]) is not None]
    return told[-1] if told else len(tokens) - 1
