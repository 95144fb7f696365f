"""Figures of a trace: arrays in, Plotly figures out."""

from attnviz.figures.heatmap import heatmap, heatmap_spec

__all__ = ["heatmap", "heatmap_spec"]
