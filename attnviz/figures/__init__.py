"""Figures of traces and sweeps: arrays in, Plotly figures out."""

from attnviz.figures.curves import CURVE_ROWS, CURVES, Curve, curve_spec, histogram_spec, row_spec
from attnviz.figures.heatmap import heatmap, heatmap_spec
from attnviz.figures.model_grid import model_figure, model_spec
from attnviz.figures.on_page import FIGURES, frames, picture_on_page
from attnviz.figures.picture import IN_CELL, small_picture
from attnviz.figures.small_tables import comparison_specs, points_spec

__all__ = [
    "CURVES", "CURVE_ROWS", "FIGURES", "IN_CELL", "Curve", "comparison_specs", "curve_spec", "frames", "heatmap",
    "heatmap_spec", "histogram_spec", "model_figure", "model_spec", "picture_on_page", "points_spec", "row_spec",
    "small_picture",
]  # fmt: skip
