"""Figures of a trace and of a sweep: arrays in, Plotly figures out."""

from attnviz.figures.comparison import comparison_specs
from attnviz.figures.curves import CURVE_ROWS, CURVES, Curve, curve_spec, row_spec
from attnviz.figures.handout import report, trace_markup
from attnviz.figures.heatmap import heatmap, heatmap_spec
from attnviz.figures.pages import figure_page, heatmap_page
from attnviz.figures.picking import is_pickable
from attnviz.figures.tables import points_spec, table_spec

__all__ = [
    "CURVES",
    "CURVE_ROWS",
    "Curve",
    "comparison_specs",
    "curve_spec",
    "figure_page",
    "heatmap",
    "heatmap_page",
    "heatmap_spec",
    "is_pickable",
    "points_spec",
    "report",
    "row_spec",
    "table_spec",
    "trace_markup",
]
