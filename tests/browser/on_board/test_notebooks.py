"""The board in the notebooks that people use: JupyterLab, Notebook 7 and marimo, each with a kernel of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import nbformat
import pytest
from nbconvert import HTMLExporter, LatexExporter
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, Locator, Page, expect

from attnviz import Edit, Scenario, trace
from attnviz.words import say
from tests.browser.playground import eventually
from tests.browser.serving import ROOT, free_port

CHECKED, SENT, ALONE = (say(f"board.status.{each}") for each in ("checked", "sent", "alone"))
SHOWN = 60_000  # milliseconds that a kernel may take to import torch
FIRST = """import attnviz
seen = []
board = attnviz.show_board("the cat sat")
board.observe(lambda change: seen.append(change.new), "scenario")
board"""
HEADS = "attnviz.Scenario('a cat', n_heads=2, d_out=4)"
WIDGETS = [FIRST, "board", f"other = attnviz.show_board({HEADS})\nother"]
THEMSELVES = [
    HEADS,
    f"attnviz.trace({HEADS})",
    f"attnviz.trace({HEADS}).heads[1]",
    "attnviz.train('agreement', steps=2)",
]
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
EDITED = Scenario("the cat sat", edits=(Edit("w_q", 0, 0, 2.0),))
OUTPUTS = ".jp-Cell:has(.jp-OutputArea-output)"
# Jupyter's own: what a menu or a key would do, and what its kernel is asked.
SESSION = "jupyterapp.shell.currentWidget.sessionContext"
COMMAND = "([name, given]) => jupyterapp.commands.execute(name, given)"
ASKED = f"""(code) => new Promise((done) => {{
  let text = "";
  const answer = {SESSION}.session.kernel.requestExecute({{ code }});
  answer.onIOPub = ({{ content }}) => {{ text += content.text ?? ""; }};
  answer.done.then(() => done(text.trim()));
}})"""
IDLE = "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
CELLS = "jupyterapp.shell.currentWidget.content.widgets.map(({ model }) => model.type)"
PICTURES = """(cells) => cells.map((cell) => [...cell.querySelectorAll("img[src^='data:image/png']")]
  .filter((image) => image.offsetParent && image.width).length)"""


@contextmanager
def served(command: list[str], folder: Path, ready: str) -> Iterator[str]:
    """Run a notebook's server in a folder, with nothing of this machine's own settings; give its address."""
    port, own = free_port(), str(folder / "own")
    there = {f"JUPYTER_{each}_DIR": own for each in ("CONFIG", "DATA", "RUNTIME")} | {"IPYTHONDIR": own, "HOME": own}
    given = os.environ | there | {"PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": own, "OMP_NUM_THREADS": "1"}
    with (folder / "log.txt").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", *command, f"--port={port}"], cwd=folder, env=given, stdout=log, stderr=log
        )
        try:
            eventually(lambda: _answers(f"http://localhost:{port}{ready}"), True, 60)
            yield f"http://localhost:{port}"
        finally:
            server.kill()  # its kernels end with it
            server.wait()


def _answers(address: str) -> bool:
    try:
        with urlopen(address, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


class Jupyter:
    """A notebook that is open in one of Jupyter's two front ends."""

    def __init__(self, page: Page, server: str) -> None:
        self.page, self.server = page, server

    def open(self, name: str, front: str = "lab/tree") -> None:
        self.page.goto(f"{self.server}/{front}/{name}?reset", wait_until="commit")
        expect(self.page.locator(".jp-Cell").first).to_be_visible(timeout=SHOWN)

    def does(self, command: str, **given: object) -> None:
        self.page.evaluate(COMMAND, [command, given])

    def asks(self, code: str) -> str:
        return str(self.page.evaluate(ASKED, code))

    def runs_all(self) -> None:
        self.page.wait_for_function(IDLE, timeout=SHOWN)
        self.does("notebook:clear-all-cell-outputs")  # or what is waited for stands there from the last run
        self.page.evaluate("void jupyterapp.commands.execute('notebook:run-all-cells')")
        for n in range(3):
            expect(self.board(n).locator(".status")).to_contain_text(CHECKED, timeout=SHOWN)
        expect(self.page.locator("iframe[srcdoc]")).to_have_count(4, timeout=SHOWN)

    def board(self, n: int) -> Locator:
        return self.page.locator(".board").nth(n)

    def frames(self) -> list[Locator]:
        return [self.page.frame_locator("iframe[srcdoc]").nth(n).locator("html") for n in range(4)]


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A tab that hears what is asked for beyond this machine."""
    context = chromium.new_context(viewport={"width": 1300, "height": 900}, reduced_motion="reduce")
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url) if "//" in request.url else None)
    yield context.new_page()
    context.close()
    assert [url for url in asked if url.startswith("http") and "//localhost:" not in url] == []


def has_pictures(page: Page) -> None:
    """See that none of a notebook's cells shows nothing."""
    expect(page.locator(OUTPUTS)).to_have_count(len(WIDGETS + THEMSELVES))
    eventually(lambda: min(page.locator(OUTPUTS).evaluate_all(PICTURES)) > 5, True)


