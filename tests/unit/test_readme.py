"""What the README says can be done, can be done."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_notebook_lines_run_and_print_what_is_said() -> None:
    (code,) = blocks("python")
    said = re.findall(r"print\(.*\) +# (.*)", code)
    # figures.* on the last line of a notebook cell shows itself: what is asked for is its HTML
    shown = code.replace("attnviz.figures.heatmap", "figure = attnviz.figures.heatmap")
    code = shown + "\nassert 'plotly' in figure._repr_html_()\n"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=os.environ | {"PYTHONPATH": "."}
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split("\n")[:-1] == said


def test_every_make_command_is_a_target() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"make ([a-z-]+)", README.replace("\n", " ")))
    assert {"run", "test", "bench", "docker-smoke"} <= named
    assert named <= targets


def test_the_docker_commands_are_those_of_the_smoke_test() -> None:
    smoke = (ROOT / ".ci" / "docker_smoke.py").read_text()
    makefile = (ROOT / "Makefile").read_text()
    assert "docker build -t attnviz ." in README
    assert re.search(r"docker.*build", makefile + smoke)
    assert "8501" in (ROOT / "Dockerfile").read_text()


def test_every_picture_is_there() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README)
    assert pictures
    assert all((ROOT / picture).is_file() for picture in pictures)
