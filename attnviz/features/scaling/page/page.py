"""The parts of the page Scaling, in their order, and its boxes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from attnviz.app.parts.predicting import asked_style
from attnviz.core.scenario import Scenario
from attnviz.features.scaling.page.controls import show_settings
from attnviz.features.scaling.page.curves import show_curves, show_findings, show_plot, show_tables, show_theory
from attnviz.features.scaling.page.examples import (
    show_broken_assumption,
    show_classic_row,
    show_which_dimension,
    show_width,
)
from attnviz.features.scaling.page.rows import show_rows
from attnviz.features.scaling.page.sweeps import last_or_swept
from attnviz.features.sweeps.settings import SweepSettings
from attnviz.words import say

_STYLE = (Path(__file__).parent / "scaling.css").read_text()


def show_head() -> None:
    """Draw the page's title and its question."""
    panels = asked_style(panels=("scaling_asked", "scaling_told"))
    st.html(f"<style>{panels}{_STYLE}</style>")
    with st.container(key="scaling_head", gap=None):
        st.markdown(f"## {say('scaling.heading')}")
        st.text(say("scaling.ask"))


def show_sweep(scenario: Scenario | None) -> None:
    """Draw the bars, the variance that explains them, and three boxes."""
    rows, plot, slider, findings = st.container(), st.container(), st.container(), st.container()
    why, more, measured = st.container(), st.container(), st.container()
    with measured:
        settings = show_settings(plot, slider)
    with plot:  # with the sweep's progress and errors
        st.markdown(f"## {say('scaling.plot.heading')}")
        swept = last_or_swept(settings, scenario)
        if swept is not None:
            settings = swept.settings
            show_plot(swept)
    with rows:
        show_rows(settings, scenario)
    if swept is not None:
        with findings:
            show_findings(swept)
    with why, _box("why") as opened:
        if opened:
            _show_why(settings, scenario)
    with more, _box("more") as opened:
        if opened and swept is not None:
            show_curves(swept)
            show_tables(swept, scenario)


def _show_why(settings: SweepSettings, scenario: Scenario | None) -> None:
    """Draw the theory, examples of it, and where it fails."""
    st.markdown(f"### {say('scaling.theory.heading')}")
    show_theory()
    st.markdown(f"### {say('scaling.width.heading')}")
    show_width(settings)
    st.markdown(f"### {say('scaling.classic.heading')}")
    show_classic_row(settings)
    st.markdown(f"### {say('scaling.heads.heading')}")
    show_which_dimension(settings)
    st.markdown(f"### {say('scaling.broken.heading')}")
    show_broken_assumption(scenario)


@contextmanager
def _box(name: str) -> Iterator[bool]:
    """Draw a box that opens; yield whether it's open.

    The charts of a closed box, and the library that draws them, aren't sent to the browser.
    """
    with st.expander(say(f"scaling.box.{name}"), key=f"scaling_box_{name}", on_change="rerun") as opened:
        yield bool(opened.open)
