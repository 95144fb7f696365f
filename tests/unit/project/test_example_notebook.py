"""The example notebook runs from top to bottom and shows what it says."""

from pathlib import Path

import nbclient
import nbformat
import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def outputs(tmp_path: Path) -> list[str]:
    """What each code cell put out, as text and HTML."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        notebook = nbformat.read(ROOT / "docs" / "example.ipynb", as_version=4)  # type: ignore[no-untyped-call]
        nbformat.validate(notebook)
        nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert (tmp_path / "attention.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return ["\n".join(_texts(output) for output in cell.outputs) for cell in code]


def _texts(output: nbformat.NotebookNode) -> str:
    assert output.output_type != "error"
    data = output.get("data", {})
    return "\n".join((output.get("text", ""), data.get("text/plain", ""), data.get("text/html", ""), *data))


def test_traces_and_figures_show_themselves_and_the_numbers_are_the_published_ones(outputs: list[str]) -> None:
    assert "of 6 tokens: Your · journey" in outputs[0]
    assert "data:image/png;base64," in outputs[0]
    assert "[0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820]" in outputs[1]
    assert "[0.3061, 0.8210]" in outputs[1]
    assert "1.811" in outputs[3]
    assert "application/vnd.plotly.v1+json" in outputs[4]
