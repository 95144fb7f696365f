"""The board with many tokens, or many heads, in a real Chromium: the first picture, pointing, picking, and dragging."""

from playwright.sync_api import Browser, Page

from attnviz.words import say
from benchmarks.board import DRAG_STARTS, board_loaded, move_through, within_a_frame
from benchmarks.browser import detail, in_page, launched, tab
from benchmarks.clients.servers import OURS, serving
from benchmarks.rows import Row

CASES = ((64, 1), (64, 12), (256, 1), (512, 1))  # tokens and heads
LOADS, POINTINGS, PICKS, MOVES = 5, 4, 10, 20
FIRST_MS = {(512, 1): 600, (64, 12): 250}  # from torch's numbers to the first picture
# From then on, what comes and when the pictures of so many heads have been painted.
HEADS_SHOWN = """n => {
  Object.assign(messageBench, { largest: 0, came: 0 });
  window.headsShown = boardBench.shows(".head-picture canvas", n);
}"""
PANEL = "boardBench.cell('w_q,0,0').getRootNode().querySelector('.panel').textContent"
# Where a matrix is on the screen, as far as it is within the window.
SEEN = """name => {
  const root = boardBench.cell('w_q,0,0').getRootNode();
  const box = root.querySelector(`[data-matrix=${name}] .grid`).getBoundingClientRect();
  const end = root.querySelector('.panel').getBoundingClientRect().top;
  return [Math.max(0, box.left), Math.max(60, box.top), Math.min(innerWidth, box.right), Math.min(end, box.bottom)];
}"""


def run() -> list[Row]:
    """Measure the board of each case on a page of its own."""
    rows = []
    with serving(OURS) as ours, launched() as browser:
        _load(browser, ours.address, 6)  # the server's first reader waits for its imports
        for case in CASES:
            rows += _rows(browser, ours.address, *case)
    return rows


def _rows(browser: Browser, address: str, size: int, heads: int) -> list[Row]:
    loads = []
    for at in range(LOADS):
        page, wait, megabytes = _load(browser, address, size, heads)
        loads.append(wait)
        if at < LOADS - 1:
            page.context.close()
    page.wait_for_timeout(1500)
    what = f"{size} tokens, d 8" + (f", {heads} heads" if heads > 1 else "")
    changed = [_changed(browser, address, size, heads) for _ in range(LOADS)] if heads > 1 else []
    _point(page)  # warms up
    points = [each for _ in range(POINTINGS) for each in _point(page)]
    picks = _pick(page)
    moves, release = _drag(page)
    page.context.close()
    first = detail(f"torch's numbers to the first picture, {what}", loads)
    most, dragged = (
        FIRST_MS.get((size, heads)),
        within_a_frame(f"a number dragged to what follows of it, {what}", moves),
    )
    on_open = f"torch's numbers to the first picture, on a page that was open, one head before, {what}"
    return [
        first._replace(target=f"<= {most} ms") if most else first,
        *([detail(on_open, changed)] if changed else []),
        within_a_frame(f"pointing at a cell to its sources lit, for 19 of 20, {what}", points),
        within_a_frame(f"picking a token to its row, {what}", picks)._replace(target="<= 50 ms"),
        dragged if heads > 1 else dragged._replace(target=""),
        Row(f"letting go to torch's numbers on the board, {what}", f"{release:.0f} ms"),
        Row(f"the message with torch's numbers, {what}", f"{megabytes:.2f} MB"),
    ]


def _load(
    browser: Browser, address: str, size: int, heads: int = 1, width: int | None = None
) -> tuple[Page, float, float]:
    """Open a board; return the milliseconds from torch's numbers to its picture, and the message's megabytes."""
    page = tab(browser)
    page.add_init_script(in_page("board_large.js"))
    words = "+".join(f"word{i}" for i in range(size))
    painted = board_loaded(
        page, f"http://{address}/?embedding=stable&d_in=8&d_out={width or 8 * heads}&n_heads={heads}&text={words}"
    )
    came, largest = page.evaluate("[messageBench.came, messageBench.largest]")
    return page, painted - came, largest / 1e6


def _changed(browser: Browser, address: str, size: int, heads: int) -> float:
    """Open a board of one head and set how many there are; return the milliseconds from torch's numbers to all of
    their pictures: what a reader waits for where the app itself stands already."""
    page, _, _ = _load(browser, address, size, width=8 * heads)
    page.get_by_role("button", name=say("setup.heading"), exact=True).click()
    field = page.get_by_role("spinbutton", name=say("setup.n_heads.label"), exact=True)
    field.fill(str(heads))
    page.evaluate(f"n => void ({HEADS_SHOWN})(n)", heads)
    field.press("Enter")
    shown = float(page.evaluate("headsShown"))
    came = float(page.evaluate("messageBench.came"))
    page.context.close()
    return shown - came


def _point(page: Page) -> list[float | None]:
    """Point at cells all over the matrices that are seen; return what each took."""
    places = []
    for name in ("x", "q", "k", "scores"):
        left, top, right, bottom = page.evaluate(SEEN, name)
        places += [
            (left + (right - left) * (0.1 + 0.13 * i), top + (bottom - top) * (0.1 + 0.29 * i % 0.8)) for i in range(6)
        ]
    page.evaluate(f"void (window.done = boardBench.follow('pointermove', () => {PANEL}))")
    move_through(page, [(x, y) for x, y in places if y > 0])
    return list(page.evaluate("(done(), boardBench.moves)"))


def _pick(page: Page) -> list[float | None]:
    """Pick one token after the other with the keyboard; return what each took."""
    page.evaluate("boardBench.cell('w_q,0,0').getRootNode().querySelector('.chip.on').focus()")
    seen = "boardBench.cell('w_q,0,0').getRootNode().querySelector('.chip.on').textContent"
    page.evaluate(f"void (window.done = boardBench.follow('keydown', () => {seen}))")
    for _ in range(PICKS):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(250)
    return list(page.evaluate("(done(), boardBench.moves)"))


def _drag(page: Page) -> tuple[list[float | None], float]:
    """Drag a number of W_q; return what each move took, and the letting go."""
    box = page.evaluate("at => boardBench.box(at)", "w_q,0,1")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    x += DRAG_STARTS
    page.mouse.move(x, y)
    seen = "boardBench.cell('w_q,0,1').dataset.value"
    page.evaluate(f"void (window.done = boardBench.follow('pointermove', () => {seen}))")
    for step in range(1, MOVES + 1):
        page.mouse.move(x + 4 * step, y)
        page.wait_for_timeout(120)
    moves = page.evaluate("(done(), boardBench.moves)")
    page.evaluate("void (window.released = boardBench.release())")
    page.mouse.up()
    return moves, page.evaluate("released")
