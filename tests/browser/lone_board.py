"""A board alone in a page, without a server, and a reader who uses it."""

from base64 import b64encode

from playwright.sync_api import Browser, Page, expect

import attnviz
from attnviz import Scenario
from attnviz.app.components.script_file import app_letters
from attnviz.board.data import board_data
from attnviz.board.script import BOARD_STYLE, board_script, plane_script
from attnviz.colours.palette import LETTERS
from attnviz.core.changes import changes_of
from attnviz.link.changes_text import encode_changes
from tests.browser.board import Board, Place

W_Q = ("w_q", 0, 0)
# The app's own font, because it decides whether numbers fit.
LETTERS_AS_CSS = (
    f"@font-face {{ font-family: '{LETTERS}'; font-weight: 200 900; "
    f"src: url(data:font/woff2;base64,{b64encode(app_letters() or b'').decode()}) format('woff2'); }}"
)
_PLANE = "where-the-plane-is"
_MOUNT = """async ([source, plane, style, data]) => {
  const placeOf = (text) => URL.createObjectURL(new Blob([text], {type: 'text/javascript'}));
  const script = await import(placeOf(source.replace('where-the-plane-is', placeOf(plane))));
  const root = document.body.attachShadow({mode: 'open'});
  root.innerHTML = '<style></style><div class="board"></div>';
  root.firstChild.textContent = style;
  window.receive = (changed) => script.default({parentElement: root, data: {...data, ...changed}});
  receive({});
}"""
# A page that records what its board tells it: each change of its query, with the edits that this changes.
PAGE = """edits => {
  const parts = (text) => new Map((text ? text.split('*') : []).map((part) => {
    const [matrix, row, column, ...value] = part.split('.');
    const edit = {matrix, row: Number(row), column: Number(column), value: Number(value.join('.'))};
    return [[matrix, row, column].join(), edit];
  }));
  window.told = [];
  window.attnvizAddress = {
    query: edits ? `edits=${edits}` : '', version: 1,
    get mark() { return String(this.version); },
    versionOf(mark) { return Number(mark); },
    change(patch) {
      const query = new URLSearchParams(this.query);
      const before = parts(query.get('edits'));
      for (const [name, text] of Object.entries(patch)) text === null ? query.delete(name) : query.set(name, text);
      const now = parts(query.get('edits'));
      if (String(query) === this.query) return this.version;
      this.query = String(query);
      this.version += 1;
      const gone = [...before].filter(([cell]) => !now.has(cell)).map(([, edit]) => ({...edit, value: null}));
      const changed = [...now].filter(([cell, {value}]) => before.get(cell)?.value !== value).map(([, edit]) => edit);
      told.push({patch, edits: [...gone, ...changed], from: this.mark});
      return this.version;
    },
  };
}"""

LIGHT = "--st-text-color: #1a1d21; --st-background-color: #ffffff; background: #ffffff"
DARK = "--st-text-color: #eceff3; --st-background-color: #14171c; background: #14171c"


class LoneBoard(Board):
    """A board and its reader, without a Python that answers."""

    def __init__(self, page: Page) -> None:
        super().__init__(page, server="")

    def chooses(self, place: Place) -> None:
        """Wait until this cell is the one explained."""
        expect(self.page.locator(".chosen")).to_have_attribute("data-at", ",".join(map(str, place)))

    @property
    def told(self) -> list[list[tuple[str, float | None]]]:
        """The edits that the board told the page, change by change."""
        sent = self.page.evaluate("told.map(({edits}) => edits)")
        return [[(f"{e['matrix']},{e['row']},{e['column']}", e["value"]) for e in edits] for edits in sent]


def mounted(browser: Browser, scenario: Scenario, style: str = "", /, **data: object) -> Page:
    page = browser.new_context(viewport={"width": 1366, "height": 900}, reduced_motion="reduce").new_page()
    page.set_content(f"<style>{LETTERS_AS_CSS} body {{ font: 14px '{LETTERS}', sans-serif; {style} }}</style>")
    page.evaluate(f"document.fonts.load('14px {LETTERS}')")
    own = board_data(scenario, attnviz.trace(scenario), 1, 4) | {"from": "1", "lit": None} | data
    page.evaluate(PAGE, encode_changes(changes_of(scenario)))
    page.evaluate(_MOUNT, [board_script(_PLANE), plane_script(), BOARD_STYLE, own])
    return page
