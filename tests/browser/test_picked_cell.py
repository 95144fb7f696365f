"""A click on a heatmap's cell explains it, anywhere in the cell, and Back, reload and the link remember it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from attnviz import Scenario, explain, trace
from tests.browser.playground import Playground, eventually
from tests.whole import dear

SCORE = explain(trace(Scenario(embedding="published")), "scores", 1, 5)
SHARE = explain(trace(Scenario(embedding="published", causal=True)), "attention_weights", 5, 5)


def to_the_top(playground: Playground, matrix: str, row: int = 0, column: int = 0) -> tuple[float, float]:
    """Scroll until a heatmap is not behind the explanation; return where a cell then stands, once it stands still: an
    explanation that comes moves it, and a busy machine draws it late."""
    before = None
    while before != (now := playground.read(matrix)[row]["places"][column]):
        before = now
        playground.chart(matrix).evaluate("element => element.scrollIntoView({block: 'start'})")
        playground.page.wait_for_timeout(300)
    return now[0], now[1]


def click(playground: Playground, matrix: str, row: int, column: int, right: float = 0, down: float = 0) -> None:
    x, y = to_the_top(playground, matrix, row, column)
    playground.page.mouse.click(x + right, y + down)


def test_a_click_anywhere_in_a_cell_explains_it_and_back_and_reload_bring_it_again(playground: Playground) -> None:
    clicks = (
        ("x", 0, 2, (0, 0)), ("scores", 3, 1, (-17, -9)), ("context", 3, 1, (0, 0)), ("scores", 1, 5, (17, 9)),
    )  # fmt: skip
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


@dear
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1366, 768)])
def test_the_explanation_does_not_cover_the_cell_that_was_clicked(
    new_reader: Callable[..., Playground], width: int, height: int
) -> None:
    playground = new_reader(width, height).open()
    click(playground, "x", 0, 0)  # the explanation is there, and has its height
    playground.page.locator(".st-key-picked_cell .stText >> visible=true").first.wait_for()
    panel = playground.page.locator(".st-key-picked_cell")
    for matrix, row in (("scores", 5), ("context", 5)):
        playground.chart(matrix).evaluate(
            """(chart, row) => {  // the cell stands just above the explanation, where a longer one will cover it
              const cells = chart.querySelector(".cells").getBoundingClientRect();
              const bottom = cells.top + cells.height * (row + 1) / chart.querySelectorAll(".rows > span").length;
              const panel = document.querySelector(".st-key-picked_cell").getBoundingClientRect();
              document.querySelector("[data-testid=stMain]").scrollBy(0, bottom - panel.top + 2);
            }""",
            row,
        )
        playground.page.wait_for_timeout(300)
        x, y = playground.read(matrix)[row]["places"][0]
        playground.page.mouse.click(x, y)
        eventually(lambda: playground.address, f"?cell={matrix}.{row}.0")
        playground.settle()
        playground.page.wait_for_timeout(2500)

        def gap(matrix: str = matrix, row: int = row) -> float:
            box = panel.bounding_box()
            assert box is not None
            return box["y"] - playground.read(matrix)[row]["places"][0][1]

        assert gap() > 10, "the lower half of the cell stands above the explanation"


def test_the_hover_still_says_the_number_and_the_explanation_stays_in_sight(
    new_reader: Callable[..., Playground],
) -> None:
    playground = new_reader(1366, 768).open(cell="attention_weights.5.5", causal="true")
    assert playground.hover("x", 1, 0) == "token journey, feature 0\nX = 0.5500"
    to_the_top(playground, "scaled_scores")
    assert "masked" in playground.hover("scaled_scores", 0, 3)
    box = playground.page.locator(".st-key-picked_cell").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 768
    assert box["height"] <= 768 / 3
    expect(playground.page.get_by_text(f"{SHARE.words}.", exact=True)).to_be_visible()


@dear
def test_a_matrix_without_room_for_its_numbers_tells_them_too_and_its_cells_are_picked(
    new_reader: Callable[..., Playground],
) -> None:
    setup = {"text": " ".join(f"w{i}" for i in range(24)), "causal": "true"}
    playground = new_reader(1366, 768).open(**setup)
    score = trace(Scenario(str(setup["text"]), causal=True)).scores[20, 4].item()
    cells = playground.chart("scores").locator("canvas")
    cells.scroll_into_view_if_needed()
    box = cells.bounding_box()
    assert box is not None
    playground.page.mouse.move(box["x"] + box["width"] * 4.5 / 24, box["y"] + box["height"] * 20.5 / 24)
    expect(playground.page.locator(".tip")).to_have_text(f"query w20, key w4\nS = {score:.4f}".replace("-", "−"))
    playground.page.mouse.down()
    playground.page.mouse.up()
    playground.says("Scores, query 20 “w20”, key 4 “w4”")
