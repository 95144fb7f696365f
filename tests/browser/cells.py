"""The numbers of cells: in full, whatever has room on the page."""

from playwright.sync_api import Locator

from attnviz.words.numbers import written
from tests.browser.playground import eventually


def number_in(cell: Locator, digits: int = 4) -> str:
    """The number of a cell, with so many digits; a masked weight as a dash."""
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
