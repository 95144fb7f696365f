"""The documents are up to date: their commands and snippets run; each command, name and setting is in them."""

import contextlib
import io
import json
import re
import runpy
import shlex
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from attnviz.commands.main import main
from attnviz.core import limits
from tests import reference

ROOT = Path(__file__).parents[3]
TESTED = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "deploy/README.md", *(
    f"docs/{name}.md" for name in ("GUIDE", "COMMANDS", "LIBRARY", "DEPLOYMENT", "LIMITS", "RELEASING", "STUDY")
))  # fmt: skip
DECISIONS = sorted(str(each.relative_to(ROOT)) for each in ROOT.glob("docs/decisions/*.md"))
MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
# Settings of make, and those that code, compose files and the Makefile read.
SETTINGS = re.compile(r"\bATTNVIZ_[A-Z_]+\b")
# Programs that aren't ours: their files and arguments are looked at in what follows.
OTHERS = {
    "git", "docker", "kubectl", "hf", "pip", "py", "python", "pipx", "uvx", "cd", "streamlit",
    r".venv\Scripts\pip", r".venv\Scripts\attnviz", ".venv/bin/python",
}  # fmt: skip


def text_of(document: str) -> str:
    return (ROOT / document).read_text("utf-8")


def blocks(document: str, *languages: str) -> list[str]:
    return re.findall(rf"```(?:{'|'.join(languages)})\n(.*?)```", text_of(document), re.DOTALL)


def shell_lines() -> Iterator[tuple[str, list[str]]]:
    for document in TESTED:
        for block in blocks(document, "sh", "bat", "powershell"):
            for line in block.replace("\\\n", " ").splitlines():
                if words := shlex.split(line.replace("\\", "\\\\"), comments=True):
                    yield document, words


LINES = [*shell_lines()]


def without_settings(words: list[str]) -> list[str]:
    """Drop what is set before a command."""
    return words[next(i for i, word in enumerate(words) if "=" not in word) :]


def own_arguments(words: list[str]) -> list[str] | None:
    """Return what is handed to attnviz, or None for another command."""
    words = without_settings(words)
    if words[:3] == ["python", "-m", "attnviz"]:
        return words[3:]
    return words[1:] if words[0] in ("attnviz", r".venv\Scripts\attnviz") else None


OWN = [(document, arguments) for document, words in LINES if (arguments := own_arguments(words)) is not None]


@pytest.fixture
def at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the commands of the documents read: a handout, and what a class hands in."""
    from attnviz.features.check.exercises.gradebook import read_keys

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ATTNVIZ_SECRET", "a secret")
    with contextlib.redirect_stdout(io.StringIO()) as output:
        main(["the cat sat"])
        main(["exercise", "--seed", "7", "--sheets", "2", "--hand-in", "--html", "sheets"])
    Path("handout.md").write_text(output.getvalue(), "utf-8")
    Path("hand-ins").mkdir()
    for sheet in read_keys(Path("sheets/keys.json").read_text("utf-8")).values():
        q = (sheet.table("x") @ sheet.table("w_q")).tolist()
        paper = {"sheet": f"sheet {sheet.seed} {sheet.check_word}", "Q": q}
        Path(f"hand-ins/{sheet.seed}.json").write_text(json.dumps(paper), "utf-8")
    return tmp_path


@pytest.mark.usefixtures("at_hand")
def test_every_command_of_ours_does_what_it_is_there_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each runs once, in the order in which they stand; the app's server alone is not started."""
    assert len(OWN) > 15
    started: list[str] = []
    monkeypatch.setattr(runpy, "run_module", lambda name, **_: started.append(name))
    documents = {tuple(arguments): document for document, arguments in OWN}
    for arguments, document in documents.items():
        assert main(arguments) == 0, (document, arguments, capsys.readouterr().err)
    assert set(started) == {"streamlit"}


def test_every_target_of_make_that_is_named_is_there() -> None:
    named = {
        name for document in TESTED for name in re.findall(r"`make ([a-z-]+)", " ".join(text_of(document).split()))
    }
    assert {"docs", "quick", "docker-smoke"} <= named
    assert sorted(named - TARGETS) == []


