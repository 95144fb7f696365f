"""The board in a real browser, used and read in the words of the page."""

from typing import Any, Self

from playwright.sync_api import Locator, Page, expect

from attnviz import AttentionTrace, Scenario
from attnviz.core.masks import PAINTED
from attnviz.core.stages import MASK, STAGES
from attnviz.words import say
from attnviz.words.numbers import written
from tests.browser.cells import number_as
from tests.browser.playground import Playground, box_of, eventually

Place = tuple[str, int, int]
DRAG_STARTS = 8  # pixels of movement after which a number follows the hand
REACH = 100  # pixels of a drag that change a number by the matrix's largest one, or by 1
_IN_MATRIX = "each => each.filter(cell => cell.dataset.value).map(cell => [cell.dataset.at, +cell.dataset.value])"

# Collects the cells whose text or look changes from now on.
_WATCH = """board => {
  window.touched = new Set();
  new MutationObserver(records => records.forEach(({target}) => {
    const cell = (target instanceof Element ? target : target.parentElement)?.closest('.cell');
    if (cell) touched.add(cell.dataset.at);
  })).observe(board.getRootNode(), {subtree: true, childList: true, characterData: true, attributes: true});
}"""
_READ = "all => all.map(cell => [cell.dataset.at, cell.dataset.value, cell.matches('.masked')])"
_AT = "all => all.map(cell => cell.dataset.at)"
_FOCUSED = """board => {
  const { activeElement: focused } = board.getRootNode();
  return focused?.dataset?.at ?? focused?.textContent ?? '';
}"""
# Holds back all that the page sends to the server's run, until letGo() is called.
_HOLD = """() => {
  const { send } = WebSocket.prototype;
  window.held = [];
  WebSocket.prototype.send = function (...message) { held.push(() => send.apply(this, message)); };
  window.letGo = () => {
    WebSocket.prototype.send = send;
    held.forEach((each) => each());
  };
}"""


class Board(Playground):
    """A reader's browser tab with a board in it."""

    def open_board(self, **address: Any) -> Self:
        return self.open(view="board", **address)

    # ---- what a reader does

    def point_at(self, place: Place) -> Self:
        self.cell(place).scroll_into_view_if_needed()
        self.cell(place).hover()
        return self

    def focus_on(self, place: Place) -> Self:
        self.cell(place).focus()
        return self

    def press_keys(self, *keys: str) -> Self:
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def type_over(self, place: Place, text: str, key: str = "Enter") -> Self:
        self.focus_on(place)
        self.page.keyboard.type(text)
        self.page.keyboard.press(key)
        return self

    def grab(self, what: Locator) -> tuple[float, float]:
        """Press the mouse on a cell or another element; return its middle."""
        what.scroll_into_view_if_needed()
        box = box_of(what)
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        return x, y

    def drag(self, place: Place, *steps: int) -> Self:
        """Drag a cell's number to so many hundredths more than at first, one after the other, and hold it there."""
        ways = [way_to(self.page, place, each) if each else 0.0 for each in steps]
        x, y = self.grab(self.cell(place))
        self.page.mouse.move(x + ways[0] + (DRAG_STARTS if steps[0] > 0 else -DRAG_STARTS), y)
        for way in ways:
            self.page.mouse.move(x + way, y)
        return self

    def scrub(self, place: Place, steps: int) -> Self:
        """Drag a cell's number by so many hundredths, to the nearest whole one, and let go."""
        self.drag(place, steps).page.mouse.up()
        return self

    def paste_over(self, place: Place, table: str) -> Self:
        self.focus_on(place)
        self.page.evaluate("text => navigator.clipboard.writeText(text)", table)
        self.page.keyboard.press("Control+V")
        return self

    def hold_back(self) -> Self:
        """Hold back what the page sends to its run from now on; other requests still reach the server."""
        self.page.evaluate(_HOLD)
        return self

    def let_go(self) -> Self:
        """Send all that was held back, at once."""
        self.page.evaluate("letGo()")
        return self

    # ---- what a reader sees

    @property
    def n_held(self) -> int:
        return int(self.page.evaluate("held.length"))

    @property
    def board(self) -> Locator:
        return self.page.locator(".board")

    def cell(self, place: Place) -> Locator:
        return self.page.locator(f'[data-at="{place[0]},{place[1]},{place[2]}"]')

    @property
    def matrices(self) -> dict[str, tuple[str, str, str]]:
        """The texts of each matrix: title, shape and explanation."""
        found = {}
        for matrix in self.board.locator(".matrix").all():
            name = str(matrix.locator(".cell").first.get_attribute("data-at")).partition(",")[0]
            title, shape = (matrix.locator(part).text_content() or "" for part in (".title b", ".shape"))
            found[name] = title, shape, str(matrix.locator(".title").get_attribute("title"))
        return found

    @property
    def panel(self) -> Locator:
        return self.board.locator(".panel")

    @property
    def status(self) -> Locator:
        return self.board.locator(".status")

    def button(self, name: str) -> Locator:
        return self.panel.get_by_role("button", name=name, exact=True)

    def numbers(self, digits: int = 4) -> dict[str, str]:
        """Return every cell's number, with so many digits."""
        read = self.board.locator(".cell").evaluate_all(_READ)
        return {at: number_as(float(value), masked, digits) for at, value, masked in read if value}

    @property
    def lit(self) -> list[str]:
        return sorted(self.board.locator(".source").evaluate_all(_AT))

    @property
    def chosen(self) -> list[str]:
        return list(self.board.locator(".chosen").evaluate_all(_AT))

    @property
    def focused_cell(self) -> str:
        return str(self.board.evaluate(_FOCUSED))

    def watch(self) -> Self:
        self.board.evaluate(_WATCH)
        return self

    @property
    def touched(self) -> set[str]:
        return set(self.page.evaluate("[...touched]"))

    def torch_says(self) -> Self:
        """Wait until the numbers on the board are torch's, and Python knows of every change."""
        expect(self.status).to_contain_text(say("board.status.checked"))
        expect(self.page.locator(".board.unanswered")).to_have_count(0)
        return self

    def shows_all(self, scenario: Scenario, trace: AttentionTrace, digits: int = 4) -> None:
        """Wait until every cell of every matrix has this trace's number."""
        wanted = numbers_of(trace, digits, painted=scenario.masking == PAINTED)
        eventually(lambda: self.numbers(digits), wanted)
        self.torch_says()


def way_to(page: Page, place: Place, steps: int) -> float:
    """Return how many pixels change a number by so many hundredths, to the nearest whole one."""
    values = dict(page.locator(f'.cell[data-at^="{place[0]},"]').evaluate_all(_IN_MATRIX))
    start = float(values[",".join(map(str, place))])
    return (round(start + steps / 100, 2) - start) * REACH / max(1.0, *map(abs, values.values()))


def numbers_of(trace: AttentionTrace, digits: int = 4, painted: bool = False) -> dict[str, str]:
    """Return every number of a trace that the board shows at first, a masked weight as a dash.

    The mask's numbers are among them only if it is `painted`.
    """
    wanted: dict[str, str] = {}
    for name in (*STAGES, *[MASK] * painted):
        if name == "scaled_scores":  # they take the place of scores, and only on request
            continue
        matrix: Any = getattr(trace, name)
        if matrix is None:
            continue
        for row, values in enumerate((matrix[None] if matrix.dim() == 1 else matrix).tolist()):
            for column, value in enumerate(values):
                masked = name == "attention_weights" and bool(trace.is_hidden[row, column]) and value == 0
                wanted[f"{name},{row},{column}"] = "–" if masked else written(value, digits)
    return wanted
