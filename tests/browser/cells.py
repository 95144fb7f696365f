"""The numbers of cells: in full, even if the page shows fewer digits."""

from playwright.sync_api import Locator

from attnviz.words.numbers import written
from tests.browser.playground import eventually

_BETWEEN = """all => {
  const root = all[0].getRootNode();
  const foot = root.querySelector(".panel").getBoundingClientRect().top;
  const words = root.querySelector(".sentence").getBoundingClientRect().bottom;
  const boxes = all.map(each => each.getBoundingClientRect()).filter(each => each.height);
  return boxes.length > 5 && boxes.every(({ top, bottom }) => top > Math.max(48, words) && bottom < foot);
}"""


def number_in(cell: Locator, digits: int = 4) -> str:
    """Return a cell's number, with so many digits; a masked weight as a dash."""
    value = float(cell.get_attribute("data-value") or "nan")
    return number_as(value, "masked" in (cell.get_attribute("class") or "").split(), digits)


def number_as(value: float, masked: bool, digits: int) -> str:
    return "–" if masked and value == 0 else written(value, digits)


def shows_number(cell: Locator, wanted: str) -> None:
    """Wait until a cell has this number."""
    eventually(lambda: number_in(cell), wanted)


def shows_another(cell: Locator, unwanted: str) -> None:
    """Wait until a cell has another number than this."""
    eventually(lambda: number_in(cell) != unwanted, True)


def shows_rows(board: Locator) -> None:
    """Wait until all attention weights are visible between the sentence and the dock."""
    eventually(lambda: board.locator('[data-at^="attention_weights,"]').evaluate_all(_BETWEEN), True)