def test_every_command_of_others_is_one_that_is_known_and_names_what_is_there() -> None:
    extras = set(tomllib.loads(text_of("pyproject.toml"))["project"]["optional-dependencies"])
    made = {"registry.example.org/attnviz:0.1.0", "attnviz"}
    for document, line in LINES:
        words = without_settings(line)
        if words[0] == "make":
            targets = {word for word in words[1:] if "=" not in word}
            assert targets <= TARGETS, (document, words)
            for name in (word.partition("=")[0] for word in words[1:] if "=" in word):
                assert re.search(rf"\$\((?:strip )?{name}\)|^{name} \?=", MAKEFILE, re.MULTILINE), (document, name)
            continue
        assert words[0] in OTHERS or own_arguments(line) is not None, (document, words)
        named = " ".join(words)
        assert set(re.findall(r"\[([a-z]+)\]", named)) <= extras, (document, words)
        assert all((ROOT / each).exists() for each in words if each.startswith("tests/")), (document, words)
        assert all((ROOT / each).exists() for each in re.findall(r"-[rk] (\S+)", named)), (document, words)
        tags = re.findall(r"(?:--tag|-t) (\S+)", named) if words[0] == "docker" else []
        assert set(tags) <= made, (document, words)


@pytest.mark.parametrize("document", [each for each in TESTED if "```python" in text_of(each)])
def test_every_python_snippet_runs_and_prints_what_is_said(document: str) -> None:
    """Snippets of one document follow each other, as in a notebook."""
    said, printed = [], io.StringIO()
    names: dict[str, object] = {}
    with contextlib.redirect_stdout(printed):
        for code in blocks(document, "python"):
            exec(compile(code, document, "exec"), names)
            said += re.findall(r"(?m)^(?:print\(.*\) +# |.* # prints )(.*)$", code)
    assert said
    assert printed.getvalue().splitlines() == said


@pytest.mark.parametrize("document", reference.WRITTEN)
def test_what_the_program_writes_of_itself_is_up_to_date(document: str) -> None:
    """Python's versions break lines of a help in their own ways: words count."""
    _, written, _ = reference.between(text_of(f"docs/{document}"))
    assert written.split() == reference.WRITTEN[document]().split(), "make docs"


def test_every_public_name_is_named() -> None:
    library = text_of("docs/LIBRARY.md")
    names = [name for module in reference.MODULES for name in import_module(module).__all__]
    assert len(names) > 60
    assert [name for name in names if not re.search(rf"`{name}\b", library)] == []


def test_every_setting_of_the_environment_is_told() -> None:
    read = [*(ROOT / "attnviz").rglob("*.py"), ROOT / "compose.yaml", ROOT / "deploy/compose.yaml"]
    settings = {name for file in read for name in SETTINGS.findall(file.read_text("utf-8"))}
    assert len(settings) > 10
    told = text_of("docs/DEPLOYMENT.md") + text_of("docs/COMMANDS.md")
    assert sorted(name for name in settings if name not in told) == []


@pytest.mark.parametrize("document", [*TESTED, "CHANGELOG.md", "docs/ARCHITECTURE.md", "docs/WORDS.md", *DECISIONS])
def test_every_link_to_a_file_leads_there(document: str) -> None:
    folder = (ROOT / document).parent
    links = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", text_of(document))
    assert [each for each in links if not (folder / each).exists()] == []


def test_the_readme_counts_models_as_their_list_does() -> None:
    (counted,) = re.findall(
        r"(\d+) kinds: (\d+) are shown, (\d+) refused .*? (\d+) have a number", text_of("docs/models.md")
    )
    kinds, shown, refused, wrong = counted
    (version,) = re.findall(r"# Models of transformers (\S+)", text_of("docs/models.md"))
    told = " ".join(text_of("README.md").split())
    assert f"Of {kinds} kinds of models in transformers {version}, {shown} are shown" in told
    assert f"{refused} are refused" in told
    assert wrong == "0"


def test_the_limits_are_those_of_the_code() -> None:
    told = text_of("docs/LIMITS.md")
    files = (limits.MAX_FILE_BYTES >> 20, limits.MAX_UPLOADS, limits.MAX_UPLOADED_BYTES >> 20)
    assert limits.MAX_SCORES == 2 * limits.MAX_TOKENS**2
    assert (
        f"| {limits.MAX_TOKENS} tokens; `d_in`, `d_out` and `d_v` up to {limits.MAX_D}; {limits.MAX_HEADS} heads;"
        f" {limits.MAX_LAYERS} layers; together as many scores as 2 heads of {limits.MAX_TOKENS} tokens have;"
        f" {limits.MAX_EDITS} changed cells |"
    ) in told
    assert files == (5, 4, 128)
    assert "5 MB each; a session holds its last four, all sessions together 128 MB" in told


def test_every_decision_is_listed_and_says_its_context_and_cost() -> None:
    listed = re.findall(r"\]\((\d\d-.*?)\)", text_of("docs/decisions/README.md"))
    assert [f"docs/decisions/{each}" for each in listed] == DECISIONS[:-1]
    for each in DECISIONS[:-1]:
        assert re.findall(r"(?m)^\*\*(.*?)\.\*\*", text_of(each)) == ["Context", "Decision", "What it costs"], each


def test_the_readme_is_read_in_two_minutes() -> None:
    assert len(text_of("README.md").split()) <= 500