def types(board: Locator, place: str, text: str) -> None:
    board.locator(f'[data-at="{place}"]').click()
    board.page.keyboard.type(text)
    board.page.keyboard.press("Enter")


def test_jupyter_shows_boards_hears_of_edits_and_is_never_blank(page: Page, chromium: Browser, tmp_path: Path) -> None:
    """In Notebook 7 and in JupyterLab, which have what follows in common."""
    cells = [new_code_cell(each) for each in (*WIDGETS, *THEMSELVES)]  # type: ignore[no-untyped-call]
    nbformat.write(new_notebook(cells=cells, metadata=KERNEL), tmp_path / "a.ipynb")  # type: ignore[no-untyped-call]
    command = ["notebook", "--no-browser", "--allow-root", "--IdentityProvider.token=",
               "--LabApp.expose_app_in_browser=True", "--JupyterNotebookApp.expose_app_in_browser=True"]  # fmt: skip
    with served(command, tmp_path, "/api/status") as server:
        jupyter = Jupyter(page, server)
        for front in ("notebooks", "lab/tree"):
            jupyter.open("a.ipynb", front)
            jupyter.runs_all()
            _edits_come_back(jupyter)
        assert page.locator("[class^=attnviz-]").evaluate_all("all => all.some((each) => each.offsetParent)") is False
        for frame in jupyter.frames():
            frame.locator(".status").scroll_into_view_if_needed()
            expect(frame.locator(".status")).to_contain_text(SENT)
        jupyter.does("apputils:change-theme", theme="JupyterLab Dark")
        expect(page.locator(".board.dark")).to_have_count(3)
        for frame in jupyter.frames():
            expect(frame).to_have_attribute("data-theme", "dark")
        page.evaluate(f"{SESSION}.session.kernel.restart()")
        types(jupyter.board(0), "w_q,0,0", "3")
        expect(jupyter.board(0).locator(".status")).to_contain_text(ALONE)
        jupyter.runs_all()
        jupyter.does("@jupyter-widgets/jupyterlab-manager:saveWidgetState")
        jupyter.does("docmanager:save")
        page.evaluate(f"{SESSION}.shutdown()")
        jupyter.open("a.ipynb")  # its own, of which no kernel runs
        has_pictures(page)
        saved = nbformat.read(tmp_path / "a.ipynb", as_version=4)  # type: ignore[no-untyped-call]
        saved.metadata.changed = True  # by others: nothing in it is trusted
        nbformat.write(saved, tmp_path / "b.ipynb")  # type: ignore[no-untyped-call]
        jupyter.open("b.ipynb")
        has_pictures(page)
        assert page.locator("iframe, .board").count() == page.get_by_text("model not found").count() == 0
    assert len(saved.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]) >= 2
    exported, _ = HTMLExporter().from_notebook_node(saved)  # type: ignore[no-untyped-call]
    (tmp_path / "a.html").write_text(exported, encoding="utf-8")
    reader = chromium.new_page(offline=True)
    reader.goto((tmp_path / "a.html").as_uri())
    has_pictures(reader)
    assert reader.pdf().count(b"/Subtype /Image") > 6
    reader.close()
    printed, _ = LatexExporter().from_notebook_node(saved)  # type: ignore[no-untyped-call]
    in_latex = [each.data["text/latex"] for cell in saved.cells for each in cell.outputs if "text/latex" in each.data]
    assert len(in_latex) == len(saved.cells)
    assert all(each in printed for each in in_latex)


