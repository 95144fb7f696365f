"""A feature is a folder that can be left out: without it, the rest lives and knows nothing of it."""

import compileall
import json
import multiprocessing
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from multiprocessing.context import ForkServerContext
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import attnviz
from attnviz import documents, words
from attnviz.app.entry.main import PAGES
from attnviz.feature import INSTALLED, SLOTS, Feature, Page, features
from attnviz.words import catalogue
from tests.unit.project import without

ROOT = Path(__file__).parents[3]
SECONDS = 300
COPYS = "tests/unit/project/without.py"
OF = {each.name: each for each in features()}
PUBLIC = [*attnviz.__all__, *attnviz.documents.__all__, *attnviz.export.__all__, *attnviz.figures.__all__]


def going_with(name: str) -> list[str]:
    """A feature and all that need it, or need what needs it."""
    gone = [name]
    for each in gone:
        gone += [other for other in OF if each in OF[other].needs and other not in gone]
    return gone


def copied(folder: Path, gone: list[str]) -> None:
    """Copy the project without features: their folders, their pages, their tests, and their names in the list."""
    left_out = shutil.ignore_patterns(".git", ".venv", "node_modules", "*.png", ".*_cache")
    shutil.copytree(ROOT, folder, ignore=left_out, dirs_exist_ok=True)
    declared = folder / "attnviz/feature.py"
    text = declared.read_text("utf-8")
    for name in gone:
        shutil.rmtree(folder / "attnviz/features" / name)
        shutil.rmtree(folder / "tests/features" / name, ignore_errors=True)
        for page in OF[name].pages:
            (folder / f"pages/{page.name}.py").unlink()
        line = f'    "{name}",\n'
        assert line in text
        text = text.replace(line, "")
    declared.write_text(text, encoding="utf-8")
    shutil.rmtree(folder / "tests/features/across")  # what several features keep together needs them all


def ran(folder: Path, *arguments: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(folder), "ATTNVIZ_EXAMPLES": "2", "ATTNVIZ_DATABASE": "off"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, encoding="utf-8",
        timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


def said_by(name: str) -> set[str]:
    """The keys of the sentences in a feature's folder."""
    found: dict[str, Any] = {}
    folder = OF[name].folder.joinpath("words", "en")
    for file in folder.iterdir() if folder.is_dir() else ():
        subject, tables = file.name.removesuffix(".toml"), tomllib.loads(file.read_text("utf-8"))
        for key, table in tables.items() if subject in ("pages", "shared") else ((subject, tables),):
            words._collect(found, key, table)
    return {*found}


@pytest.fixture(scope="module")
def forks() -> ForkServerContext:
    """Forks of a process that has imported what others wrote."""
    compileall.compile_dir(ROOT / "tests", quiet=1)  # once, and not in each copy, which imports all files of tests
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*without.OF_OTHERS])
    return context


def asked(forks: ForkServerContext, folder: Path) -> dict[str, Any]:
    """Return what a copy says of itself."""
    answering = forks.Process(target=runpy.run_path, args=(f"{folder}/{COPYS}", {"FOLDER": str(folder)}, "__main__"))
    answering.start()
    answering.join(SECONDS)
    answering.kill()
    output = (folder / "output.txt").read_text("utf-8")
    assert answering.exitcode == 0, output[-6000:]
    said: dict[str, Any] = json.loads((folder / "said.json").read_text("utf-8"))
    return said


@pytest.mark.slow
@pytest.mark.parametrize("feature", INSTALLED)
def test_without_a_features_folder_the_rest_lives(feature: str, forks: ForkServerContext, tmp_path: Path) -> None:
    gone = going_with(feature)
    copied(tmp_path, gone)
    told = asked(forks, tmp_path)
    assert {*told["pages"]} == {*PAGES} - {page.name for name in gone for page in OF[name].pages}
    assert catalogue().keys() - {*told["says"]} == set().union(*map(said_by, gone))
    handed_on = {name.rpartition(".")[2] for feature in gone for name in OF[feature].public}
    assert {*told["public"]} == {*PUBLIC} - handed_on
    assert (told["class"] == 404) == any("class" in OF[name].folders for name in gone), "nobody answers where it did"
    assert told["written"] == without.written("a cat")


def test_what_is_called_attnviz_imports_no_inside_of_a_feature_and_no_page() -> None:
    code = "import attnviz; from attnviz import Scenario, trace; import sys; print(*sys.modules)"
    imported = ran(ROOT, "-c", code).split()
    assert [name for name in imported if re.match(r"attnviz\.features\.\w+\.|streamlit$", name)] == []


