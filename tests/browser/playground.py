"""The playground in a real browser, used and read in the words of the page."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, Self
from urllib.parse import urlencode

from playwright.sync_api import ConsoleMessage, Error, Locator, Page, TimeoutError, expect

from attnviz.app.entry.main import DOORS
from attnviz.published import OPENING
from attnviz.words import say
from tests.browser.drawn_twice import wait_for_one
from tests.golden import with_the_published

SECONDS = 60  # most time for anything, even on a busy machine
# Title of a page -> title of the door (menu) that leads to it.
DOOR_OF = {
    say(f"app.{page}.title"): say(f"app.doors.{door}") for door, pages in DOORS.items() if door for page in pages
}
expect.set_options(timeout=SECONDS * 1000)
wait_for_one(SECONDS)

# Buttons in the set-up's panel.
_IN_SETUP = [say(f"setup.{name}") for name in ("same_seed", "new_seed", "start_over", "show_hidden")]


# Reads the labels and cells of a heatmap, row by row.
_READ_OWN = """figure => {
  const box = element => element.getBoundingClientRect();
  const middle = element => (box(element).top + box(element).bottom) / 2;
  const cells = [...figure.querySelectorAll('.cells > span')].map(
    cell => ({y: middle(cell), x: box(cell).left + box(cell).width / 2, text: cell.textContent}));
  return [...figure.querySelectorAll('.rows > span')].map(label => {
    const y = middle(label);
    const inRow = cells.filter(cell => Math.abs(cell.y - y) < 8);
    return {
      label: label.textContent,
      cells: inRow.map(cell => cell.text),
      places: inRow.map(cell => [cell.x, cell.y]),
    };
  });
}"""

_ALL_DRAWN = """() => {
  const charts = [...document.querySelectorAll('.stPlotlyChart')];
  const boards = [...document.querySelectorAll('[class*=-board] [data-testid=stBidiComponentIsolated]')];
  const heatmaps = [...document.querySelectorAll(
    ':is([class*=-heatmaps], [class*=-compare-]) [data-testid=stBidiComponentIsolated]')];
  const drawn = charts.length + boards.length + heatmaps.length > 0
    && charts.every(chart => chart.querySelector('.ytick'))
    && heatmaps.every(each => {
      const cells = [...each.shadowRoot?.querySelectorAll('figure .cells > *') ?? []];
      return cells.length > 0 && cells.every(cell => cell.textContent || cell.width !== 300);
    }) && boards.every(board => board.shadowRoot?.querySelector('.cell'));
  const all = [...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')];
  const head = all.some(each => each.shadowRoot?.querySelector('.weights :is(td[data-value], canvas), .row-bars i'));
  const others = document.querySelector('[data-testid=stAlert], svg[role=img], [class*=st-key-check_]');
  return drawn || (head && !boards.length) || others !== null;
}"""

_FRAMES = """() => new Promise(done => {
  const wait = left => (left ? requestAnimationFrame(() => wait(left - 1)) : done());
  wait(3);
})"""

# To another page and query in the place of those that are open.
_TURN = """([to, opening]) => {
  const { pathname, searchParams } = new URL(to, location.href), address = window.attnvizAddress;
  const says = [...address.controls, "edits", "example"].some(name => searchParams.has(name));
  if (!says) searchParams.set("example", opening);
  searchParams.sort();
  address.path = pathname;
  address.become(String(searchParams));
  address.write("replace");
  address.leads = true;
  address.announce();
  address.send();
}"""

_IS_DARK = "app => getComputedStyle(app).backgroundColor.match(/\\d+/g).every(part => part < 50)"

_FOCUSED = """() => {
  let element = document.activeElement;
  while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  if (element === document.body) return '';
  const name = element.getAttribute('aria-label') || element.labels?.[0]?.textContent || element.textContent;
  return element.tagName === 'CANVAS' ? 'matrix editor' : name.trim();
}"""


def eventually(read: Callable[[], Any], wanted: Any, seconds: float = SECONDS) -> None:
    """Wait until what `read` returns from the page is as wanted."""
    deadline = time.monotonic() + seconds
    seen = read()
    while seen != wanted and time.monotonic() < deadline:
        time.sleep(0.05)
        seen = read()
    assert seen == wanted, f"{seen!r} on the page, expected {wanted!r}"


def holds(page: Page, expression: str) -> None:
    """Wait until an expression holds on a page; its security policy keeps `wait_for_function` from polling."""

    def read() -> bool:
        try:
            return bool(page.evaluate(expression))
        except Error:  # the page is being left for another one
            return False

    eventually(read, True)


def at_rest(page: Page, read: Callable[[], Any]) -> Any:
    """Read something from a page until it's the same twice, so that loading and layout have ended."""
    before, now = None, read()
    while now != before:
        page.wait_for_timeout(150)
        before, now = now, read()
    return now


@contextmanager
def named(*where: object) -> Iterator[None]:
    """Have what fails say in which window, state or place of several it does."""
    try:
        yield
    except (AssertionError, Error) as error:
        error.add_note(f"here: {', '.join(map(str, where))}")
        raise


def is_laid(page: Page) -> None:
    """Wait until a page has drawn three frames: what another window asks for is laid in the first two."""
    page.evaluate(_FRAMES)


def box_of(what: Locator) -> Any:
    """Return an element's box once it has come to rest."""
    box = at_rest(what.page, what.bounding_box)
    assert box is not None
    return box


class Playground:
    """A reader's browser tab with the playground, which opens at its heatmaps by default."""

    def __init__(self, page: Page, server: str) -> None:
        self.page = page
        self.server = server
        self.errors: list[str] = []
        self.dialogs: list[str] = []
        self.changed = False  # whether the tab has a script or a route that a later reader mustn't have
        page.set_default_timeout(SECONDS * 1000)
        self._heard: dict[Any, Callable[[Any], None]] = {
            "console": self._hear, "pageerror": lambda error: self._note(str(error)), "dialog": self._dismiss
        }  # fmt: skip
        for event, hear in self._heard.items():
            page.on(event, hear)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":  # among them requests for what the server doesn't have
            self._note(message.text)

    def _note(self, error: str) -> None:
        # The machine's own network came or went, which isn't the page's fault.
        if "ERR_NETWORK_CHANGED" not in error:
            self.errors.append(error)

    def _dismiss(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    # ---- what a reader does

    def open(self, path: str = "/", view: str | None = None, **address: Any) -> Self:
        """Open a page with this address, and with the published example unless it says something else."""
        view = view or ("heatmaps" if path == "/" else "board")
        if view != "board":
            address["view"] = view
        return self.go(path, **with_the_published(address))

    def go(self, path: str = "/", **address: Any) -> Self:
        """Open a page with this address and nothing else."""
        query = f"?{urlencode(address)}" if address else ""
        for _ in range(3):
            try:
                self.page.goto(f"{self.server}{path}{query}")
                self.page.wait_for_selector("[data-testid=stApp]")
                break
            except Error:  # a change of the machine's network interrupts loading
                continue
        return self.settle()

    def turn_to(self, path: str) -> Self:
        """Come to another address from within the app, in a third of a load's time; a bare one is the opening's."""
        self.page.evaluate(_TURN, [path, OPENING])
        # Back at once where nothing is drawn anew.
        holds(self.page, "window.attnvizAddress?.answered === true")
        return self.settle()

    def leave(self) -> None:
        """Stop recording the tab's errors and dialogs."""
        for event, hear in self._heard.items():
            self.page.remove_listener(event, hear)

    def settle(self) -> Self:
        """Wait until the server's run has ended and its results are drawn."""
        holds(self.page, "window.attnvizAddress?.pending !== true")
        self.page.wait_for_selector('[data-test-script-state="notRunning"]')
        holds(self.page, _ALL_DRAWN)
        return self

    @contextmanager
    def setting_up(self) -> Iterator[None]:
        """Open the set-up if it's closed, and close it again, because it covers a part of the page."""
        was_open = self.setup_is_open
        if not was_open:
            self.setup_button.click()
        yield
        if not was_open and self.setup_is_open:
            self.setup_button.click()

    @contextmanager
    def _where_it_is(self, control: Locator) -> Iterator[None]:
        """Open the set-up for a control that is inside it."""
        control.first.wait_for(state="attached")
        hidden = control.first.evaluate("e => e.closest('.st-key-setup') !== null") and not self.setup_is_open
        with self.setting_up() if hidden else nullcontext():
            yield

    def type_sentence(self, text: str) -> Self:
        return self.set_number("Sentence", text)

    def set_number(self, label: str, value: object) -> Self:
        box = self.page.get_by_label(label, exact=True)
        with self._where_it_is(box):
            box.fill(str(value))
            box.press("Enter")
        return self

    def switch(self, label: str) -> Self:
        """Turn a switch on or off."""
        switch = self.page.locator("label").filter(has_text=label)
        with self._where_it_is(switch):
            switch.click()
        return self

    def press(self, label: str) -> Self:
        button = self.page.get_by_role("button", name=label, exact=True)
        if label in _IN_SETUP:
            with self.setting_up():
                button.click()
        else:
            button.click()
        return self

    def look_at(self, symbol: str) -> Self:
        """Choose a matrix for the editor to show."""
        self.page.get_by_test_id("stButtonGroup").get_by_text(symbol, exact=True).click()
        self.page.wait_for_selector(f"[data-testid=stDataFrameResizable][aria-label^='{symbol}']")
        return self

    def edit(self, row: int, column: int, value: object) -> Self:
        """Type into a cell of the editor's matrix, reached by arrow keys from the last column, whose place is known."""
        grid, keyboard = self.page.locator("[data-testid=stDataFrame] table[role=grid]"), self.page.keyboard
        n_rows, n_columns = (int(grid.get_attribute(f"aria-{axis}count") or 0) - 1 for axis in ("row", "col"))
        for _ in range(5):
            self.canvas.scroll_into_view_if_needed()
            box = box_of(self.canvas)
            self.page.mouse.click(box["x"] + box["width"] - 12, box["y"] + box["height"] / (n_rows + 1) * (row + 1.5))
            with suppress(TimeoutError):  # the editor was redrawn just then, so the click was lost
                self._is_selected(row, n_columns - 1)
                for to in range(n_columns - 2, column - 1, -1):
                    keyboard.press("ArrowLeft")
                    self._is_selected(row, to)
                break
        self.page.wait_for_timeout(200)  # the editor takes a moment to apply the selection ...
        if self.cell_input.count() == 0:
            keyboard.press("Enter")
        self.cell_input.wait_for()
        self.page.wait_for_timeout(200)
        keyboard.press("Control+A")
        keyboard.type(str(value))
        self.page.wait_for_timeout(200)  # ... and the typed text
        keyboard.press("Enter")
        return self

    def _is_selected(self, row: int, column: int) -> None:
        selected = f"[data-testid=glide-cell-{column + 1}-{row}][aria-selected=true]"
        self.page.locator(selected).wait_for(state="attached", timeout=3000)
        if self.cell_input.count():  # a click on a cell that is already selected opens it
            self.page.keyboard.press("Escape")
            expect(self.cell_input).to_have_count(0)

    def pick(self, token: str) -> Self:
        self.chip(token).click()
        return self

    def hover(self, matrix: str, row: int, column: int) -> str:
        """Point at a cell and return the text that appears."""
        self.chart(matrix).scroll_into_view_if_needed()
        x, y = self.read(matrix)[row]["places"][column]
        self.page.mouse.move(x - 3, y - 3)
        self.page.mouse.move(x, y)
        label = self.page.locator(".st-key-playground-heatmaps .tip")
        label.wait_for()
        return label.text_content() or ""

    def go_to(self, page: str) -> Self:
        """Go to a page by its title, through its door (menu); to Compare, which has none, as the app does."""
        if page == say("app.compare.title"):
            self.page.evaluate("attnvizAddress.go('compare')")
            return self
        link = self.page.get_by_test_id("stTopNav").get_by_role("link", name=page)
        if link.count() == 0:
            self.page.get_by_role("button", name=DOOR_OF[page], exact=True).click()
            link = self.page.get_by_test_id("stTopNavPopover").get_by_role("menuitem", name=page)
        link.click()
        return self

    def darken(self) -> Self:
        """Prefer a dark page from now on."""
        self.page.emulate_media(color_scheme="dark")
        eventually(lambda: self.page.get_by_test_id("stApp").evaluate(_IS_DARK), True)
        return self

    def tab(self) -> str:
        """Press Tab and return the name of the element that has the focus now."""
        self.page.keyboard.press("Tab")
        return self.focused

    # ---- what a reader sees

    @property
    def setup_button(self) -> Locator:
        return self.page.get_by_role("button", name=say("setup.heading"), exact=True)

    @property
    def setup_is_open(self) -> bool:
        return self.setup_button.get_attribute("aria-expanded") == "true"

    @property
    def canvas(self) -> Locator:
        return self.page.locator("[data-testid=stDataFrame] canvas").first

    @property
    def cell_input(self) -> Locator:
        """The input of an open cell."""
        return self.page.locator("#portal :is(input, textarea)")

    @property
    def chips(self) -> Locator:
        """The tokens, one of which is picked as query."""
        return self.page.get_by_role("radiogroup", name="Query token").get_by_role("radio")

    def chip(self, token: str) -> Locator:
        return self.page.get_by_role("radiogroup", name="Query token").get_by_role("radio", name=token, exact=True)

    def chart(self, matrix: str) -> Locator:
        return self.page.locator(f"figure[data-matrix={matrix}]")

    def read(self, matrix: str) -> list[dict[str, Any]]:
        """Return the rows of a heatmap; none while the server computes new ones."""
        drawn = self.page.locator(f".st-key-playground-heatmaps[data-stale=false] figure[data-matrix={matrix}]")
        return list(drawn.evaluate(_READ_OWN)) if drawn.count() else []

    def labels(self, matrix: str) -> list[str]:
        return [row["label"] for row in self.read(matrix)]

    def cells(self, matrix: str) -> list[list[str]]:
        return [row["cells"] for row in self.read(matrix)]

    def says(self, text: str) -> None:
        """Wait until the page says this somewhere."""
        expect(self.page.get_by_text(text).first).to_be_visible()

    @property
    def link(self) -> str:
        """All parameters in the address; blank if it only names the published set-up."""
        # Playwright's own page.url lags behind by one change.
        query = str(self.page.evaluate("decodeURIComponent(location.search)"))
        return "" if query == "?example=published" else query

    @property
    def address(self) -> str:
        """The parameters in the address without the view, with which the page was opened, and without the published
        example, which is named if there is nothing else to say."""
        parts = self.link.removeprefix("?").split("&")
        others = [part for part in parts if part and not part.startswith("view=") and part != "example=published"]
        return f"?{'&'.join(others)}" if others else ""

    @property
    def focused(self) -> str:
        return str(self.page.evaluate(_FOCUSED))

    @property
    def sideways(self) -> int:
        """The pixels by which the page is wider than the window."""
        # Both the document and the page's main part within it can scroll.
        return int(
            self.page.evaluate(
                "Math.max(...[document.scrollingElement, document.querySelector('.stMain')]"
                ".filter(Boolean).map(each => each.scrollWidth - each.clientWidth))"
            )
        )
