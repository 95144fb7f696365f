"""What a person waits for, in a real Chromium: from the key press to the repainted page."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from playwright.sync_api import Browser, Locator, Page, ViewportSize, sync_playwright

from attnviz.scripts import joined
from attnviz.words import say
from benchmarks.clients.servers import OURS, STOCK, Server, serving
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
# With these vectors, a change of the seed changes X too, and so all eight matrices.
SIX_TOKENS = AT_HEATMAPS + "&embedding=stable"
THIRTY_TWO = SIX_TOKENS + "&d_in=8&d_out=8&text=" + "+".join(f"word{i}" for i in range(32))
_CHROMIUM = Path(__file__).parents[1].joinpath(".ci/browsers").read_text().split()


class Wait(NamedTuple):
    total: float  # milliseconds from the key press until the last change of what is watched has been painted
    before_sending: float  # of those, until the browser told the server
    changed: int  # how many of the watched elements did

    @property
    def after_sending(self) -> float:
        return self.total - self.before_sending


class Measured(NamedTuple):
    """A way to change something on an open page, and the waits that it took."""

    change: Callable[[int], Wait]
    waits: list[Wait]


def run() -> list[Row]:
    """Measure all changes in turn, round by round, so that a drift of the machine meets each alike."""
    with serving(OURS) as ours, serving(STOCK) as stock, launched() as browser:
        pages = [opened(browser, ours, query) for query in (SIX_TOKENS, THIRTY_TWO)]
        echo = Measured(slider(opened(browser, stock)), [])
        keys = [Measured(_seed(page), []) for page in pages]
        edits = [Measured(_cell(page), []) for page in pages]
        for i in range(ROUNDS + 1):
            for measured in (echo, *keys, *edits):
                wait = measured.change(i)
                if i > 0:  # the first of each warms up
                    measured.waits.append(wait)
    return _rows(echo.waits, [key.waits for key in keys], [edit.waits for edit in edits])


def _rows(echo: list[Wait], keys: list[list[Wait]], edits: list[list[Wait]]) -> list[Row]:
    sizes = (("6 tokens", "<= 2.0"), ("32 tokens, d 8", "<= 3.5"))
    base = [wait.total for wait in echo]
    ratios, details = [], [detail("stock app, key press to echo painted", base)]
    for (size, target), key, edit in zip(sizes, keys, edits, strict=True):
        total, after = [wait.total for wait in key], [wait.after_sending for wait in edit]
        least = min(wait.changed for wait in key)
        ratios.append(ratio(f"key press to {least} heatmaps repainted / stock echo, {size}", total, base, target))
        ratios.append(
            ratio(f"cell edit to heatmaps repainted, less the editor's wait / stock echo, {size}", after, base, target)
        )
        editor = median(wait.before_sending for wait in edit)
        details.append(detail(f"key press to heatmaps repainted, {size}", total))
        details.append(detail(f"cell edit, sent to repainted (the editor waited {editor:.0f} ms), {size}", after))
    return ratios + details


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


def slider(page: Page) -> Callable[[int], Wait]:
    def change(_: int) -> Wait:
        page.bring_to_front()
        page.locator("input[type=range]").focus()
        return _press(page, "ArrowRight", ECHO)

    return change


def setup_seed(page: Page) -> Locator:
    """Open the set-up, which covers no table, and return its seed."""
    page.get_by_role("button", name=say("setup.heading"), exact=True).click()
    seed = page.get_by_label(say("setup.seed.label"), exact=True)
    seed.wait_for()
    return seed


def _seed(page: Page) -> Callable[[int], Wait]:
    seed = setup_seed(page)

    def change(_: int) -> Wait:
        page.bring_to_front()
        seed.focus()
        return _press(page, "ArrowUp", HEATMAPS)

    return change


def _cell(page: Page) -> Callable[[int], Wait]:
    def change(i: int) -> Wait:
        page.bring_to_front()
        corner = page.get_by_test_id("stDataFrame").bounding_box()
        assert corner is not None
        page.mouse.click(corner["x"] + 100, corner["y"] + 50)  # the first row's first cell
        page.keyboard.press("Enter")
        page.wait_for_timeout(200)  # the cell's text box takes a moment to come, and then drops keys that follow fast
        page.keyboard.type(f"0.{i + 1:02}", delay=30)
        page.wait_for_timeout(200)
        return _press(page, "Enter", HEATMAPS)

    return change


def _press(page: Page, key: str, watched: str) -> Wait:
    """Press a key and return what it took until the page was quiet again."""
    page.evaluate("([selector, key]) => void bench.arm(selector, key)", [watched, key])
    page.keyboard.press(key)
    page.wait_for_function(f"bench.painted && performance.now() - bench.changed > {QUIET_MS}", timeout=30_000)
    # A repainted heatmap is a new element: those that it took the place of are not counted.
    touched = "[...bench.touched].filter((holder) => holder.isConnected).length"
    pressed, sent, painted, changed = page.evaluate(f"[bench.pressed, bench.sent, bench.painted, {touched}]")
    _wait_for_end_of_run(page)
    # Where the numbers were asked for beside the runs, they may be there before any run is.
    return Wait(painted - pressed, (sent or pressed) - pressed, changed)


def _wait_for_end_of_run(page: Page) -> None:
    # The slower the server, the longer ours waits for the hand to rest before it asks for a run.
    page.wait_for_function("window.attnvizAddress?.heard ?? true", timeout=60_000)
    page.locator("[data-test-script-state=notRunning]").wait_for(timeout=60_000)
    page.wait_for_timeout(300)  # the page settles
