"""The board's script in a page of its own, without a server behind it: what it shows of what it is given."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

import attnviz
from attnviz import Scenario
from attnviz.board.data import board_data
from attnviz.board.script import BOARD_SCRIPT
from attnviz.words import say
from tests.browser.lone_board import PAGE


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    page = context.new_page()
    page.evaluate(
        """async source => {
          window.script = await import(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})));
        }""",
        BOARD_SCRIPT,
    )
    yield page
    context.close()


def test_a_disagreement_is_told_loudly(page: Page) -> None:
    scenario = Scenario(embedding="published")
    data = board_data(scenario, attnviz.trace(scenario), 1, 4) | {"lit": None}
    mount = """data => {
      const root = document.createElement('div');
      root.innerHTML = '<div class="board"></div>';
      document.body.replaceChildren(root);
      script.default({parentElement: root, data});
      const status = root.querySelector('.status');
      return [status.textContent, status.className, status.getAttribute('role')];
    }"""
    text, look, role = page.evaluate(mount, data)
    assert text.startswith(say("board.status.checked"))
    assert (look, role) == ("status", "note")
    data["matrices"]["attention_weights"]["values"][8] += 0.001
    text, look, role = page.evaluate(mount, data)
    where = "Attention weights, query 1 “journey”, key 2 “starts”"
    assert text == say("board.status.wrong_by", size="1e−3", where=where)
    assert (look, role) == ("status alarm plain", "alert")
    data["matrices"]["attention_weights"]["values"][8] = "NaN"  # by how much does that differ?
    text, look, role = page.evaluate(mount, data)
    assert text == say("board.status.wrong", where=where)


def test_what_is_pinned_is_told_once_and_holds_against_older_answers(page: Page) -> None:
    scenario = Scenario(embedding="published")
    page.evaluate(PAGE, "")
    picks = {"cell": "cell"}
    now = {"lit": None, "ofNow": True, "picks": picks, "picked": {"matrix": "scores", "row": 1, "column": 5}}
    data = board_data(scenario, attnviz.trace(scenario), 1, 4) | {"from": "1"} | now
    got = page.evaluate(
        """data => {
          const root = document.createElement('div');
          root.innerHTML = '<div class="board"></div>';
          document.body.replaceChildren(root);
          const receive = (changed) => script.default({
            parentElement: root, data: {...data, ...changed}});
          const chosen = () => root.querySelector('.chosen')?.dataset.at;
          const press = (key, at) => root.querySelector(at ? `[data-at="${at}"]` : '.cell')
            .dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
          receive({});
          const seen = [chosen()];
          press('Enter', 'context,2,1');
          receive({});  // sent before Python knew
          seen.push(chosen());
          receive({from: told[0].from, picked: {matrix: 'context', row: 2, column: 1}});
          seen.push(chosen());
          press('Escape');
          receive({from: told[1].from, picked: null});
          press('Escape');  // nothing is pinned any more: nothing to tell
          return [seen, chosen(), told.map(({patch}) => patch.cell)];
        }""",
        data,
    )
    assert got == [["scores,1,5", "context,2,1", "context,2,1"], None, ["context.2.1", None]]
