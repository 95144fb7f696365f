"""The page Real model in a browser: a head is picked in the grid, and its numbers are told down to the model's own."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from attnviz import look_into
from attnviz.words import say
from attnviz.words.numbers import written
from tests.browser.playground import Playground


def test_a_head_is_picked_and_each_number_is_told(new_reader: Callable[..., Playground]) -> None:
    reader = new_reader().open("/model", model_text="a cat sat on a mat")
    page = reader.page
    expect(page.locator("canvas[data-pictures='72']")).to_be_visible()
    view = look_into("all-MiniLM-L6-v2", text="a cat sat on a mat")
    page.locator('[data-head="2,5"]').click()
    expect(page.get_by_role("heading", name=say("models.page.heading", layer=2, head=5))).to_be_visible()
    expect(page).to_have_url(re.compile(r"model_head=2\.5"))
    cell = page.locator('[data-at="attention_weights,2,1"]')
    trace = view.heads[2, 5]
    expect(cell).to_be_visible()
    weight = trace.attention_weights[2, 1].item()
    assert float(cell.get_attribute("data-value") or "nan") == weight
    cell.hover()
    exponent = written(trace.scaled_scores[2, 1].item(), 4)
    dock = page.get_by_role("status").filter(has_text=f"exp({exponent}) / (")
    expect(dock).to_contain_text(f"= {written(weight, 4)}")
    assert "editable" not in (cell.get_attribute("class") or "")
    page.reload()
    expect(page.get_by_role("heading", name=say("models.page.heading", layer=2, head=5))).to_be_visible()
    expect(page.locator('[aria-pressed="true"]')).to_have_attribute("data-head", "2,5")
    assert reader.sideways <= 0
    page.locator('[data-head="1,2"]').press("Tab")
    page.locator('[data-head="1,5"]').hover()
    page.mouse.move(2, 2)  # what is told is of the head that the keyboard frames
    expect(page.locator(".told", has_text="Layer 1, head 3:")).to_be_visible()
    cell.click()  # pinned: the next number to change
    page.get_by_role("button", name=say("models.change.number")).click()
    expect(page.get_by_label(say("models.change.matrix"))).to_be_visible()
    expect(page.get_by_role("button", name=say("models.change.change"))).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    page.get_by_text(say("models.change.off"), exact=True).click()
    expect(page).to_have_url(re.compile(r"model_edits=2\.5\.off"))
    expect(page.get_by_test_id("stMetric").get_by_text(say("models.use.without"))).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".board.told")).to_be_visible()  # one word's story
    assert reader.sideways <= 0


def test_the_spine_goes_from_x_through_the_ws_to_the_heads_part_of_the_output(
    new_reader: Callable[..., Playground],
) -> None:
    reader = new_reader().open("/model", model_text="a cat sat on a mat", model_head="2.5")
    page = reader.page
    own = look_into("all-MiniLM-L6-v2", text="a cat sat on a mat").layers[2].output(5)
    assert own is not None
    dock = page.locator(".board .panel")

    def points_at(name: str, row: int, column: int) -> None:
        """A pointer is at whole pixels, of which each has several numbers: arrow keys reach the one that is wanted."""
        strip = page.locator(f".matrix[data-matrix={name}] .grid")
        expect(strip).to_be_visible()
        (rows, columns), box = own[name].shape, strip.bounding_box()
        assert box is not None
        strip.click(position={"x": (column + 0.5) / columns * box["width"], "y": (row + 0.5) / rows * box["height"]})
        page.keyboard.press("Escape")  # nothing is pinned
        current = strip.locator(".current")
        expect(current).to_have_attribute("data-at", re.compile(rf"{name},\d+,\d+"))
        at_row, at_column = map(int, (current.get_attribute("data-at") or "").split(",")[1:])
        assert abs(at_row - row) <= 2 * (1 + rows / box["height"])
        assert abs(at_column - column) <= 2 * (1 + columns / box["width"])
        ways = [("ArrowRight", 0, 1)] * (column - at_column) + [("ArrowLeft", 0, -1)] * (at_column - column)
        ways += [("ArrowDown", 1, 0)] * (row - at_row) + [("ArrowUp", -1, 0)] * (at_row - row)
        for key, down, right in ways:  # each has been taken before the next one is pressed
            at_row, at_column = at_row + down, at_column + right
            page.keyboard.press(key)
            expect(current).to_have_attribute("data-at", f"{name},{at_row},{at_column}")
        expect(dock).to_contain_text(written(own[name][row, column].item(), 4))

    points_at("x", 2, 200)
    points_at("w_k", 201, 3)
    points_at("w_o", 7, 300)
    points_at("output", 3, 101)
    terms = (own["context"][3].double() * own["w_o"][:, 101].double()).tolist()
    largest = max(terms, key=abs)
    context = own["context"][3, terms.index(largest)].item()
    expect(dock).to_contain_text(written(context, 4))  # the largest term is told first
    points_at("w_q", 100, 4)
    page.keyboard.press("Enter")  # pinned: the next number to change
    page.get_by_role("button", name=say("models.change.number")).click()
    expect(page.get_by_label(say("models.change.matrix"))).to_have_value("W_q", timeout=20_000)
    assert reader.sideways <= 0
