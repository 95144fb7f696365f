"""The scaling page: why scores are divided by the square root of d_k."""

from attnviz.ui import current_scenario
from attnviz.ui.scaling_controls import show_settings
from attnviz.ui.scaling_views import (
    show_broken_assumption,
    show_classic_row,
    show_curves,
    show_row,
    show_table,
    show_theory,
    show_which_dimension,
)
from attnviz.ui.sweeps import last_or_swept

scenario = current_scenario()
settings = show_settings()
swept = last_or_swept(settings, scenario)
if swept is not None:
    table, settings = swept
    show_theory(table, settings)
    show_curves(table, settings)
    show_table(table, settings)
    show_row(settings, scenario)
    show_classic_row(settings)
    show_which_dimension()
    show_broken_assumption(scenario)
