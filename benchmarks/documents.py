"""How fast what was taken home draws itself: a figure, beside a page with all of plotly.js, and boards."""

from itertools import cycle, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from playwright.sync_api import Browser

import attnviz
from benchmarks.board import MOVES, dragged, within_a_frame
from benchmarks.browser import detail, in_page, launched, ratio, tab
from benchmarks.rows import Row

ROUNDS = 11
BOARDS = {6: 300, 64: 300, 512: 800}  # tokens, and in how many milliseconds


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
    text = attnviz.documents.board_page(attnviz.Scenario(" ".join(islice(cycle(words), n))))
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
    ]


def _drawn(browser: Browser, file: Path, first: str = "svg text") -> float:
    page = browser.new_page()
    page.goto(file.as_uri())
    page.wait_for_selector(first)
    milliseconds = float(page.evaluate("performance.now()"))
    page.close()
    return milliseconds
