"""Sweeps over the dimension: what scores and softmax do as vectors grow."""

from attnviz.feature import Feature

FEATURE = Feature("sweeps", public={"sweep_scaling": "experiment:sweep_scaling"})
