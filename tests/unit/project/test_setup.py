"""Set-up finds torch's CPU build where it can, gives up at once where it can't, and does nothing twice."""

import importlib.util
import re
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]


def load(script: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(script, ROOT / ".ci" / f"{script}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


setup = load("install")


class Pip:
    """Stands in for pip: remembers what it was asked to do."""

    def __init__(self) -> None:
        self.commands: list[str] = []
        self.options: list[bool] = []  # whether without what packages ask for
        self.status = 0

    def __call__(self, command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        self.commands.append(command[3])
        self.options.append("--no-deps" in command)
        return subprocess.CompletedProcess(command, self.status)


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> Pip:
    pip = Pip()
    monkeypatch.setattr(setup.subprocess, "run", pip)
    monkeypatch.setattr(setup, "answers", lambda *_: True)
    return pip


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    files = [tmp_path / "app.txt", tmp_path / "dev.txt"]
    for file in files:
        file.write_text("one==1\n")
    return files


def test_every_package_is_pinned_exactly() -> None:
    for name in sorted(path.name for path in ROOT.glob("requirements*.txt")):
        lines = [line.split("#")[0].strip() for line in (ROOT / name).read_text().splitlines()]
        pins = [line for line in lines if line and not line.startswith("-r ")]
        assert pins, name
        for pin in pins:
            assert pin.split(";")[0].count("==") == 1, pin


def test_the_bill_of_materials_and_the_audit_know_all_that_the_image_installs() -> None:
    installed = set(re.findall(r"requirements[\w-]*\.txt", (ROOT / "Dockerfile").read_text()))
    makefile = (ROOT / "Makefile").read_text()
    for target in ("sbom", "audit"):
        (recipe,) = re.findall(rf"^{target}: .*\n((?:\t.*\n)+)", makefile, flags=re.M)
        assert set(re.findall(r"requirements[\w-]*\.txt", recipe)) == installed, target


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
