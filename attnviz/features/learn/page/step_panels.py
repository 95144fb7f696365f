"""Closer looks at one training step, one part at a time."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, cast

import streamlit as st

from attnviz.app.session import state
from attnviz.app.session.component import component
from attnviz.app.session.session import this_session
from attnviz.core.attention import AttentionTrace
from attnviz.core.limits import MAX_SEED
from attnviz.core.stages import Stage
from attnviz.explanation import explain
from attnviz.features.learn.page.address import open_settings
from attnviz.features.learn.page.exports import show_generated, show_home
from attnviz.features.learn.page.extra_runs import MANY, ManySeeds, offer, work_in
from attnviz.features.learn.page.moment import is_whole, pick_heads_off, picked_token
from attnviz.features.learn.page.moment_view import Shown, show_board
from attnviz.features.learn.page.running import learning
from attnviz.features.learn.page.step_details import show_glass
from attnviz.features.learn.training import MOST_SEEDS, Training, TrainingSettings
from attnviz.features.learn.training.seeds import Outcome
from attnviz.words import plural, say
from attnviz.words.numbers import percent, written

LEARNED = 0.9  # a seed has learned from this share of right answers on
_SCRIPTS = Path(__file__).parent / "scripts"
_SEEDS_KEY, _N_KEY = "learn.seeds", "learn.seeds.n"
_FEW = 20

_seeds = component("learn_seeds", '<div class="seeds" role="group"></div>', _SCRIPTS / "seeds.js")


def show_seeds(settings: TrainingSettings) -> None:
    """Draw the number of seeds, a button to train them, and results."""

    def seeds(n: int) -> tuple[TrainingSettings, ...]:
        return tuple(replace(settings.whole, rates=(), seed=i) for i in range(n))

    with st.container(horizontal=True, vertical_alignment="bottom"):
        n = st.number_input(say("learn.seeds.n"), 2, MOST_SEEDS, _FEW, key=_N_KEY, width=190, persist_state="session")
        asked = seeds(n)
        work = work_in(MANY, asked)
        if work is None or not work.done:
            # The number is read again on a press, because a new one may have been typed since this was drawn.
            offer(MANY, asked, say("learn.seeds.start"), lambda: ManySeeds(seeds(this_session().get(_N_KEY, n))))
    if work is None:
        return
    outcomes = list(cast("ManySeeds", work).outcomes)
    if not outcomes:
        return
    has_law = settings.task != "text"
    st.text(_shares(outcomes) if has_law else _losses(outcomes))
    top = max((loss for each in outcomes for loss in each.held_out_losses if math.isfinite(loss)), default=0.0) or 1.0
    _seeds(
        key=_SEEDS_KEY, on_seed_change=_take_seed,
        data={
            "picked": settings.seed, "steps": settings.steps,
            "hasLaw": has_law, "top": top, "seeds": [_sent(each, has_law) for each in outcomes],
        },
    )  # fmt: skip
    st.caption(say("learn.seeds.axes" if has_law else "learn.seeds.axis", top=written(top, 2)))


def _shares(outcomes: Sequence[Outcome]) -> str:
    learned = sum(outcome.accuracy >= LEARNED for outcome in outcomes)
    return say("learn.seeds.share", learned=learned, all=len(outcomes), least=percent(LEARNED))


def _losses(outcomes: Sequence[Outcome]) -> str:
    """Say how seeds ended, where no law says what is right."""
    ends = [loss for outcome in outcomes if math.isfinite(loss := outcome.held_out_losses[-1])]
    if not ends:
        return say("learn.seeds.no_losses")
    low, high = written(min(ends), 3), written(max(ends), 3)
    told = say("learn.seeds.losses", seeds=plural(len(ends), "seed"), low=low, high=high)
    more = len(outcomes) - len(ends)
    return f"{told} {say('learn.seeds.not_finite', seeds=plural(more, 'seed'))}" if more else told


def _sent(outcome: Outcome, has_law: bool) -> dict[str, Any]:
    """Return what the page draws of a seed; non-finite losses become None."""
    return {
        "seed": outcome.settings.seed,
        "learned": has_law and outcome.accuracy >= LEARNED,
        "steps": outcome.steps,
        "accuracies": [round(share, 4) for share in outcome.accuracies],
        "losses": [round(loss, 4) if math.isfinite(loss) else None for loss in outcome.held_out_losses],
        "share": percent(outcome.accuracies[-1]) if has_law else "",
        "loss": written(outcome.held_out_losses[-1], 2),
    }


def _take_seed() -> None:
    seed = this_session().get(_SEEDS_KEY, {}).get("seed")
    if not is_whole(seed, MAX_SEED):
        return
    job = learning().beside.get(MANY)
    for settings in () if job is None else cast("ManySeeds", job.work).asked:
        if settings.seed == seed:
            open_settings(settings)


_LONGEST = 110  # characters in a line of a formula; one with longer lines is shown as plain text


def show_explained(training: Training, trace: AttentionTrace) -> None:
    """Draw a choice of cell, and how its number is computed."""
    names = followers(training, trace)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            say("learn.why.matrix"), names, names.index("probabilities"), key=f"learn.why.matrix.{len(names)}",
            width=260, format_func=lambda each: trace.stages[each].title, persist_state="session",
        )  # fmt: skip
        stage, table = trace.stages[name], trace[name]
        n_rows, n_columns = table.shape
        picked = min(picked_token(training, trace.tokens), n_rows - 1) if stage.rows != "feature" else 0
        row = _place("row", stage, trace, n_rows, picked)
        likely = int(table[row].nan_to_num().argmax()) if stage.columns == "entry" else 0
        column = _place("column", stage, trace, n_columns, likely)
    made = explain(trace, name, row, column, digits=state.digits())
    if max(map(len, made.steps)) <= _LONGEST:
        st.latex(made.latex)
        st.text(" ".join((f"{made.words}.", *made.notes)))
    else:
        st.code(made.text, language=None, wrap_lines=True)


def followers(training: Training, trace: AttentionTrace) -> list[str]:
    """Return the matrices from the last layer's attention output on."""
    names = list(trace.stages)
    first = training.model.name_of(training.settings.n_layers - 1, None, "output")
    return [name for name in names[names.index(first) :] if trace[name].dim() == 2]


