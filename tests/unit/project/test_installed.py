"""The package as people install it: the wheel holds all that it needs, and starts the app where no checkout is."""

import asyncio
import http.client
import os
import runpy
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import attnviz
from benchmarks.clients.client import connected
from benchmarks.clients.servers import free_address, wait_until_healthy
from benchmarks.clients.websocket import HandshakeError

ROOT = Path(__file__).parents[3]
DOCUMENTS = ("docs", "deploy/README.md", *(each.name for each in ROOT.glob("*.md")))
SITE = ("app.py", "pages", ".streamlit/config.toml", *DOCUMENTS)
NOT_FROM_HERE = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def clean(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the commands of an environment that has the wheel, and of this one's packages all others."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder, with_pip=False, symlinks=True)
    commands = folder / ("Scripts" if os.name == "nt" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", str(commands / "python"), "install", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--no-index", "--no-compile", str(wheel)], check=True, env=NOT_FROM_HERE)
    (packages,) = folder.glob("**/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"))
    return commands


def _files(folder: Path) -> set[str]:
    found = [folder] if folder.is_file() else folder.rglob("*")
    return {each.relative_to(ROOT).as_posix() for each in found if each.is_file() and "__pycache__" not in each.parts}


def test_the_wheel_holds_every_file_of_the_library_and_of_the_app(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == _files(ROOT / "attnviz") | {f"attnviz/site/{name}" for part in SITE for name in _files(ROOT / part)}


def test_whoever_installs_it_gets_the_license(wheel: Path, tmp_path: Path) -> None:
    held = zipfile.ZipFile(wheel)
    (folder,) = {name.partition("/")[0] for name in held.namelist() if ".dist-info/" in name}
    told = held.read(f"{folder}/METADATA").decode()
    assert "License-Expression: MIT\n" in told
    assert held.read(f"{folder}/licenses/LICENSE").decode() == (ROOT / "LICENSE").read_text()
    for name in ("attnviz/documents/letters/OFL.txt", "attnviz/documents/plotly_js/LICENSE.txt"):
        assert f"License-File: {name}\n" in told
    build = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (made,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(made) as packed:
        names = packed.getnames()
    assert f"{names[0].partition('/')[0]}/LICENSE" in names
    assert "\nlicense: MIT\n" in (ROOT / "CITATION.cff").read_text()


def test_the_version_stands_in_one_place(wheel: Path) -> None:
    assert wheel.name.startswith(f"attnviz-{attnviz.__version__}-")
    newest = (ROOT / "CHANGELOG.md").read_text().split("\n## ")[1].split()[0]
    assert newest == attnviz.__version__
    for name in ("pyproject.toml", "CITATION.cff", "Dockerfile"):
        assert f'"{attnviz.__version__}"' not in (ROOT / name).read_text(), name


def _asked(address: str, path: str) -> http.client.HTTPResponse:
    host, port = address.split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    connection.request("GET", path)
    return connection.getresponse()


@contextmanager
def _started(command: Path, where: Path) -> Iterator[str]:
    address = free_address()
    arguments = [str(command), "app", "--port", address.rpartition(":")[2], "--address", "127.0.0.1", "--no-browser"]
    with (where / "log.txt").open("w") as log:
        environment = NOT_FROM_HERE | {"STREAMLIT_SERVER_ENABLE_AGENT_API": "true"}  # reads a page without a browser
        process = subprocess.Popen(arguments, cwd=where, env=environment, stdout=log, stderr=log)
        try:
            wait_until_healthy(address, process)
            yield address
        finally:
            process.terminate()
            process.wait(20)


def test_an_installed_package_starts_the_app(clean: Path, tmp_path: Path) -> None:
    asked = [str(clean / "python"), "-c", "import attnviz; print(attnviz.__file__)"]
    told = subprocess.run(asked, cwd=tmp_path, env=NOT_FROM_HERE, capture_output=True, text=True, check=True).stdout
    assert Path(told.strip()).is_relative_to(clean.parent), "what is tried is the wheel, not this checkout"

    async def titles(address: str) -> list[str]:
        async with connected(address, "example=published") as client:
            assert client.lost == 0
            return [page.page_name for page in client.navigation().app_pages]

    async def strangers_status(address: str) -> int:
        try:
            async with connected(address, headers={"Origin": "https://elsewhere.example.org"}):
                return 101
        except HandshakeError as refused:
            return refused.status

    with _started(clean / "attnviz", tmp_path) as address:
        assert asyncio.run(titles(address)) == [
            "Explore", "Compare", "Lesson", "Questions", "Scaling", "Watch it learn", "Language model",
            "How attention changed", "What attention costs", "My numbers", "Exercises",
        ]  # fmt: skip
        answers = {path: _asked(address, path) for path in ("/", "/static/favicon.png", "/ready", "/metrics")}
        assert asyncio.run(strangers_status(address)) == 403
        smoke = runpy.run_path(str(ROOT / ".ci/docker_smoke.py"))
        smoke["check_page"](f"http://{address}")  # as what is said to prove the image reads it there
    for answer in answers.values():
        assert answer.getheader("X-Content-Type-Options") == "nosniff"
        assert "frame-ancestors 'self'" in str(answer.getheader("Content-Security-Policy"))
    assert answers["/ready"].getheader("Content-Type") == "application/json"
    assert answers["/metrics"].status != 200 or "text/html" in str(answers["/metrics"].getheader("Content-Type"))
    assert "Traceback" not in (tmp_path / "log.txt").read_text()
