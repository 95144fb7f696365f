"""A click on a heatmap's cell explains it, anywhere in the cell, and Back, reload and the link remember it."""

from playwright.sync_api import expect

from attnviz import Scenario, explain, trace
from tests.browser.playground import Playground, at_rest, eventually

SCORE = explain(trace(Scenario(embedding="published")), "scores", 1, 5)


def to_the_top(playground: Playground, matrix: str, row: int = 0, column: int = 0) -> tuple[float, float]:
    """Scroll until a heatmap is not behind the explanation; return where a cell then stands, once it stands still: an
    explanation that comes moves it, and a busy machine draws it late."""

    def place() -> tuple[float, float]:
        playground.chart(matrix).evaluate("element => element.scrollIntoView({block: 'start'})")
        return tuple(playground.read(matrix)[row]["places"][column])

    return at_rest(playground.page, place)


def click(playground: Playground, matrix: str, row: int, column: int, right: float = 0, down: float = 0) -> None:
    x, y = to_the_top(playground, matrix, row, column)
    playground.page.mouse.click(x + right, y + down)


def test_a_click_anywhere_in_a_cell_explains_it_and_back_and_reload_bring_it_again(playground: Playground) -> None:
    clicks = (("x", 0, 2, (0, 0)), ("scores", 3, 1, (-17, -9)), ("context", 3, 1, (0, 0)), ("scores", 1, 5, (17, 9)))
    for matrix, row, column, beside in clicks:
        click(playground, matrix, row, column, *beside)
        eventually(lambda: playground.address, f"?cell={matrix}.{row}.{column}")
        playground.settle()
    playground.says(SCORE.text)
    expect(playground.page.locator(".st-key-picked_cell .katex").first).to_be_visible()
    playground.page.reload()
    playground.says(SCORE.text)
    playground.page.go_back()
    eventually(lambda: playground.address, "?cell=context.3.1")
    playground.says("Context vectors, query 3 “with”, feature 1")
