"""A heatmap in a notebook leaves a picture, which exports without Plotly show."""

import base64
import re
import struct
from typing import Any

import nbconvert
import nbformat
import pytest

from attnviz import Scenario, figures, trace
from attnviz.figures.in_notebook import MatrixFigure
from attnviz.words.numbers import written

PLOTLY = "application/vnd.plotly.v1+json"


def exported(bundle: dict[str, Any]) -> str:
    """What `jupyter nbconvert --to html` writes of a cell with this output."""
    notebook = nbformat.v4.new_notebook()  # type: ignore[no-untyped-call]
    output = nbformat.v4.new_output("display_data", data=bundle)  # type: ignore[no-untyped-call]
    notebook.cells = [nbformat.v4.new_code_cell("figure", outputs=[output])]  # type: ignore[no-untyped-call]
    return str(nbconvert.HTMLExporter().from_notebook_node(notebook)[0])  # type: ignore[no-untyped-call]


@pytest.fixture(autouse=True)
def renders_as_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    import plotly.io as pio

    monkeypatch.setattr(pio.renderers, "_default_renderers", pio.renderers._default_renderers)
    pio.renderers.default = "plotly_mimetype"


def test_an_export_shows_every_number_of_it() -> None:
    made = trace(Scenario("the cat sat"))
    bundle = figures.heatmap(made, "attention_weights")._repr_mimebundle_()
    assert set(bundle) == {PLOTLY, "image/svg+xml"}
    (packed,) = re.findall('<img [^>]*data:image/svg\\+xml;base64,([^"]+)', exported(bundle))
    drawn = base64.b64decode(packed).decode()
    for value in made.attention_weights.flatten().tolist():
        assert written(value, 4) in drawn
    assert packed not in exported({PLOTLY: bundle[PLOTLY]})


def test_a_large_one_leaves_a_picture_of_its_cells() -> None:
    made = trace(Scenario("the cat sat on a mat " * 4))
    bundle = figures.heatmap(made, "attention_weights")._repr_mimebundle_()
    assert set(bundle) == {PLOTLY, "image/png"}
    width, height = struct.unpack(">II", base64.b64decode(bundle["image/png"])[16:24])
    assert width == height >= 24 * 8
    assert "data:image/png;base64," in exported(bundle)


def test_a_figure_that_was_changed_leaves_no_picture_of_the_one_before() -> None:
    figure = figures.heatmap(trace(Scenario("a cat")), "q")
    assert isinstance(figure, MatrixFigure)
    figure.update_layout(title="mine")
    assert set(figure._repr_mimebundle_()) == {PLOTLY}
    assert set(MatrixFigure(figure)._repr_mimebundle_()) == {PLOTLY}
