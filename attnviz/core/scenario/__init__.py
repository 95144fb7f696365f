"""Scenarios: their settings, what follows from these, and their trace."""

from attnviz.core.scenario.derived import SETTINGS
from attnviz.core.scenario.scenario import Scenario, trace, traced, without_changes

__all__ = ["SETTINGS", "Scenario", "trace", "traced", "without_changes"]
