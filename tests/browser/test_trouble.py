"""Cells that are masked, infinite or no number, and links that are too long."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.playground import Playground, eventually


def test_masked_cells_are_marked_and_explained(playground: Playground) -> None:
    playground.switch("Causal mask").shows("scaled_scores", "Your", ["0.6528"] + ["−∞"] * 5)
    playground.says("15 of 36 scaled scores are masked (−∞): no token may read a later one.")
    assert playground.hover("scaled_scores", 0, 3) == "query Your, key with\nS′ = −∞, masked: a later token"
    assert [row.count("−∞") for row in playground.cells("scaled_scores")] == [5, 4, 3, 2, 1, 0]


def test_weights_of_1e30_are_shown_where_they_overflow(playground: Playground) -> None:
    playground.edit(0, 0, "1e30").shows("q", "journey", ["5.50e+29", "1.4551"])
    playground.look_at("W_k").edit(0, 0, "1e30")
    playground.says("The numbers overflow first in Scores: 36 of 36 cells hold no finite number")
    playground.says("6 of 6 rows of attention weights are undefined (NaN)")
    playground.shows("scores", "journey", ["∞"] * 6)
    playground.shows("attention_weights", "journey", ["NaN"] * 6)
    playground.says("'journey' has no attention weights: its scores are not all finite numbers.")
    assert playground.hover("scores", 1, 0) == "query journey, key Your\nS = ∞, beyond float32"
    playground.press("Reset").shows("q", "journey", ["5.50e+29", "1.4551"])
    eventually(lambda: playground.page.get_by_text("overflow first").count(), 0)


def test_cells_pasted_without_a_number_are_named_and_keep_the_picture(new_reader: Callable[..., Playground]) -> None:
    playground = new_reader(permissions=["clipboard-read", "clipboard-write"]).open()
    playground.paste_into_cells("1e400\t0.9\nabc\t0.6886")
    for cell, number in (("W_q[0, 0]", "0.2961"), ("W_q[1, 0]", "0.2517")):
        playground.says(f"{cell} is still {number}.")
    playground.shows("q", "journey", ["0.4306", "1.6659"])
    playground.edit(0, 0, 0).edit(1, 0, 0).shows("q", "journey", ["0.0488", "1.6659"])
    eventually(lambda: playground.page.get_by_test_id("stAlert").count(), 0)


def test_a_pasted_table_that_is_none_keeps_the_picture(playground: Playground) -> None:
    playground.paste("W_q", "1 2\n3 <b>x</b>\n5 6")
    playground.says("The pasted table wasn't used. Line 2: “<b>x</b>” isn't a number.")
    playground.shows("q", "journey", ["0.4306", "1.4551"])


@pytest.mark.parametrize("typed", ["abc", "1e400"])
def test_what_is_no_number_is_named_and_keeps_the_picture(playground: Playground, typed: str) -> None:
    playground.edit(0, 1, typed)
    playground.says("W_q[0, 1] is still 0.5166.")
    playground.shows("q", "journey", ["0.4306", "1.4551"])
    playground.edit(0, 1, 0.9).shows("q", "journey", ["0.4306", "1.6659"])
    eventually(lambda: playground.page.get_by_test_id("stAlert").count(), 0)


# A link that is too long. That one is answered at all hangs on httptools: see attnviz/app/shell/long_link.py.


def test_a_link_of_a_megabyte_opens_with_what_can_be_read_of_it(new_reader: Callable[..., Playground]) -> None:
    playground = new_reader().open(seed=5)
    playground.page.goto(f"{playground.server}/?d_out=3&edits={'w_q.0.0.1*' * 100_000}&view=heatmaps")
    playground.says("1,000,028 characters and 3 parameters, where 524,288 and 1,000 can be read. It opened with all ")
    expect(playground.page.get_by_label("d_out", exact=True)).to_have_value("3")
    eventually(lambda: playground.address, "?d_out=3")
    playground.page.go_back()
    expect(playground.page.get_by_label("Seed", exact=True)).to_have_value("5")
