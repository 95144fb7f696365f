"""How attention changed: each step with its sentence, what it changed, its paper, and a link that opens the board."""

from functools import lru_cache
from pathlib import Path

import pandas as pd
import streamlit as st

from attnviz.core.attention.linear import REPEATS, WIDTH, Cost, measured_costs
from attnviz.link.set_up import query_of
from attnviz.teach.history import STEPS, WITHOUT_PICTURE, changed_in_words, step_named
from attnviz.words import plural, say
from attnviz.words.numbers import written

_COLUMNS = ("tokens", "softmax", "linear", "softmax_numbers", "linear_numbers")
_STYLE = (Path(__file__).parent / "steps.css").read_text()


def show_history() -> None:
    """Draw all steps, then what no stage can show."""
    st.html(f"<style>{_STYLE}</style>")
    st.subheader(say("history.heading"), anchor=False)
    st.text(say("history.about"))
    with st.container(key="history_steps"):
        for step in STEPS:
            _show_step(step.name)
    _show_costs()
    st.markdown(f"##### {say('history.without')}")
    with st.container(key="history_without"):
        for name, source in WITHOUT_PICTURE.items():
            with st.container(key=f"history_other_{name}"):
                st.markdown(f"###### {say(f'history.no_stage.{name}.title')}")
                st.text(say(f"history.no_stage.{name}.line"))
                st.link_button(say(f"history.no_stage.{name}.paper"), source, type="tertiary")


def _show_step(name: str) -> None:
    step, (query, changed) = step_named(name), _told(name)
    with st.container(key=f"history_step_{name}", border=True):
        st.markdown(f"###### {step.said('title')}")
        st.text(step.said("line"))
        if changed:
            st.caption(changed)
        with st.container(horizontal=True, vertical_alignment="center"):
            # Not st.page_link: the controls of this session would hold on to their values.
            st.link_button(say("history.open"), f"./?{query}", key=f"history.open.{name}",
                           icon=":material/open_in_new:", help=say("history.open_help"))  # fmt: skip
            st.link_button(step.said("paper"), step.paper, type="tertiary")


def _show_costs() -> None:
    """Show what both kinds of attention cost, measured once for all readers."""
    st.markdown(f"##### {say('history.cost.heading')}")
    st.text(say("history.cost.about", width=plural(WIDTH, "number"), repeats=plural(REPEATS, "run")))
    rows = [
        {say(f"history.cost.{name}"): f"{value:,}" if isinstance(value, int) else written(value, 2)
         for name, value in zip(_COLUMNS, cost, strict=True)}
        for cost in _costs()
    ]  # fmt: skip
    st.table(pd.DataFrame(rows).set_index(say("history.cost.tokens")))


@lru_cache(maxsize=1)
def _costs() -> tuple[Cost, ...]:
    return measured_costs()


@lru_cache(maxsize=64)
def _told(name: str) -> tuple[str, str]:
    """Return the query of a step's link, and what is said of its difference: always the same."""
    step = step_named(name)
    return query_of(step.scenario), " ".join(changed_in_words(step))
