"""Words of another sentence on the board, and rows that belong to other tokens than their places say."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from attnviz import Scenario, trace
from attnviz.words import say
from tests.browser.board import Board
from tests.browser.playground import eventually

CROSS: dict[str, Any] = {
    "text": "the cat sat", "embedding": "stable", "d_out": 4, "reads": "second", "second": "il gatto si sedette",
}  # fmt: skip
_ROOT = """const host = document.querySelector('[class*=st-key-][class*=board] [data-testid=stBidiComponentIsolated]');
const all = selector => [...host.shadowRoot.querySelectorAll(selector)];
const whose = each => getComputedStyle(each).getPropertyValue('--whose');"""
_RIBBONS = f"() => {{ {_ROOT} return all('.ribbon').map(each => parseFloat(each.getAttribute('stroke-width'))); }}"


def in_percent(shares: Any) -> list[str]:
    less = say("board.share.less")
    return [less if 0 < share < 0.01 else f"{100 * share:.0f} %" for share in shares.tolist()]


def test_words_of_a_second_sentence_show_what_is_read_of_them_and_who_reads_them(
    new_board: Callable[..., Board],
) -> None:
    board = new_board().open_board(**CROSS, query=1)
    board.torch_says()
    scenario = Scenario(**CROSS)
    weights = trace(scenario).attention_weights
    read, shares, says = (board.board.locator(each) for each in (".chip.read", ".share", ".says b"))
    expect(read).to_have_text(list(scenario.read_tokens))
    nothing = [""] * 3
    eventually(shares.all_inner_texts, [*in_percent(weights[1]), *nothing])
    switch = board.board.get_by_role("button", name=say("board.sentence.readers"))
    most = int(weights[1].argmax())
    board.board.locator(".head[data-key]").nth(most).click()
    expect(read.nth(most)).to_have_attribute("aria-pressed", "true")
    eventually(shares.all_inner_texts, ["", *nothing, *in_percent(weights[:, most])])

    def told(key: int) -> str:
        reader = int(weights[:, key].argmax())
        places = {"token": scenario.read_tokens[key], "names": f"“{scenario.tokens[reader]}”"}
        return say("board.read_by.most", **places, weight=in_percent(weights[reader, key : key + 1])[0])

    other = (most + 1) % 4
    read.nth(other).click()
    expect(says).to_have_text(told(other))
    widths = board.page.evaluate(_RIBBONS)
    assert [width > 0 for width in widths] == [True, True, True, False]
    assert widths[0] / widths[1] == pytest.approx(float(weights[0, other] / weights[1, other]), rel=1e-3)
    read.nth(1).click()
    board.press_keys("ArrowRight")
    expect(says).to_have_text(told(2))
    expect(read.nth(2)).to_be_focused()

    # A word that reads shows its own row again.
    board.board.locator(".chip:not(.read)").nth(2).click()
    eventually(shares.all_inner_texts, [*in_percent(weights[2]), *nothing])
    expect(switch).to_be_hidden()
