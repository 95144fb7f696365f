"""Who reads the picked word: the switch that turns ribbons, shares and sentence to the column of attention weights."""

from playwright.sync_api import expect

from attnviz.core.scenario import traced
from attnviz.published import starting_points
from attnviz.words import say
from tests.browser.board import Board
from tests.browser.playground import at_rest, eventually
from tests.browser.readers import New

CAT_AT = 2
# The cells that stand in the frame of the picked column.
_FRAME = """frame => {
  if (!frame.checkVisibility({visibilityProperty: true})) return [];
  const around = frame.getBoundingClientRect();
  const inside = ({left, right, top, bottom}) => left >= around.left && right <= around.right
    && top >= around.top && bottom <= around.bottom;
  const cells = [...frame.getRootNode().querySelectorAll('.cell')];
  return cells.filter(cell => inside(cell.getBoundingClientRect())).map(cell => cell.dataset.at);
}"""
_WIDTHS = "all => all.map(each => parseFloat(each.getAttribute('stroke-width')))"


def test_a_switch_shows_who_reads_the_picked_word_and_keys_reach_it(new: New) -> None:
    board = new(Board).open_board(example="fluffy-cat", query=CAT_AT)
    board.torch_says()
    weights = traced(starting_points()["fluffy-cat"].scenario).attention_weights
    says, shares = board.board.locator(".says b"), board.board.locator(".share")
    row, frame = shares.all_inner_texts(), board.board.locator(".picked-column")
    switch = board.board.get_by_role("button", name=say("board.sentence.readers"))
    eventually(lambda: frame.evaluate(_FRAME), [])
    board.board.locator(".chip").nth(CAT_AT).focus()
    board.press_keys("r")
    expect(switch).to_be_visible()
    expect(says).to_have_text(say("board.read_by.most", token="cat", names="“fluffy”", weight="61 %"))
    column = weights[:, CAT_AT].tolist()
    eventually(shares.all_inner_texts, [f"{100 * share:.0f} %" for share in column])
    ribbons = at_rest(board.page, lambda: board.board.locator(".ribbon").evaluate_all(_WIDTHS))
    assert [round(width / ribbons[1], 3) for width in ribbons] == [round(share / column[1], 3) for share in column]
    eventually(lambda: frame.evaluate(_FRAME), [f"attention_weights,{row},{CAT_AT}" for row in range(6)])

    # It follows another word, and a hand that changes a number.
    board.board.locator(".chip").nth(1).click()
    expect(says).to_have_text(say("board.read_by.most", token="fluffy", names="“cat”", weight="71 %"))
    eventually(lambda: frame.evaluate(_FRAME)[:1], ["attention_weights,0,1"])
    x, y = board.grab(board.cell(("w_q", 1, 0)))
    board.page.mouse.move(x - 200, y)
    eventually(lambda: "pp" in "".join(shares.all_inner_texts()), True)
    board.press_keys("Escape")
    board.page.mouse.up()

    # Under a mask, who comes before a word can't read it.
    with board.setting_up():
        board.switch(say("setup.causal.label"))
    eventually(lambda: shares.all_inner_texts()[0], "–")
    switch.click()
    board.board.locator(".chip").nth(CAT_AT).click()
    with board.setting_up():
        board.switch(say("setup.causal.label"))
    eventually(shares.all_inner_texts, row)
    eventually(lambda: frame.evaluate(_FRAME), [])
