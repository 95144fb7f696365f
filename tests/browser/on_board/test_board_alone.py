"""The board's script in a page of its own, without a server behind it: what it shows of what it is given."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

import attnviz
from attnviz import Scenario
from attnviz.board.data import board_data
from attnviz.board.script import board_script, plane_script
from attnviz.words import say


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    page = context.new_page()
    page.evaluate(
        """async ([source, plane]) => {
          const placeOf = text => URL.createObjectURL(new Blob([text], {type: 'text/javascript'}));
          const script = await import(placeOf(source.replace('where-the-plane-is', placeOf(plane))));
          window.mount = data => { // beside what stands there
            const root = document.createElement('div');
            root.innerHTML = '<div class="board"></div>';
            document.body.append(root);
            script.default({parentElement: root, data});
            return root;
          };
        }""",
        [board_script("where-the-plane-is"), plane_script()],
    )
    yield page
    context.close()


def test_a_disagreement_is_told_loudly(page: Page) -> None:
    scenario = Scenario(embedding="published")
    data = board_data(scenario, attnviz.trace(scenario), 1, 4) | {"lit": None}
    mount = """data => {
      document.body.replaceChildren();
      const status = window.mount(data).querySelector('.status');
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


def test_of_two_boards_escape_closes_one_plane(page: Page) -> None:
    scenario = Scenario(embedding="published")
    looks = {"sentence": True, "plane": True, "tips": [], "ghosts": [], "fresh": [], "notes": {}, "framed": False}
    data = board_data(scenario, attnviz.trace(scenario), 1, 4) | {"lit": None} | looks
    page.evaluate("data => { document.body.replaceChildren(); mount(data); mount(data); }", data)
    for why in page.locator(".why").all():
        why.dispatch_event("click")
    page.evaluate("document.activeElement.blur()")
    for left in (1, 0):
        page.keyboard.press("Escape")
        expect(page.locator(".plane")).to_have_count(left)


def test_a_hundred_boards_that_came_and_went_leave_no_listener(page: Page) -> None:
    scenario = Scenario(text="the cat sat")
    data = board_data(scenario, attnviz.trace(scenario), 1, 4) | {"lit": None}
    devtools = page.context.new_cdp_session(page)

    def heard() -> int:
        window = devtools.send("Runtime.evaluate", {"expression": "window"})["result"]["objectId"]
        document = devtools.send("Runtime.evaluate", {"expression": "document"})["result"]["objectId"]
        of = [devtools.send("DOMDebugger.getEventListeners", {"objectId": each}) for each in (window, document)]
        return sum(len(each["listeners"]) for each in of)

    mount = """([data, times]) => {
      for (let time = 0; time < times; time += 1) {
        document.body.replaceChildren();
        window.mount(data);
      }
    }"""
    page.evaluate("document.body.replaceChildren()")
    page.evaluate("dispatchEvent(new Event('attnviz:away'))")
    before = heard()
    page.evaluate(mount, [data, 1])
    of_one = heard() - before
    page.evaluate(mount, [data, 100])
    assert heard() - before == 101 * of_one > 0
    page.evaluate("dispatchEvent(new Event('attnviz:away'))")
    assert heard() - before == of_one, "that which still stands there"
