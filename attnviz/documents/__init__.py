"""Documents to hand out: reports, figures and boards as pages, notebook output."""

from attnviz.documents.board_svg import board_svg, table_svg
from attnviz.documents.boards import board_frame, board_page, shown_in_notebook
from attnviz.documents.marking_page import marking_csv, marking_markup, marking_page
from attnviz.documents.matrices import figure_page, heatmap_page
from attnviz.documents.model_pages import head_report, model_markup, model_page
from attnviz.documents.report import report, trace_markup

__all__ = [
    "board_frame", "board_page", "board_svg", "figure_page", "head_report", "heatmap_page", "marking_csv",
    "marking_markup", "marking_page", "model_markup", "model_page", "report", "shown_in_notebook", "table_svg",
    "trace_markup",
]  # fmt: skip
