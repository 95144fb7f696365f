"""What the README says can be done, can be done."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
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
    assert set(pictures) == {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.png")}
    assert all(re.findall(r'<img [^>]*alt="([^"]*)"', README))
    assert all((ROOT / picture).is_file() for picture in pictures)
