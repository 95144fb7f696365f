"""The static site in a real Chromium: bytes and time of its first view, and what each step of its story takes."""

import gzip
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from threading import Thread

from playwright.sync_api import Browser, CDPSession, Page, ViewportSize

from attnviz.features.questions.questions import QUESTIONS
from attnviz.features.site.board_pages import question_page_name
from attnviz.features.site.story import STEPS
from attnviz.features.site.whole import site_files
from benchmarks.board import board_loaded
from benchmarks.browser import detail, launched, tab
from benchmarks.clients.servers import OURS, serving
from benchmarks.rows import Row

SIZE: ViewportSize = {"width": 1366, "height": 768}
VISITS, ROUNDS = 5, 4
SLOWER = 4  # times, as a cheap laptop's processor
CHANGED_MS = 600  # after which a step's change has ended, with its movements
FIRST_VIEW, QUESTIONS_SENT, DRAWN_MS, STEP_MS, SLOW_STEP_MS = 200_000, 260_000, 1000, 50, 150
OF_24 = 24  # questions, for which the target was set


def run() -> list[Row]:
    """Measure the site, and in turn with it the app's own first board."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in site_files().items():
            file = Path(folder, name)
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(content)
        with served(folder) as address, serving(OURS) as ours, launched() as browser:
            board_loaded(page := tab(browser, SIZE), f"http://{ours.address}/")  # the first reader waits for imports
            page.context.close()
            drawn, boards, sent = list[float](), list[float](), 0
            for _ in range(VISITS):
                page = tab(browser, SIZE)
                drawn.append(story_drawn(page, address))
                sent = sum(bytes_sent(page).values())
                page.context.close()
                page = tab(browser, SIZE)
                boards.append(board_loaded(page, f"http://{ours.address}/"))
                page.context.close()
            questions = questions_sent(browser, address)
            steps = {slower: steps_taken(browser, address, slower) for slower in (1, SLOWER)}
    return [
        Row("site, first view: bytes sent", f"{sent:,}", f"<= {FIRST_VIEW:,}"),
        Row(f"site, {OF_24} questions with what they share: bytes sent", f"{questions:,}", f"<= {QUESTIONS_SENT:,}"),
        Row("site, first view drawn, nothing cached (median)", f"{median(drawn):.0f} ms", f"<= {DRAWN_MS} ms"),
        detail("the app's first board beside it", boards),
        *_step_rows(steps[1], "", STEP_MS),
        *_step_rows(steps[SLOWER], f", processor {SLOWER} times slower", SLOW_STEP_MS),
    ]


def _step_rows(steps: dict[str, float], how: str, most: int) -> Iterator[Row]:
    for name, took in steps.items():
        yield Row(f"site, the story turns to “{name}”: main thread (median){how}", f"{took:.0f} ms", f"<= {most} ms")


class _Zipping(SimpleHTTPRequestHandler):
    """Serves files as hosts do, compressed."""

    def do_GET(self) -> None:
        content = gzip.compress(Path(self.translate_path(self.path)).read_bytes(), 9)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(self.path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: str) -> Iterator[str]:
    """Serve a folder; yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Zipping, directory=folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def story_drawn(page: Page, address: str) -> float:
    """Open the story; return the milliseconds until its board is drawn."""
    page.goto(f"{address}/index.html")
    marked = page.wait_for_function("performance.getEntriesByName('attnviz-drawn')[0]?.startTime")
    return float(marked.json_value())


def bytes_sent(page: Page) -> dict[str, int]:
    """Return how many bytes each file of a page took, without headers."""
    page.wait_for_load_state("load")
    sizes: dict[str, int] = page.evaluate(
        """Object.fromEntries(["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type))
          .map((each) => [each.name, each.encodedBodySize]))"""
    )
    return sizes


def questions_sent(browser: Browser, address: str) -> int:
    """Return the bytes of 24 questions, each file once."""
    sizes: dict[str, int] = {}
    page = tab(browser, SIZE)
    for question in QUESTIONS:
        page.goto(f"{address}/{question_page_name(question)}")
        sizes = bytes_sent(page) | sizes  # a file from the cache is sent once
    page.context.close()
    own = sum(size for name, size in sizes.items() if "/question-" in name)
    return round(sum(sizes.values()) - own + own * OF_24 / len(QUESTIONS))


def steps_taken(browser: Browser, address: str, slower: int) -> dict[str, float]:
    """Return the median milliseconds of main thread that the change to each step takes, by its name."""
    page = tab(browser, SIZE)
    story_drawn(page, address)
    page.locator(".steps .all").click()
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    names = [step.name for step in STEPS]
    took: dict[str, list[float]] = {name: [] for name in names}
    for at in range(ROUNDS):
        for name in [*names[1:], names[0]]:
            before = _busy(session)
            page.evaluate("name => document.getElementById(name).scrollIntoView({ behavior: 'instant' })", name)
            page.wait_for_function("name => document.querySelector('section.now').id === name", arg=name)
            page.wait_for_timeout(CHANGED_MS)
            if at:  # the first round loads what is needed
                took[name].append(_busy(session) - before)
    page.context.close()
    return {name: median(times) for name, times in took.items()}


def _busy(session: CDPSession) -> float:
    """Return the milliseconds that the main thread has been busy."""
    metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    return float(metrics["TaskDuration"]) * 1000
