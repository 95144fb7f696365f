"""Scenarios: what they say, what follows from it, and the trace that they come to."""

from attnviz.core.scenario.given import SETTINGS
from attnviz.core.scenario.scenario import Scenario
from attnviz.core.scenario.tracing import trace, traced, without_changes

__all__ = ["SETTINGS", "Scenario", "trace", "traced", "without_changes"]
