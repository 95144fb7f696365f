"""Public names of models, as the package has them."""

from attnviz.features.models import inside as models
from attnviz.features.models.inside import ModelEdit, ModelTrace, look_into
from attnviz.features.models.model_grid import model_figure
from attnviz.features.models.model_pages import head_report, model_markup, model_page

__all__ = [
    "ModelEdit", "ModelTrace", "head_report", "look_into", "model_figure", "model_markup", "model_page", "models",
]  # fmt: skip
