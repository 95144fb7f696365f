"""The board under the hand, in a real Chromium: scrubbing, letting go, pointing, and page load."""

from collections.abc import Callable, Sequence
from statistics import median
from urllib.parse import urlencode

from playwright.sync_api import Page, ViewportSize

from benchmarks.browser import (
    AT_HEATMAPS,
    ECHO,
    FIRST_CELL,
    LOADS,
    ROUNDS,
    SIZE,
    detail,
    in_page,
    launched,
    loaded,
    opened,
    ratio,
    slider,
    tab,
)
from benchmarks.clients.servers import OURS, STOCK, serving
from benchmarks.rows import Row, p95

FRAME_MS = 1000 / 60
DRAG_STARTS = 8  # pixels, from which on a scrub follows the hand
MOVES = 20  # of a scrub; the pointer moves on by one step with each
POINTINGS = 5  # walks over cells of all kinds
SETTINGS = {"embedding": "stable", "d_in": 8, "d_out": 8, "text": " ".join(f"word{i}" for i in range(12))}
TWELVE = "?" + urlencode(SETTINGS)
VISITS = ("nothing cached", "on reload")
LARGE: ViewportSize = {"width": 1920, "height": 1080}
SCRUBBED, WATCHED = "w_q,0,1", "q,1,1"
POINTED = ("q", "k", "v", "scores", "attention_weights", "context", "x")


def run() -> list[Row]:
    """Measure ours and the stock app in turn, round by round, so that a drift of the machine meets each alike."""
    with serving(OURS) as ours, serving(STOCK) as stock, launched() as browser:
        boards, heatmaps, stocks = [], [], []
        for server, awaited, query in ((ours, FIRST_CELL, AT_HEATMAPS), (stock, ECHO, "")):
            loaded(browser, server, awaited, query)  # a server's first reader waits for its imports
        visits: Sequence[Callable[[], object]] = (
            lambda: boards.append(_board_visits(tab(browser), ours.address)),
            lambda: heatmaps.append(loaded(browser, ours, FIRST_CELL, AT_HEATMAPS)),
            lambda: stocks.append(loaded(browser, stock, ECHO)),
        )
        for i in range(LOADS):
            for visit in visits[:: 1 if i % 2 else -1]:  # what is left of one falls to the next
                visit()
        page, large = (tab(browser, size) for size in (SIZE, LARGE))
        for each in (page, large):
            board_loaded(each, f"http://{ours.address}/{TWELVE}")
            each.wait_for_timeout(1000)
        echo, base = slider(opened(browser, stock)), list[float]()
        scrubs: list[float | None] = []
        large_scrubs: list[float | None] = []
        releases = []
        for i in range(ROUNDS + 1):
            wait = echo()
            moves, release = scrub(page, MOVES if i % 2 else -MOVES)
            large_moves, _ = scrub(large, MOVES if i % 2 else -MOVES)
            if i > 0:  # the first of each warms up
                base.append(wait)
                large_scrubs += large_moves
                scrubs += moves
                releases.append(release)
        point(large)  # warms up
        points = [move for _ in range(POINTINGS) for move in point(large)]
    return [
        ratio("letting go to torch's numbers on the board / stock echo, 12 tokens, d 8", releases, base, "<= 0.5"),
        *(
            ratio(
                f"page load to first {what} / page load of the stock app, {when}",
                [each[at] for each in times],
                [each[at] for each in stocks],
                target,
            )
            for what, times, target in (("board", boards, "<= 1.0"), ("heatmap", heatmaps, "<= 1.8"))
            for at, when in enumerate(VISITS)
        ),
        within_a_frame("scrub: move to repainted board, for 19 of 20 moves, 12 tokens, d 8", scrubs),
        within_a_frame("the same at 1920x1080", large_scrubs),
        within_a_frame("pointing at a cell to its sources lit, for 19 of 20, 12 tokens, d 8, 1920x1080", points),
        detail("letting go to torch's numbers on the board, 12 tokens, d 8", releases),
        detail("stock app, key press to echo painted, beside it", base),
        *(
            detail(f"page load to first {what}, {when}", [each[at] for each in times])
            for at, when in enumerate(VISITS)
            for what, times in (("board", boards), ("heatmap", heatmaps), ("echo of the stock app", stocks))
        ),
    ]


def within_a_frame(measure: str, moves: list[float | None]) -> Row:
    followed = [move for move in moves if move is not None]
    lost = len(moves) - len(followed)
    value = f"{p95(followed):.1f} ms (median {median(followed):.1f}, {len(moves)} moves, {lost} not followed)"
    return Row(measure, value, f"<= {FRAME_MS:.1f} ms")


def _board_visits(page: Page, address: str) -> tuple[float, float]:
    """Return the milliseconds to the first board in a browser that has cached nothing, and on reload."""
    first = board_loaded(page, f"http://{address}/")
    page.wait_for_timeout(1000)
    page.reload()
    again = float(page.wait_for_function("boardBench.board", timeout=60_000).json_value())
    page.context.close()
    return first, again


def board_loaded(page: Page, url: str) -> float:
    """Open a page and return the milliseconds to the frame that shows the board."""
    page.add_init_script(in_page("board.js"))
    page.goto(url)
    return float(page.wait_for_function("boardBench.board", timeout=60_000).json_value())


def scrub(page: Page, steps: int) -> tuple[list[float | None], float]:
    """Drag a cell by so many steps; return what each move took, and the letting go."""
    page.bring_to_front()
    moves = dragged(page, steps, f"boardBench.cell('{WATCHED}').dataset.value")
    page.evaluate("void (window.released = boardBench.release())")
    page.mouse.up()
    released = page.evaluate("released")
    page.wait_for_timeout(300)
    return moves, released


def dragged(page: Page, steps: int, seen: str) -> list[float | None]:
    """Drag a cell by so many steps and hold it there; return what each move took until another thing was `seen`."""
    page.evaluate("at => boardBench.cell(at).scrollIntoView({block: 'nearest'})", SCRUBBED)  # as on the first screen
    x, y = _middle(page, SCRUBBED)
    way = 1 if steps > 0 else -1
    page.mouse.move(x, y)
    page.mouse.down()
    x += DRAG_STARTS * way
    page.mouse.move(x, y)
    page.evaluate(f"void (window.done = boardBench.follow('pointermove', () => {seen}))")
    move_through(page, [(x + 4 * step * way, y) for step in range(1, abs(steps) + 1)])
    return list(page.evaluate("(done(), boardBench.moves)"))


def point(page: Page, rounds: int = 8) -> list[float | None]:
    """Point at cells of all kinds, one after the other; return what each took."""
    page.bring_to_front()
    places = [f"{name},{i % 6 + 1},{i * 3 % 8}" for i in range(rounds) for name in POINTED]
    page.evaluate("at => boardBench.cell(at).scrollIntoView({block: 'center'})", "scores,0,0")
    panel = "boardBench.cell('x,0,0').getRootNode().querySelector('.panel').textContent"
    page.evaluate(f"void (window.done = boardBench.follow('pointermove', () => {panel}))")
    move_through(page, [_middle(page, at) for at in places])
    return list(page.evaluate("(done(), boardBench.moves)"))


def move_through(page: Page, places: list[tuple[float, float]]) -> None:
    for place in places:
        page.mouse.move(*place)
        page.wait_for_timeout(25)


def _middle(page: Page, at: str) -> tuple[float, float]:
    box = page.evaluate("at => boardBench.box(at)", at)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
