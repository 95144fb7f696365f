"""The page Scaling: why scores are divided by √d_k."""

import streamlit as st

from attnviz.app.scaling.controls import show_settings
from attnviz.app.scaling.curves import show_curves, show_findings, show_plot, show_row, show_table, show_theory
from attnviz.app.scaling.examples import show_broken_assumption, show_classic_row, show_which_dimension, show_width
from attnviz.app.scaling.sweeps import last_or_swept
from attnviz.app.session.session import this_session
from attnviz.words import say

scenario = this_session().scenario
st.text(say("scaling.ask"))
plot, slider, findings = st.container(), st.container(), st.container()
settings = show_settings(plot, slider)
with plot:  # with how far a sweep is, and what is wrong with it
    swept = last_or_swept(settings, scenario)
    if swept is not None:
        settings = swept.settings
        show_plot(swept)
with st.expander(say("scaling.theory.heading")):
    show_theory()
if swept is not None:
    with findings:
        show_findings(swept)
    with st.expander(say("scaling.curve.heading")):
        show_curves(swept)
    show_table(swept)
with st.expander(say("scaling.width.heading")):
    show_width(settings)
with st.expander(say("scaling.row.heading")):
    show_row(settings, scenario)
with st.expander(say("scaling.classic.heading")):
    show_classic_row(settings)
with st.expander(say("scaling.heads.heading")):
    show_which_dimension(settings)
with st.expander(say("scaling.broken.heading")):
    show_broken_assumption(scenario)
