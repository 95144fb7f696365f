"""Cells that are no number, and links that are too long."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.playground import Playground, eventually
from tests.whole import dear


@dear
def test_cells_pasted_without_a_number_are_named_and_keep_the_picture(new_reader: Callable[..., Playground]) -> None:
    playground = new_reader(permissions=["clipboard-read", "clipboard-write"]).open()
    playground.paste_into_cells("1e400\t0.9\nabc\t0.6886")
    for cell, number in (("W_q[0, 0]", "0.2961"), ("W_q[1, 0]", "0.2517")):
        playground.says(f"{cell} is still {number}.")
    playground.shows("q", "journey", ["0.4306", "1.6659"])
    playground.edit(0, 0, 0).edit(1, 0, 0).shows("q", "journey", ["0.0488", "1.6659"])
    eventually(lambda: playground.page.get_by_test_id("stAlert").count(), 0)


@dear
def test_what_is_no_number_is_named_and_keeps_the_picture(playground: Playground) -> None:
    playground.edit(0, 1, "abc")
    playground.says("W_q[0, 1] is still 0.5166.")
    playground.shows("q", "journey", ["0.4306", "1.4551"])
    playground.edit(0, 1, 0.9).shows("q", "journey", ["0.4306", "1.6659"])
    eventually(lambda: playground.page.get_by_test_id("stAlert").count(), 0)


# A link that is too long. That one is answered at all hangs on httptools: see attnviz/app/shell/opening/long_link.py.


@dear
def test_a_link_of_a_megabyte_opens_with_what_can_be_read_of_it(new_reader: Callable[..., Playground]) -> None:
    playground = new_reader().open(view="board", seed=5)
    playground.page.goto(f"{playground.server}/?d_out=3&edits={'w_q.0.0.1*' * 100_000}")
    playground.says("1,000,014 characters and 2 parameters, where 524,288 and 1,000 can be read. It opened with all ")
    expect(playground.page.get_by_label("d_out", exact=True)).to_have_value("3")
    eventually(lambda: playground.address, "?d_out=3")
    playground.page.go_back()
    expect(playground.page.get_by_label("Seed", exact=True)).to_have_value("5")
