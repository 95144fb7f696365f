"""Explanations of matrices and cells, derived from the table of stages."""

from attnviz.explanation.explaining import Explanation, explain, shapes_of
from attnviz.explanation.origins import before_edits

__all__ = ["Explanation", "before_edits", "explain", "shapes_of"]
