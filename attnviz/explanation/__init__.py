"""Explanations of matrices and cells, derived from the table of stages."""

from attnviz.core.rules import Cells, Factor, Term
from attnviz.explanation.explaining import Explanation, explain, shapes_of, sources_of
from attnviz.explanation.origins import before_edits

__all__ = ["Cells", "Explanation", "Factor", "Term", "before_edits", "explain", "shapes_of", "sources_of"]
