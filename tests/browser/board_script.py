"""The board's own script in a page of its own, for tests of its functions."""

from collections.abc import Iterator

from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, Page

from attnviz.app.components.board import BOARD_SCRIPT
from attnviz.scripts import joined, sentences
from tests.browser.serving import ROOT

_FUNCTIONS = joined(ROOT / "tests/browser/board_functions.js", {"SENTENCES": sentences("")})
_LOAD = """async sources => {
  const [board, functions] = await Promise.all(sources.map(
    source => import(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})))));
  window.script = {...board, ...functions.script};
  window.made = data => {
    const matrices = Object.fromEntries(Object.entries(data.matrices).map(
      ([name, matrix]) => [name, {...matrix, values: Float64Array.from(matrix.values, Number)}]));
    return {...data, matrices, stages: new Map(data.stages.map(stage => [stage.name, stage]))};
  };
}"""

in_browser = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def script_page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    page = context.new_page()
    page.evaluate(_LOAD, [BOARD_SCRIPT, _FUNCTIONS])
    yield page
    context.close()