def _edits_come_back(jupyter: Jupyter) -> None:
    page, (first, second, other) = jupyter.page, [jupyter.board(n) for n in range(3)]
    before = other.locator("[data-at]").all_text_contents()
    types(first, "w_q,0,0", "2")
    for board in (first, second):
        expect(board.locator('[data-at="w_q,0,0"]')).to_have_text("2.00")
        expect(board.locator(".status")).to_contain_text(CHECKED)
    assert jupyter.asks("print(board.scenario, seen)") == f"{EDITED} [{EDITED}]"
    assert other.locator("[data-at]").all_text_contents() == before
    other.locator(".head-picture").nth(1).click()
    wanted = float(trace(Scenario("a cat", n_heads=2, d_out=4))["heads.1.attention_weights"][1, 0])
    expect(other.locator('[data-at="attention_weights,1,1,0"]')).to_have_js_property("value", wanted)
    given = float(first.locator('[data-at="w_k,0,0"]').evaluate("(cell) => cell.value"))
    types(second, "w_k,0,0", "0")  # what one view does, both undo
    for value, keys in ((0, "Control+z"), (given, "b")):
        for board in (second, first):
            expect(board.locator('[data-at="w_k,0,0"]')).to_have_js_property("value", value)
            expect(board.locator(".status")).to_contain_text(CHECKED)
        page.keyboard.press(keys)
    kinds = page.evaluate(CELLS)
    first.locator('[data-at="scores,1,1"]').click()
    for key in "abmdd":
        page.keyboard.press(key)
    assert page.evaluate(CELLS) == kinds
    eventually(lambda: "scores.1.1" in jupyter.asks("print(board.query)"), True)  # or the click comes after what is set
    jupyter.asks("board.scenario = attnviz.Scenario('a cat', causal=True)")
    for board in (first, second):
        expect(board.locator('[data-at^="attention_weights"]')).to_have_count(4)
    for text, tokens in (("a cat sat", 3), ("", 3)):  # a blank one is none
        first.get_by_role("button", name=say("board.sentence.edit")).click()
        first.get_by_label(say("board.sentence.label")).fill(text)
        page.keyboard.press("Enter")
        expect(second.locator("[data-at^=x]")).to_have_count(3 * tokens)
        expect(first.locator(".status")).to_contain_text(CHECKED)
    assert jupyter.asks("print(board.scenario.text)") == "a cat sat"


MARIMO = """import marimo
app = marimo.App(width="full")


@app.cell
def _():
    import attnviz
    from pathlib import Path
    board = attnviz.show_board("the cat sat")
    board.observe(lambda change: Path("heard.txt").write_text(repr(change.new)), "scenario")
    board
    return attnviz, board


@app.cell
def _(board):
    board
    return


@app.cell
def _(attnviz):
    attnviz.show_board("a dog")
    return


@app.cell
def _(attnviz):
    attnviz.Scenario("a cat")
    return
"""


def test_marimo_shows_boards_and_hears_of_edits(page: Page, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(MARIMO)
    (tmp_path / ".marimo.toml").write_text('[display]\ntheme = "system"\n[runtime]\nauto_instantiate = true\n')
    command = ["marimo", "edit", "a.py", "--headless", "--no-token", "--skip-update-check"]
    with served(command, tmp_path, "/health") as server:
        page.goto(server)
        first, second, other = (page.locator(".board").nth(n) for n in range(3))
        for board in (first, second, other):
            expect(board.locator(".status")).to_contain_text(CHECKED, timeout=SHOWN)
        expect(page.frame_locator("iframe[srcdoc]").locator(".status")).to_contain_text(SENT)
        before = other.locator("[data-at]").all_text_contents()
        types(first, "w_q,0,0", "2")
        for board in (first, second):
            expect(board.locator('[data-at="w_q,0,0"]')).to_have_text("2.00")
            expect(board.locator(".status")).to_contain_text(CHECKED)
        heard = tmp_path / "heard.txt"
        eventually(lambda: heard.exists() and heard.read_text(), repr(EDITED))
        assert other.locator("[data-at]").all_text_contents() == before
        editors = page.get_by_test_id("cell-editor").all_text_contents()
        first.locator('[data-at="scores,1,1"]').click()
        for key in "abmdd":
            page.keyboard.press(key)
        assert page.get_by_test_id("cell-editor").all_text_contents() == editors
        expect(page.locator(".board.dark")).to_have_count(0)
        page.emulate_media(color_scheme="dark")
        expect(page.locator(".board.dark")).to_have_count(3)