def test_a_sentence_of_a_feature_is_named_by_nobody_but_those_that_need_it() -> None:
    said = {name: said_by(name) for name in OF}
    wrong = []
    for file in (each for folder in ("attnviz", "pages") for each in (ROOT / folder).rglob("*.py")):
        named = {*re.findall(r'"([a-z_]+(?:\.\w+)+)"', file.read_text("utf-8"))}
        own = next((name for name in OF if ROOT / "attnviz/features" / name in file.parents), None)
        own = own or next(
            (name for name in OF for page in OF[name].pages if file == ROOT / f"pages/{page.name}.py"), None
        )
        may = {own, *OF[own].needs} if own else set[str]()
        wrong += [f"{file.relative_to(ROOT)}: {key}" for name in said if name not in may for key in said[name] & named]
    assert wrong == []


def test_the_kernel_names_no_feature() -> None:
    inside = ROOT / "attnviz/features"
    files = [each for each in (ROOT / "attnviz").rglob("*.py") if inside not in each.parents]
    typed = re.compile(r"^if TYPE_CHECKING:.*\n(?:    .*\n|\n)*", re.MULTILINE)  # for whoever checks types alone
    run = ((each, typed.sub("", each.read_text("utf-8"))) for each in files)
    assert [str(each) for each, text in run if re.search(r"attnviz\.features\.\w", text)] == []


@pytest.mark.parametrize("name", OF)
def test_a_feature_names_no_other_one_but_those_that_it_needs(name: str) -> None:
    files = (ROOT / "attnviz/features" / name).rglob("*.py")
    named = {each for file in files for each in re.findall(r"attnviz\.features\.(\w+)", file.read_text("utf-8"))}
    assert named <= {name, *OF[name].needs}


def test_tests_of_the_kernel_and_of_a_feature_import_no_other_feature() -> None:
    """What several need stands in tests/features/across; additions are run in a copy of their own."""
    own = {name: {name, *feature.needs} for name, feature in OF.items()}
    imports = re.compile(r"^(?:from|import) (?:attnviz|tests)\.features\.(\w+)", re.MULTILINE)
    wrong = [
        str(file.relative_to(ROOT))
        for folder, may in {"unit": set[str](), **{f"features/{name}": may for name, may in own.items()}}.items()
        for file in (ROOT / "tests" / folder).rglob("*.py")
        if not may >= {*imports.findall(file.read_text("utf-8"))} and "additions" not in file.parts
    ]
    assert wrong == []


def test_a_declaration_imports_nothing_but_what_declares(tmp_path: Path) -> None:
    code = "from attnviz.feature import features; features(); import sys; print('torch' in sys.modules)"
    package = tmp_path / "attnviz"
    shutil.copytree(ROOT / "attnviz/features", package / "features", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "attnviz/feature.py", package / "feature.py")
    (package / "__init__.py").touch()
    assert ran(tmp_path, "-c", code).split() == ["False"]


def test_a_page_behind_a_door_that_isnt_there_is_refused() -> None:
    with pytest.raises(ValueError, match="the page 'one' stands behind 'checks', expected one of "):
        Page("one", door="checks")


def test_a_slot_that_nobody_asks_for_is_refused() -> None:
    with pytest.raises(ValueError, match=r"the feature 'one' fills \['plases'\], expected some of \[.*'places'"):
        Feature("one", fills={"plases": "places:places"})


@pytest.mark.parametrize("name", OF)
def test_what_a_feature_hands_on_is_there(name: str) -> None:
    feature = OF[name]
    for of in (feature.public, feature.commands):
        given = [feature.named(place) for place in of.values()]
        assert all(callable(each) or isinstance(each, ModuleType) for each in given)
    for called in feature.public:
        room, _, last = f"attnviz.{called}".rpartition(".")
        assert getattr(import_module(room), last) is feature.named(feature.public[called])
    assert f"commands.others.{name}" in catalogue() or not feature.commands


def test_a_name_that_nobody_hands_on_is_refused_as_any_module_does() -> None:
    with pytest.raises(AttributeError, match=r"module 'attnviz\.documents' has no attribute 'mark'"):
        getattr(documents, "mark")  # noqa: B009  mypy knows that there is none


@pytest.mark.parametrize("slot", SLOTS)
def test_each_slot_is_asked_for_somewhere(slot: str) -> None:
    asked = re.compile(rf'filled\("{slot}"\)')
    assert any(asked.search(each.read_text("utf-8")) for each in (ROOT / "attnviz").rglob("*.py"))
    for each in features():
        if slot in each.fills:
            assert callable(each.given(slot))
