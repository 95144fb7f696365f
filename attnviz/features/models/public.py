"""Public names of models, as the package has them."""

from attnviz.documents.model_pages import head_report, model_markup, model_page
from attnviz.figures.model_grid import model_figure
from attnviz.models import ModelEdit, ModelTrace, look_into

__all__ = ["ModelEdit", "ModelTrace", "head_report", "look_into", "model_figure", "model_markup", "model_page"]
