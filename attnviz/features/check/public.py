"""Public names of marking, as the package has them."""

from attnviz.documents.marked import marking_csv, marking_markup, marking_page
from attnviz.marking import mark, mark_pipeline

__all__ = ["mark", "mark_pipeline", "marking_csv", "marking_markup", "marking_page"]
