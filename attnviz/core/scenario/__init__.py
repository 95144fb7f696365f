"""Scenarios: what they say, what follows from it, and the trace that they come to."""

from attnviz.core.scenario.derived import SETTINGS
from attnviz.core.scenario.scenario import Scenario, trace, traced, without_changes

__all__ = ["SETTINGS", "Scenario", "trace", "traced", "without_changes"]