def _place(axis: Literal["row", "column"], stage: Stage, trace: AttentionTrace, n: int, first: int) -> int:
    """Draw the choice of a row or a column; return its index."""
    names = stage.labels("rows" if axis == "row" else "columns", trace.tokens, n)
    return st.selectbox(
        say(f"learn.glass.{axis}"), range(n), first, key=f"learn.why.{axis}.{stage.name}.{n}.{first}", width=160,
        format_func=lambda at: names[at],
    )  # fmt: skip


_PARTS = ("numbers", "glass", "why", "seeds", "goes_on", "off", "home")
_KEY = "learn.closer"


def show_parts(*, active: bool) -> str | None:
    """Draw the choice of a part; return the open one, if any."""
    own = learning()
    if own.part is None:
        st.menu_button(say("learn.closer.label"), _PARTS, key=_KEY, on_click=_open, disabled=active,
                       format_func=lambda name: say(f"learn.closer.{name}"))  # fmt: skip
        return None
    st.button(say("learn.closer.back"), key="learn.back", icon=":material/arrow_back:", on_click=_close)
    return None if active else own.part


def _open() -> None:
    learning().part = this_session().get(_KEY)


def _close() -> None:
    learning().part = None


def show_part(name: str, shown: Shown) -> None:
    """Draw one part only, because each takes time to compute."""
    training, step, text, off, layer = shown.training, shown.step, shown.text, shown.off, shown.head[0]
    with st.container(key="learn_closer"):
        if name == "numbers":
            show_board(shown)
        elif name == "glass":
            show_glass(training, step, text, shown.trace, layer, off)
        elif name == "why":
            show_explained(training, shown.made)
        elif name == "seeds":
            show_seeds(training.settings)
        elif name == "goes_on":
            show_generated(training, step, text, off)
        elif name == "off":
            pick_heads_off(training.settings, off)
        else:
            show_home(training, step, text, shown.made, layer, off)
