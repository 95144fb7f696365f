"""The catalogue of sentences: every sentence is used, every use is there, and it speaks as docs/WORDS.md says."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextvars import copy_context
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from attnviz import Scenario
from attnviz.app.server.numbers import Numbers
from attnviz.board.drawn import OF_PLAYGROUND, drawn_data
from attnviz.board.script import board_script, plane_script
from attnviz.core.scenario import traced
from attnviz.documents import board_page, figure_page, heatmap_page, report
from attnviz.export import notebook, pytorch_script
from attnviz.figures import heatmap_spec
from attnviz.words import FORMS, LANGUAGE, Template, catalogue, plural, say, spoken
from tests.languages import assert_all_is_said_otherwise, made_up
from tests.said import joined, of_features

ROOT = Path(__file__).parents[3]
SOURCES = sorted([ROOT / "app.py", *ROOT.glob("pages/*.py"), *ROOT.glob("attnviz/**/*.py")])
SCRIPTS = sorted(ROOT.glob("attnviz/**/*.js"))
BANNED = (
    "is to be seen", "as it is", "as they are", "let go", "hands on", "from its place", "carried rounding",
    "affinely independent", "dead key", "commutes", "need not", "was not taken", "were not taken",
    " of now", "what is none", "are no number", "and less m", "carried on rounded",
)  # fmt: skip


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text())


def _forms(template: Template) -> Mapping[str, str]:
    return {"other": template} if isinstance(template, str) else template


_IMPORTING = """
import importlib, pkgutil, sys, types
sys.modules["attnviz"] = types.ModuleType("attnviz")  # so that words come before all that says them
sys.modules["attnviz"].__path__ = ["attnviz"]
from attnviz import words
del sys.modules["attnviz"]
def early(key):
    raise AssertionError(f"{key} is said at import")
