"""Many seeds of one training: small pictures of their curves, and the share of those that learned."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import streamlit as st

from attnviz.app.learn.address import open_settings
from attnviz.app.learn.moment import is_whole
from attnviz.app.learn.running import MANY, ManySeeds, learning, offer, work_in
from attnviz.app.scripts import script
from attnviz.app.session.session import this_session
from attnviz.core.limits import MAX_SEED
from attnviz.training import MOST_SEEDS, TrainingSettings
from attnviz.training.many import Outcome
from attnviz.words import plural, say
from attnviz.words.numbers import written
from attnviz.words.shares import percent

LEARNED = 0.9  # right answers, from which on a seed counts as one that learned
_SCRIPTS = Path(__file__).parent / "scripts"
_KEY = "learn.seeds"
_FEW = 20

_seeds = st.components.v2.component(
    "attnviz_learn_seeds",
    html='<div class="seeds" role="group"></div>',
    css=(_SCRIPTS / "seeds.css").read_text(),
    js=script(_SCRIPTS / "seeds.js"),
)


def show_seeds(settings: TrainingSettings) -> None:
    """Draw how many seeds, the way to train them, and what became of each."""
    plain = replace(settings.whole, rates=())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n = st.number_input(say("learn.seeds.n"), 2, MOST_SEEDS, _FEW, key="learn.seeds.n", width=190,
                            persist_state="session")  # fmt: skip
        asked = tuple(replace(plain, seed=i) for i in range(n))
        work = work_in(MANY, asked)
        if work is None or not work.done:
            offer(MANY, asked, say("learn.seeds.start"), lambda: ManySeeds(asked))
    if work is None:
        return
    outcomes = list(cast("ManySeeds", work).outcomes)
    if not outcomes:
        return
    has_law = settings.task != "text"
    st.text(_shares(outcomes) if has_law else _losses(outcomes))
    top = max((loss for each in outcomes for loss in each.held_out_losses if math.isfinite(loss)), default=0.0) or 1.0
    _seeds(
        key=_KEY, on_seed_change=_take,
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
    """Say what became of seeds where no law says what is right."""
    ends = [loss for outcome in outcomes if math.isfinite(loss := outcome.held_out_losses[-1])]
    if not ends:
        return say("learn.seeds.no_losses")
    low, high = written(min(ends), 3), written(max(ends), 3)
    told = say("learn.seeds.losses", seeds=plural(len(ends), "seed"), low=low, high=high)
    more = len(outcomes) - len(ends)
    return f"{told} {say('learn.seeds.not_finite', seeds=plural(more, 'seed'))}" if more else told


def _sent(outcome: Outcome, has_law: bool) -> dict[str, Any]:
    """Return what the page draws of a seed; a loss that is no finite number is none."""
    return {
        "seed": outcome.settings.seed,
        "learned": has_law and outcome.accuracy >= LEARNED,
        "steps": outcome.steps,
        "accuracies": [round(share, 4) for share in outcome.accuracies],
        "losses": [round(loss, 4) if math.isfinite(loss) else None for loss in outcome.held_out_losses],
        "share": percent(outcome.accuracies[-1]) if has_law else "",
        "loss": written(outcome.held_out_losses[-1], 2),
    }


def _take() -> None:
    seed = this_session().get(_KEY, {}).get("seed")
    if not is_whole(seed, MAX_SEED):
        return
    job = learning().beside.get(MANY)
    for settings in () if job is None else cast("ManySeeds", job.work).asked:
        if settings.seed == seed:
            open_settings(settings)
