"""How fast a figure that was taken home draws itself, beside a page with all of plotly.js."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from playwright.sync_api import Browser

import attnviz
from benchmarks.browser import detail, launched, ratio
from benchmarks.rows import Row

ROUNDS = 11


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
        ]


def _drawn(browser: Browser, file: Path) -> float:
    page = browser.new_page()
    page.goto(file.as_uri())
    page.wait_for_selector(".heatmap-label text")
    milliseconds = float(page.evaluate("performance.now()"))
    page.close()
    return milliseconds