words._template = early
import attnviz
for module in pkgutil.walk_packages(attnviz.__path__, "attnviz."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""


def test_nothing_is_said_before_it_is_asked_for() -> None:
    """Modules hold keys: in which language a sentence is said isn't known when they are imported."""
    done = subprocess.run(  # in a process that has imported none of them yet
        [sys.executable, "-c", _IMPORTING], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr[-2000:]


def test_each_session_is_spoken_to_in_its_language(tmp_path: Path) -> None:
    (tmp_path / "pages.toml").write_text("")
    token = 'token = { one = "{n} Token", other = "{n} Tokens" }'
    (tmp_path / "shared.toml").write_text(f'[language]\nthousands = "."\n[count]\n{token}')
    other = copy_context()
    other.run(LANGUAGE.set, str(tmp_path))
    assert other.run(plural, 1200, "token") == "1.200 Tokens"
    assert other.run(catalogue)["count.token"] != catalogue()["count.token"]
    assert plural(1200, "token") == "1,200 tokens"


@cache
def _kept() -> list[Any]:
    """Traces that the first language that asks for them makes, and all others are told of."""
    of_features_kept = (each for kept in of_features("kept") for each in kept())
    return [traced(Scenario("a cat", device="cuda")), *of_features_kept]


def _taken_home() -> dict[str, str]:
    """What is said outside of a run of the app: what is saved, and what a page's scripts are sent."""
    many = Scenario("a cat sat", n_layers=2, d_out=3, causal=True, d_ff=4, norm="pre", positions="learned")
    kept = Scenario("a cat sat", second="on a mat", reads="kept", mask_use="zeroed", n_heads=2, d_in=4, d_out=4)
    what_if = Scenario("a cat sat", masking="padding", positions="alibi", w_v="random:3", what_if="softmax:columns")
    data = drawn_data(what_if, traced(what_if), 1, 4, OF_PLAYGROUND, is_current=True)
    return {
        "page": board_page(many),
        "heatmap": heatmap_page(traced(what_if), "attention_weights"),
        "figure": figure_page(heatmap_spec(traced(what_if), "attention_weights"), "A"),
        "kept": str([(each.notices, [s.plain for s in getattr(each, "stages", {}).values()]) for each in _kept()]),
        "board": board_script("") + plane_script(),
        "data": json.dumps(data, ensure_ascii=False),
        "report": report(kept, traced(kept)),
        "notebook": notebook(many),
        **{f"{scenario.reads} {scenario.norm} script": pytorch_script(scenario) for scenario in (many, kept, what_if)},
        **{name: text for taken_home in of_features("taken_home") for name, text in taken_home().items()},
    }


def test_what_is_taken_home_is_said_in_the_language_of_the_session(tmp_path: Path) -> None:
    """Said in English before, so that nothing remembers that."""
    context = made_up(tmp_path)
    english, other = _taken_home(), context.run(_taken_home)
    other["board"] = other["board"].partition("\n")[0]  # behind its sentences stands code
    assert_all_is_said_otherwise(english, other)
    for name, text in other.items():
        if name.endswith("script"):
            exec(text, {})


def test_a_servers_threads_speak_the_language_of_who_asks(tmp_path: Path) -> None:
    """Asked in English before, so that nothing remembers that."""
    routes = [Route("/numbers", Numbers().answer, methods=["POST"])]
    client = TestClient(Starlette(routes=routes), headers={"origin": "http://testserver"})

    def told() -> str:
        return str(client.post("/numbers", json={"query": "text=a+cat"}).text)

    english, other = told(), made_up(tmp_path).run(told)
    assert other != english
    assert say("stages.x.plain") not in other


def test_what_a_language_hasnt_yet_is_said_in_english(tmp_path: Path) -> None:
    (tmp_path / "pages.toml").write_text('[app]\ntitle = "attnviz: Selbstaufmerksamkeit"\n', encoding="utf-8")
    context = copy_context()
    context.run(LANGUAGE.set, str(tmp_path))
    assert context.run(say, "app.title") == "attnviz: Selbstaufmerksamkeit"
    for key in ("app.lesson.title", "links.expected.flag"):
        assert context.run(say, key) == say(key)
    assert context.run(catalogue).keys() == catalogue().keys()


@pytest.mark.parametrize(
    ("accepts", "language"),
    [
        ("", "en"), ("de", "de"), ("de-AT,de;q=0.9,en;q=0.8", "de"), ("en,de;q=0.5", "en"), ("en;q=0.5, DE", "de"),
        ("fr, de;q=0.1", "de"), ("fr", "en"), ("de;q=0, en;q=0.1", "en"), ("de;q=x", "en"), ("*", "en"),
        ("../../de", "en"), (",;,de", "de"), ("x" * 100_000 + ",de", "en"),
    ],
)  # fmt: skip
def test_a_reader_is_spoken_to_as_their_browser_accepts(
    accepts: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("attnviz.words.languages", lambda: ["en", "de"])
    assert spoken(accepts) == language


def _places(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def _calls() -> Iterator[tuple[Path, ast.Call]]:
    for file in SOURCES:
        for node in ast.walk(_tree(file)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("say", "plural"):
                yield file, node


def test_every_sentence_is_well_made() -> None:
    for key, template in catalogue().items():
        assert isinstance(template, str) or set(template) == FORMS, key
        places = {form: _places(text) for form, text in _forms(template).items()}
        formats = [name for names in places.values() for name in names if not name.isidentifier()]
        assert not formats, f"{key}: places have names, and no formats"
        for text in _forms(template).values():
            assert text, key
            assert text == text.strip(), key
        if "one" in places:
            assert "n" in places["other"], key
            assert places["one"] <= places["other"], key


def _quotes_otherwise(text: str) -> bool:
    """An apostrophe stands within a word, or behind the s of several."""
    others = re.search(r"[‘’«»„]|(?<!\w)'|'(?!\w)", re.sub(r"s' |\w'\w", " ", text))
    return bool(others) or text.count("“") != text.count("”")


def _bare_weight(text: str) -> bool:
    """Not of attention; the bare word could be a projection's number just as well."""
    words = re.sub(r"\{\w+\}", "", text.lower())
    return bool(re.search(r"(?<!attention )(?<!attention\xa0)\bweights?\b", words))


def _banned(text: str) -> bool:
    return any(words in text.lower() for words in BANNED)


@pytest.mark.parametrize("fault", [_banned, _quotes_otherwise, _bare_weight])
def test_no_sentence_speaks_otherwise_than_the_glossary_says(fault: Callable[[str], bool]) -> None:
    assert not [key for key, template in catalogue().items() if any(map(fault, _forms(template).values()))]


def test_a_number_of_things_has_its_forms() -> None:
    """No "1 tokens": a bare number before a plural needs the forms `one` and `other`, or plural()."""
    counted = re.compile(r"\{n\w*\} (?:other |more |further )?[a-z]+s\b")
    assert not [key for key, template in catalogue().items() if isinstance(template, str) and counted.search(template)]


def test_what_is_said_is_in_the_catalogue_with_its_places() -> None:
    for file, call in _calls():
        key = call.args[0] if call.args else None
        if (isinstance(call.func, ast.Name) and call.func.id == "plural") or not isinstance(key, ast.Constant):
            continue
        assert isinstance(key.value, str)
        where = f"{file.relative_to(ROOT)}:{call.lineno}"
        assert key.value in catalogue(), f"{where}: no sentence {key.value!r}"
        given = {each.arg for each in call.keywords}
        if None not in given:
            needed = set().union(*map(_places, _forms(catalogue()[key.value]).values()))
            assert given >= needed, f"{where}: {key.value} needs {needed - given}"
            unused = given - needed - {"n"}
            assert not unused, f"{where}: {key.value} has no place for {unused}"


def test_every_sentence_is_used() -> None:
    """A key stands in the code whole, or with places for what is put in: f"lesson.{name}.title"."""
    text = "\n".join(file.read_text() for file in (*SOURCES, *SCRIPTS))
    whole = set(re.findall(r"""(?=["'`]([\w.-]+)["'`])""", text))
    made = set(re.findall(r"""(?=["'`]([a-z_0-9]+\.(?:[\w.-]|\$?\{[^{}\n]*\})*)["'`])""", text))
    shapes = {".*".join(map(re.escape, re.split(r"\$?\{[^{}\n]*\}", each))) for each in made if "{" in each}
    put_together = re.compile("|".join(shapes))
    nouns = set(re.findall(r"""plural\([^"'`]*["'`](\w+)["'`]""", text))
    unused = [
        key
        for key in catalogue()
        if key not in whole
        and not put_together.fullmatch(key)
        and not (key.startswith("count.") and key.removeprefix("count.") in nouns)
    ]
    assert not unused


def _first_lines(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the first paragraphs of a file's docstrings."""
    for node in ast.walk(_tree(file)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if said := ast.get_docstring(node):
            yield getattr(node, "lineno", 1), " ".join(said.split("\n\n")[0].split())


def test_docstrings_begin_as_the_glossary_says_and_with_at_most_12_words() -> None:
    """They are what a notebook's help and the documentation show; a stranger takes in no more at once."""
    lines = ((file, line, text) for file in SOURCES for line, text in _first_lines(file))
    badly = [each for each in lines if len(each[2].split()) > 12 or _banned(each[2])]
    assert not [f"{file.relative_to(ROOT)}:{line}: {text}" for file, line, text in badly]


def _is_for_developers(node: ast.AST) -> bool:
    """Whether it raises, is the `message` of what is raised, writes into the server's log, or is a rule's `code`; or is
    an example, whose sentence is the same in all languages, as links are."""
    if isinstance(node, ast.Call):
        called = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        return getattr(called, "id", "") in ("check_type", "expect", "_LOG", "Scenario", "replace", "_read")
    if isinstance(node, ast.Assign):
        return [getattr(target, "id", "") for target in node.targets] == ["message"]
    return isinstance(node, ast.Raise) or (isinstance(node, ast.FunctionDef) and node.name == "code")


def _sentences(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a file that read like something said: four words and more, and no docstring, CSS or HTML."""
    tree = _tree(file)
    documents = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    raised = {id(inner) for node in ast.walk(tree) if _is_for_developers(node) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents | raised:
            words = re.findall(r"[A-Za-z'’]{2,}", node.value)
            if len(words) >= 4 and " " in node.value and not re.search(r"[{}<>;]|</|__|\(\?:|\.st-|var\(", node.value):
                yield node.lineno, node.value


NO_PAGE = {
    **{
        f"attnviz/export/{name}.py": "writes Python"
        for name in ("computation", "inputs", "rules", "script", "script_lines")
    },
    **joined("NO_PAGE"),
    "attnviz/core/masks.py": "writes Python",
    "attnviz/core/seeding/places.py": "writes Python",
    "attnviz/commands": "writes a command line's help",
    "attnviz/app/operations": "writes into the server's log and figures",
    "attnviz/app/server": "writes into the server's log, and errors for whoever runs it",
    "attnviz/core/attention": "writes errors for whoever programs",
    "attnviz/core/scenario": "writes errors for whoever programs, and the first sentence",
    "attnviz/core/limits.py": "writes values into errors for whoever programs",
}
TALKING = [file for file in SOURCES if not {str(each.relative_to(ROOT)) for each in (file, file.parent)} & set(NO_PAGE)]


def test_a_page_says_nothing_that_is_not_in_the_catalogue() -> None:
    outside = [f"{file.relative_to(ROOT)}:{line}: {text[:70]!r}" for file in TALKING for line, text in _sentences(file)]
    assert not outside


CONTROLS = {
    "button", "caption", "checkbox", "download_button", "error", "expander", "file_uploader", "header", "info",
    "link_button", "markdown", "metric", "multiselect",
    "number_input", "popover", "radio", "segmented_control", "selectbox", "slider",
    "subheader", "success", "tabs", "text", "text_area", "text_input", "title", "toggle", "warning", "write",
}  # fmt: skip


def _written_in_controls(file: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CONTROLS:
            said = [*node.args[:1], *(each.value for each in node.keywords if each.arg in ("label", "help"))]
            texts = [part for each in said for part in (each.values if isinstance(each, ast.JoinedStr) else [each])]
            yield from ((text.lineno, str(text.value)) for text in texts if isinstance(text, ast.Constant))


def test_a_control_takes_even_one_word_from_the_catalogue() -> None:
    """What a control writes itself is a constant, or the text between the places of an f-string, and has no letters."""
    outside = [
        f"{file.relative_to(ROOT)}:{line}: {text!r}"
        for file in TALKING
        if {"app", "page", "pages"} & {*file.parts}
        for line, text in _written_in_controls(file)
        if re.search(r"[A-Za-z]{2}", text.removeprefix(":gray"))
    ]
    assert not outside
