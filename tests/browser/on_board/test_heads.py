"""Several heads on the board: one of them is in view, all follow, and the link keeps which and what was changed."""

from typing import Any

import pytest
from playwright.sync_api import expect

from attnviz import Scenario, trace
from attnviz.core.heads import in_view
from attnviz.core.matrix_input import Edit
from attnviz.explanation.head_figures import heads_in_words
from attnviz.words import say
from attnviz.words.numbers import written
from tests.browser.board import Board, way_to
from tests.browser.playground import eventually
from tests.browser.readers import New

SET_UP: dict[str, Any] = {"n_heads": 3, "n_kv_heads": 1, "d_out": 6, "output": True}
# Of the heads' pictures: which is picked, what is said of it, and a sum of its ink.
_HEADS = """all => all.map(each => {
  const canvas = each.querySelector('canvas');
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  return [each.getAttribute('aria-checked'), each.title, pixels.reduce((sum, ink) => sum + ink, 0)];
})"""
# The ribbons of the head in view, and of the others that are laid over it: what each is of all their widths.
_RIBBONS = """board => ['ribbon', 'other-0', 'other-1'].map(kind => {
  const drawn = [...board.querySelectorAll(`.ribbons .${kind}`)].filter(path => path.getAttribute('d'));
  const widths = drawn.map(path => Number(path.getAttribute('stroke-width')));
  return widths.map(width => width / widths.reduce((sum, each) => sum + each, 0));
})"""
_PICK_NEXT = """board => {
  const press = new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true});
  board.getRootNode().activeElement.dispatchEvent(press);
  return Number(board.querySelector('[data-at="q,1,4"]').dataset.value);
}"""


def numbers_seen(scenario: Scenario, head: int) -> dict[str, str]:
    """Every number that is on the board where this head is in view, by its place in the whole."""
    seen = trace(scenario).for_head(head)
    wanted = {}
    for name in in_view(seen.stages):
        stage, matrix = seen.stages[name], seen[name]
        if name == "scaled_scores":
            continue
        path = f"{name},{head}" if stage.columns == "key" else name
        for row, values in enumerate(matrix.reshape(-1, matrix.shape[-1]).tolist()):
            for column, value in enumerate(values):
                wanted[f"{path},{row},{column + stage.first}"] = written(value, 4)
    return wanted


@pytest.fixture
def board(new: New) -> Board:
    return new(Board, 1366, 768)


def ribbons(board: Board) -> list[list[float]]:
    shares: list[list[float]] = board.board.evaluate(_RIBBONS)
    return [[round(share, 4) for share in each] for each in shares]


def ink(board: Board) -> list[float]:
    return [head[2] for head in board.board.locator(".head-picture").evaluate_all(_HEADS)]


def test_one_head_is_in_view_another_is_picked_and_all_follow_a_number_that_is_dragged(board: Board) -> None:
    scenario = Scenario(embedding="published", **SET_UP)
    board.open_board(**{**SET_UP, "output": "true"}, head=1)
    eventually(board.numbers, numbers_seen(scenario, 1))
    board.torch_says()
    heads = board.page.get_by_role("radiogroup", name="Heads").get_by_role("radio")
    said = [each["full"] for each in heads_in_words(trace(scenario).for_head(1))]
    assert [head[:2] for head in board.board.locator(".head-picture").evaluate_all(_HEADS)] == [
        [str(number == 1).lower(), full] for number, full in enumerate(said)
    ]

    # Another is picked by the keyboard: with the key, before a server could have answered.
    heads.nth(1).focus()
    assert board.board.evaluate(_PICK_NEXT) == trace(scenario).heads[2].q[1, 0].item()
    eventually(board.numbers, numbers_seen(scenario, 2))
    expect(heads.nth(2)).to_be_focused()
    eventually(lambda: "head=2" in board.address, True)
    board.torch_says()

    # The ribbons of two others can be seen beside its own: widths as they read, a third takes the oldest's place.
    lays = board.page.get_by_role("group", name=say("heads.lays")).get_by_role("button")
    for head in (0, 1):
        lays.nth(head).click()
    reads = [[round(share, 4) for share in head.attention_weights[1].tolist()] for head in trace(scenario).heads]
    eventually(lambda: ribbons(board), [reads[2], reads[0], reads[1]])
    eventually(lambda: [lays.nth(head).get_attribute("aria-pressed") for head in range(3)], ["true"] * 3)
    lays.nth(0).click()
    eventually(lambda: ribbons(board), [reads[2], reads[1], []])

    # A number of its W_q is dragged: its own picture follows, and what is made of all heads.
    before, output = ink(board), board.cell(("output", 1, 0)).get_attribute("data-value")
    x, y = board.grab(board.cell(("w_q", 1, 5)))
    board.page.mouse.move(x + way_to(board.page, ("w_q", 1, 5), 90), y)
    eventually(lambda: [a != b for a, b in zip(before, ink(board), strict=True)], [False, False, True])
    eventually(lambda: board.cell(("output", 1, 0)).get_attribute("data-value") != output, True)
    board.page.mouse.up()
    number = round(scenario.matrix("w_q")[1, 5].item() + 0.9, 2)
    edited = Scenario(embedding="published", **SET_UP, edits=[Edit("w_q", 1, 5, number)])
    eventually(board.numbers, numbers_seen(edited, 2))
    board.torch_says()

    # The other heads have none of it, and what they share they have too; a reload brings all back.
    heads.nth(0).click()
    expect(board.page.locator('[data-at^="attention_weights,0,1,"]').first).to_be_in_viewport(ratio=1)
    eventually(board.numbers, numbers_seen(edited, 0))
    expect(board.page.locator(".cell.edited")).to_have_count(0)
    board.press_keys("End")
    expect(board.page.locator('.cell.edited[data-at="w_q,1,5"]')).to_have_count(1)
    eventually(lambda: "head=2" in board.address and "edits=" in board.address, True)
    board.page.reload()
    expect(board.page.locator('[data-at="output,0,0"]')).to_be_attached()
    eventually(board.numbers, numbers_seen(edited, 2))
    expect(board.page.locator('.cell.edited[data-at="w_q,1,5"]')).to_have_count(1)

    # A number of W_o, which mixes what the heads found, is dragged like any other; back where it was, it's no edit.
    board.scrub(("w_o", 1, 0), 40)
    mixed = Scenario(
        embedding="published",
        **SET_UP,
        edits=[Edit("w_q", 1, 5, number), Edit("w_o", 1, 0, round(scenario.matrix("w_o")[1, 0].item() + 0.4, 2))],
    )
    eventually(board.numbers, numbers_seen(mixed, 2))
    eventually(lambda: "w_o.1.0" in board.address, True)
    board.torch_says()
    board.scrub(("w_o", 1, 0), -40)
    eventually(board.numbers, numbers_seen(edited, 2))
    eventually(lambda: "w_o" in board.address, False)
    expect(board.page.locator(".cell.edited")).to_have_count(1)
