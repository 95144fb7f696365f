"""The scaling page: why scores are divided by the square root of d_k."""

import attnviz.app  # noqa: F401  whole and first: several readers may open their first pages at once
from attnviz.app import current_scenario
from attnviz.app.scaling.controls import show_settings
from attnviz.app.scaling.curves import show_curves, show_table, show_theory
from attnviz.app.scaling.examples import show_broken_assumption, show_classic_row, show_which_dimension
from attnviz.app.scaling.row import show_row
from attnviz.app.scaling.sweeps import last_or_swept

scenario = current_scenario()
settings = show_settings()
swept = last_or_swept(settings, scenario)
if swept is not None:
    settings = swept.settings
    show_theory(swept)
    show_curves(swept)
    show_table(swept)
show_row(settings, scenario)
show_classic_row(settings)
show_which_dimension(settings)
show_broken_assumption(scenario)
