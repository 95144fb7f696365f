"""The board's script comes once, as a file, however often the board is drawn; and a file that doesn't come is asked for
again."""

from playwright.sync_api import Browser, Request, Route, expect

import attnviz
from attnviz.app.components.script_file import board_file, plane_file
from attnviz.words import say
from tests.browser.board import Board
from tests.browser.playground import eventually

FAILING = 3  # of the page itself, and of the board's first two tries


def test_a_script_that_does_not_come_is_asked_for_again_and_then_never_more(chromium: Browser, server: str) -> None:
    page = chromium.new_context().new_page()
    asked: list[str] = []

    def hear(request: Request) -> None:
        if board_file().name in request.url:
            asked.append(request.url)

    def fail(route: Route) -> None:
        if len(asked) <= FAILING:
            route.abort()
        else:
            route.continue_()

    page.on("request", hear)
    page.route(f"**/{board_file().name}*", fail)
    board = Board(page, server)
    page.goto(f"{server}/?example=published")
    expect(page.get_by_text(say("board.not_loaded"))).to_be_visible(timeout=60_000)
    board.torch_says()
    expect(page.get_by_text(say("board.not_loaded"))).to_have_count(0)
    lesson = page.locator(".st-key-lesson-board .board > *").first  # its first step has no cell
    before = len(asked)
    assert before == FAILING + 1
    board.go_to("Lesson")
    lesson.wait_for(state="attached")
    board.go_to("Explore")
    lesson.wait_for(state="detached")
    page.locator(".board .cell").first.wait_for(state="attached")
    assert len(asked) == before
    page.unroute(f"**/{board_file().name}*")
    asked.clear()
    page.goto(f"{server}/lesson")  # read anew: the page tells of it, the board takes what is there
    lesson.wait_for(state="attached")
    assert asked == [f"{server}/{board_file().address}"]
    page.context.close()


def test_the_planes_script_comes_with_the_first_hand_that_is_near_and_is_asked_for_again(
    chromium: Browser, server: str
) -> None:
    page = chromium.new_context().new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if plane_file().name in request.url else None)
    page.route(f"**/{plane_file().name}*", lambda route: route.abort() if len(asked) < 3 else route.continue_())
    board = Board(page, server)
    page.goto(f"{server}/?example=published&query=1")
    board.torch_says()
    assert asked == []
    why = board.board.locator(".why")
    why.hover()
    eventually(lambda: len(asked), 1)
    why.click()
    expect(board.panel).to_contain_text(say("board.not_loaded"))
    for _ in range(2):  # it's closed, and asked for again
        why.click()
    expect(board.board.locator(".plane .word").first).to_be_visible()
    assert len(asked) == 3
    page.context.close()


_VIEWED = """async ([source, state]) => {
  const script = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const { render } = await script.default();
  const heard = new Set();
  const on = (name, act) => heard.add(act);
  const model = { get: (name) => state[name], set() {}, save_changes() {}, on, off: (name, act) => heard.delete(act) };
  const el = document.body.appendChild(document.createElement("div"));
  const end = await render({ model, el });
  const drawn = el.childElementCount;
  end();
  return [drawn, heard.size, el.childElementCount, document.fonts.size];
}"""


def test_a_view_in_a_notebook_leaves_nothing_behind_but_its_letters(chromium: Browser) -> None:
    widget = attnviz.show_board("the cat sat")
    page = chromium.new_context(offline=True).new_page()
    assert page.evaluate(_VIEWED, [widget._esm, {"query": widget.query, "data": widget.data}]) == [1, 0, 0, 1]
    page.context.close()
