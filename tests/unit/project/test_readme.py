"""What the README and the example notebook say can be done, can be done; and the image has all that it installs."""

import re
import subprocess
from pathlib import Path

import nbclient
import nbformat
import pytest

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text()


def test_the_docker_commands_build_and_reach_the_image_that_make_builds() -> None:
    build = re.search(r"^docker build -t (\S+) \.$", README, re.MULTILINE)
    run = re.search(r"^docker run -p \d+:(\d+) (\S+)$", README, re.MULTILINE)
    assert build
    assert run
    made = subprocess.run(["make", "-n", "docker-build"], capture_output=True, text=True, cwd=ROOT, check=True).stdout
    assert f"--tag {build[1]} ." in made
    assert run[2] == build[1]
    dockerfile = (ROOT / "Dockerfile").read_text()
    ports = re.findall(r"(?:EXPOSE |STREAMLIT_SERVER_PORT=|127\.0\.0\.1:)(\d+)", dockerfile)
    assert ports == 3 * [run[1]], "listened on, exposed and asked whether it is healthy"


def test_every_picture_is_there() -> None:
    pictures = re.findall(r'<(?:img|source) [^>]*?src(?:set)?="([^"]+)"', README)
    assert set(pictures) == {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "pictures").iterdir()}
    assert all(re.findall(r'<img [^>]*alt="([^"]*)"', README))
    assert all((ROOT / picture).is_file() for picture in pictures)


def test_every_package_is_pinned_exactly() -> None:
    for name in sorted(path.name for path in ROOT.glob("requirements*.txt")):
        pins = [pin for line in (ROOT / name).read_text().splitlines() if (pin := line.split("#")[0].strip())]
        assert pins, name
        assert [pin for pin in pins if pin.split(";")[0].count("==") != 1] == []


def test_the_bill_of_materials_and_the_audit_know_all_that_the_image_installs() -> None:
    installed = set(re.findall(r"requirements[\w-]*\.txt", (ROOT / "Dockerfile").read_text()))
    makefile = (ROOT / "Makefile").read_text()
    for target in ("sbom", "audit"):
        (recipe,) = re.findall(rf"^{target}: .*\n((?:\t.*\n)+)", makefile, flags=re.M)
        assert set(re.findall(r"requirements[\w-]*\.txt", recipe)) == installed, target


def test_the_tests_that_make_names_are_there() -> None:
    named = re.findall(r"\b(?:tests|attnviz|benchmarks)/[\w/.]+\.py", (ROOT / "Makefile").read_text())
    assert named
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_the_image_is_given_every_file_that_it_copies() -> None:
    """What .dockerignore keeps out of the build, a COPY doesn't find; several files need a folder to go into."""
    passed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copies = re.findall(r"^COPY (.+)$", (ROOT / "Dockerfile").read_text(), flags=re.M)
    assert copies
    for copy in copies:
        *sources, target = copy.split()
        assert set(sources) <= passed, copy
        assert len(sources) == 1 or target.endswith("/"), copy
    started = re.findall(r"streamlit\", \"run\", \"([^\"]+)\"", (ROOT / "Dockerfile").read_text())
    assert set(started) == {"app.py"} <= passed


@pytest.fixture
def outputs(tmp_path: Path) -> list[str]:
    """What each code cell put out, as text and HTML."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        notebook = nbformat.read(ROOT / "docs" / "example.ipynb", as_version=4)  # type: ignore[no-untyped-call]
        nbformat.validate(notebook)
        nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
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
