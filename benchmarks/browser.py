"""What a person waits for, in a real Chromium: from the key press to the repainted page."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from attnviz.scripts import joined
from benchmarks.clients.servers import Server
from benchmarks.rows import Row, p95

ROUNDS = 6
LOADS = 20
SIZE: ViewportSize = {"width": 1440, "height": 1000}
QUIET_MS = 400  # a page that has not changed for so long has been repainted
HEATMAPS = "figure[data-matrix]"
FIRST_CELL = f"{HEATMAPS} .cells > [style]"
# The view is chosen explicitly: the first page shows the board.
AT_HEATMAPS = "?view=heatmaps"
ECHO = "[data-testid=stText]"
_CHROMIUM = Path(__file__).parents[1].joinpath(".ci/browsers").read_text().split()


def ratio(measure: str, above: Sequence[float], below: Sequence[float], target: str = "") -> Row:
    return Row(measure, f"{median(a / b for a, b in zip(above, below, strict=True)):.2f}", target)


def detail(measure: str, milliseconds: Sequence[float]) -> Row:
    return Row(measure, f"{median(milliseconds):.0f} ms (p95 {p95(milliseconds):.0f})")


def in_page(script: str) -> str:
    """Return a script that measures in the page."""
    return joined(Path(__file__).parent / "scripts" / script)


@contextmanager
def launched() -> Iterator[Browser]:
    system = next(filter(None, map(shutil.which, _CHROMIUM)), None)  # else the one that Playwright installed
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=system, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


def tab(browser: Browser, size: ViewportSize = SIZE) -> Page:
    """Return a tab in which nothing is cached, and in which Playwright may evaluate what it waits for."""
    return browser.new_context(viewport=size, bypass_csp=True).new_page()


def opened(browser: Browser, server: Server, query: str = "") -> Page:
    page = tab(browser)
    page.add_init_script(in_page("measure.js"))
    page.goto(f"http://{server.address}/{query}")
    _wait_for_end_of_run(page)
    return page


def loaded(browser: Browser, server: Server, awaited: str, query: str = "") -> tuple[float, float]:
    """Return the milliseconds until an element has been painted: in a browser that has cached nothing, and on
    reload."""
    page = tab(browser)
    page.add_init_script(in_page("measure.js") + f"\nbench.awaited = {awaited!r};")
    page.goto(f"http://{server.address}/{query}")
    first = page.wait_for_function("bench.loaded", timeout=60_000).json_value()
    page.wait_for_timeout(1000)
    page.reload()
    again = page.wait_for_function("bench.loaded", timeout=60_000).json_value()
    page.context.close()
    return float(first), float(again)


def slider(page: Page) -> Callable[[], float]:
    def change() -> float:
        page.bring_to_front()
        page.locator("input[type=range]").focus()
        return _press(page, "ArrowRight", ECHO)

    return change


def _press(page: Page, key: str, watched: str) -> float:
    """Press a key; return the milliseconds until the last change of what is watched has been painted."""
    page.evaluate("([selector, key]) => void bench.arm(selector, key)", [watched, key])
    page.keyboard.press(key)
    page.wait_for_function(f"bench.painted && performance.now() - bench.changed > {QUIET_MS}", timeout=30_000)
    _wait_for_end_of_run(page)
    return float(page.evaluate("bench.painted - bench.pressed"))


def _wait_for_end_of_run(page: Page) -> None:
    # The slower the server, the longer ours waits for the hand to rest before it asks for a run.
    page.wait_for_function("window.attnvizAddress?.answered ?? true", timeout=60_000)
    page.locator("[data-test-script-state=notRunning]").wait_for(timeout=60_000)
    page.wait_for_timeout(300)  # the page settles
