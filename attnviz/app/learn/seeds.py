"""Many seeds of one training: small pictures of their curves, and the share of those that learned."""

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import streamlit as st

from attnviz.app.learn.controls import change
from attnviz.app.learn.shared import MANY
from attnviz.app.learn.time import is_whole
from attnviz.app.learn.waited import offer, work_in
from attnviz.app.learn.works import ManySeeds
from attnviz.app.session.answering import answered, answering
from attnviz.core.limits import MAX_SEED
from attnviz.scripts import joined, sentences
from attnviz.training import MOST_SEEDS, TrainingSettings
from attnviz.words import say

LEARNED = 0.9  # right answers, from which on a seed counts as one that learned
_HERE = Path(__file__).parent
_KEY = "learn.seeds"
_FEW = 20

_seeds = st.components.v2.component(
    "attnviz_learn_seeds",
    html='<div class="seeds" role="group"></div>',
    css=(_HERE / "seeds.css").read_text(),
    js=joined(_HERE / "seeds.js", {"SENTENCES": sentences("learn.seeds.")}),
)


def show_seeds(settings: TrainingSettings) -> None:
    """Draw how many seeds, the way to train them, and what became of each."""
    if settings.task == "text":
        st.text(say("learn.seeds.text"))
        return
    plain = replace(settings, rates=())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = st.session_state.get("learn.seeds.first", 0)
        n = st.number_input(say("learn.seeds.n", first=first), 2, MOST_SEEDS, _FEW, key="learn.seeds.n", width=190,
                            persist_state="session")  # fmt: skip
        asked = tuple(replace(plain, seed=min(MAX_SEED, first + i)) for i in range(n))
        work = work_in(MANY, asked)
        if work is None or not work.done:
            offer(MANY, asked, say("learn.seeds.start"), lambda: ManySeeds(asked))
    if work is None:
        return
    outcomes = list(cast("ManySeeds", work).outcomes)
    if not outcomes:
        return
    learned = sum(outcome.accuracy >= LEARNED for outcome in outcomes)
    st.text(say("learn.seeds.share", learned=learned, all=len(outcomes), least=f"{100 * LEARNED:.0f} %"))
    _seeds(
        key=_KEY, on_seed_change=_take,
        data={
            "key": _KEY, "answered": answered(_KEY), "picked": settings.seed, "steps": settings.steps,
            "seeds": [{"seed": each.settings.seed, "learned": each.accuracy >= LEARNED, "steps": each.steps,
                       "accuracies": [round(share, 4) for share in each.accuracies]} for each in outcomes],
        },
    )  # fmt: skip


def _take() -> None:
    sent: Any = st.session_state[_KEY].get("seed")
    if not isinstance(sent, dict) or not is_whole(sent.get("seed"), MAX_SEED):
        return
    if not isinstance(sent.get("number"), int | float):
        return
    with answering(_KEY, sent["number"]):
        change(seed=int(sent["seed"]), rates=())
        st.session_state["learn.start_now"] = True
