"""Checks of a copy of the project without one feature; test_features.py runs them in the copy.

The process is a fork of one that has imported other packages, which would take most of the time.
"""

import contextlib
import gc
import io
import json
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any
from unittest import mock

# Other packages that the copy's code and its tests import.
OF_OTHERS = (
    "torch", "torch._dynamo", "distributed", "plotly.express", "plotly.graph_objects", "pandas", "transformers",
    "transformers.masking_utils", "sqlalchemy.dialects.postgresql", "streamlit", "streamlit.testing.v1",
    "starlette.testclient", "uvicorn", "httpx", "pytest", "hypothesis", "nbconvert", "anywidget", "playwright.sync_api",
    "axe_playwright_python.sync_playwright",
)  # fmt: skip
# The tests that are run there; all others are only imported.
RUN = ("tests/unit/core/test_attention.py", "tests/unit/server/test_link.py")


def lives() -> dict[str, Any]:
    """Import everything, draw the pages, answer links, and return the results."""
    attnviz = import_module("attnviz")
    within = [name for name in sys.modules if name.startswith("attnviz.features.") and name.count(".") > 2]
    assert not within, within
    for module in walk_packages(attnviz.__path__, "attnviz."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    pages = import_module("attnviz.app.entry.main").PAGES
    for room in (attnviz, attnviz.documents, attnviz.export, attnviz.figures):
        for name in room.__all__:
            getattr(room, name)
    answers_links(attnviz)
    with components_looked_for_once():
        for page in pages:
            draws(page)
    return {
        "public": [*attnviz.__all__, *attnviz.documents.__all__, *attnviz.export.__all__, *attnviz.figures.__all__],
        "pages": pages,
        "says": sorted(import_module("attnviz.words").catalogue()),
        "class": class_status(),
        "written": written("a cat"),
    }


def answers_links(attnviz: ModuleType) -> None:
    set_up = import_module("attnviz.link.set_up")
    scenario = attnviz.Scenario("a cat", causal=True)
    assert set_up.scenario_from_query(set_up.query_of(scenario))[0] == scenario


@contextlib.contextmanager
def components_looked_for_once() -> Iterator[None]:
    """Search the installed packages for components only once; AppTest does it for each page."""
    from streamlit.components.v2 import manifest_scanner

    found = manifest_scanner.scan_component_manifests()
    with mock.patch.object(manifest_scanner, "scan_component_manifests", return_value=found):
        yield


def draws(page: str) -> None:
    from streamlit.testing.v1 import AppTest

    drawn = AppTest.from_file(str(Path(f"pages/{page}.py").resolve()), default_timeout=120).run()
    assert not drawn.exception, (page, drawn.exception)


def class_status() -> int:
    """Return the status of the answer at the address of classes."""
    from starlette.applications import Starlette
    from starlette.testclient import TestClient

    routes = import_module("attnviz.app.server").routes()
    return TestClient(Starlette(routes=routes)).get("/class").status_code


def written(text: str) -> str:
    """Return the command's output for a text."""
    with contextlib.redirect_stdout(io.StringIO()) as output:
        assert not import_module("attnviz.commands.main").main([text])
    return output.getvalue()


def imports_its_tests() -> None:
    """Import all files of tests, which is most of what collecting them does, and a tenth of its time."""
    files = [each for room in ("unit", "features") for each in Path("tests", room).rglob("*.py")]
    assert {*RUN} <= {each.as_posix() for each in files}
    for file in sorted(files):
        if "additions" not in file.parts and file.stem != "__main__":  # importing an addition makes it
            import_module(".".join(file.with_suffix("").parts))


def main(folder: str) -> None:
    """Write the results of the copy in a folder to its `said.json`, and errors to `output.txt`."""
    output = os.open(Path(folder, "output.txt"), os.O_WRONLY | os.O_CREAT)
    os.dup2(output, 1)
    os.dup2(output, 2)
    gc.freeze()  # the garbage collector needn't look through imported packages
    os.chdir(folder)
    root = str(Path(__file__).parents[3])
    sys.path[:] = [folder, *(each for each in sys.path if each not in ("", root))]
    os.environ |= {"PYTHONPATH": folder, "ATTNVIZ_EXAMPLES": "2", "ATTNVIZ_DATABASE": "off"}
    said = lives()
    import pytest

    arguments = ["-q", "-o", "addopts=--import-mode=importlib", *RUN]
    assert pytest.main([*arguments, *(f"-pno:{each}" for each in ("cacheprovider", "xdist", "randomly"))]) == 0
    imports_its_tests()
    Path("said.json").write_text(json.dumps(said), "utf-8")


if __name__ == "__main__":
    main(globals()["FOLDER"])
