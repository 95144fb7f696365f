"""Figures of traces and sweeps: arrays in, Plotly figures out."""

from typing import TYPE_CHECKING, Any

from attnviz.feature import public, public_names
from attnviz.figures.heatmap import heatmap, heatmap_spec
from attnviz.figures.on_page import FIGURES, frames, picture_on_page
from attnviz.figures.picture import IN_CELL, small_picture
from attnviz.figures.small_tables import comparison_specs, points_spec

if TYPE_CHECKING:
    from attnviz.features.models.model_grid import model_figure as model_figure

__all__ = [
    "FIGURES", "IN_CELL", "comparison_specs", "frames", "heatmap", "heatmap_spec", "picture_on_page", "points_spec",
    "small_picture", *public_names(__name__),
]  # fmt: skip

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        return public(__name__, name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
