"""Values for its row in the table of links, used by tests/unit/server/test_parameter_table.py."""

from typing import Any

from hypothesis import strategies as st

from attnviz.features.scaling.parameters import SWEEP_TEXT
from tests.features.sweeps.unit.test_sweep_settings import settings_of_sweeps

OWN: list[tuple[object, st.SearchStrategy[Any]]] = [(SWEEP_TEXT, settings_of_sweeps)]
