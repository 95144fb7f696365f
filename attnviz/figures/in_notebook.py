"""A Plotly figure with a still picture, for places without scripts."""

from typing import Any

import plotly.graph_objects as go
from IPython.display import display


class MatrixFigure(go.Figure):  # type: ignore[misc]
    """A heatmap whose notebook output holds a still picture, too.

    `jupyter nbconvert --to html`, GitHub and printed notebooks show that picture; Plotly's own output alone would leave
    an empty space there. A figure that was changed has no picture, because it would show the figure before the change.
    """

    _still: tuple[str, dict[str, str]] | None = None  # the figure as JSON when it was drawn, and its picture

    def with_still(self, still: dict[str, str]) -> "MatrixFigure":
        """Return the figure, whose output contains this picture from now on."""
        self._still = (str(self.to_json()), still)
        return self

    def _repr_mimebundle_(self, *given: Any, **named: Any) -> dict[str, Any]:
        bundle = dict(super()._repr_mimebundle_(*given, **named) or {})
        if bundle and self._still is not None and self._still[0] == self.to_json():
            bundle = self._still[1] | bundle
        return bundle

    def _ipython_display_(self) -> None:
        if bundle := self._repr_mimebundle_():
            display(bundle, raw=True)  # type: ignore[no-untyped-call]
        else:  # Plotly opens a browser, or is set to draw nothing
            super()._ipython_display_()
