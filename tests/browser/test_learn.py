"""The page Watch it learn in a browser: the slider moves the board at once, and torch confirms where it rests."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from attnviz import train
from attnviz.words import say
from tests.browser.playground import Playground
from tests.browser.serving import running_server

STEPS = 80
WAIT = 30_000


def value_at(page: Page, at: str) -> float:
    return float(page.locator(f'[data-at="{at}"]').get_attribute("data-value") or "nan")


def test_the_board_follows_the_slider_at_once_and_torch_confirms(new_reader: Callable[..., Playground]) -> None:
    """What is shown right after the key, in the same frame, is worked out in the page: no answer can be there yet."""
    reader = new_reader().open("/learn", learn=f"task.agreement*steps.{STEPS}")
    page = reader.page
    training = train("agreement", steps=STEPS)
    row, column = 5, 2
    at = f"attention_weights,{row},{column}"
    expect(page.locator(f'[data-at="{at}"]')).to_be_visible(timeout=WAIT)
    assert value_at(page, at) == training.trace(STEPS).attention_weights[row, column].item()
    page.locator(f'[data-at="{at}"]').scroll_into_view_if_needed()
    page.wait_for_timeout(300)  # the board is told what is in view
    slider = page.get_by_role("slider", name=say("learn.time.slider"))
    first = page.evaluate(
        """(at) => new Promise((resolve) => {
          const roots = [...document.querySelectorAll("*")].flatMap((each) => each.shadowRoot ?? []);
          const inside = (selector) => roots.map((root) => root.querySelector(selector)).find(Boolean);
          const slider = inside(".time .slider");
          slider.value = "0";
          slider.dispatchEvent(new Event("input"));
          requestAnimationFrame(() => resolve(inside(`[data-at="${at}"]`).dataset.value));
        })""",
        at,
    )
    begun = training.trace(0)
    assert float(first) == pytest.approx(begun.attention_weights[row, column].item(), rel=1e-5)
    slider.evaluate("(slider) => slider.dispatchEvent(new Event('change'))")
    expect(page).to_have_url(re.compile(r"learn_step=0"), timeout=WAIT)
    expect(page.get_by_text("✓ checked with torch").first).to_be_visible(timeout=WAIT)
    assert value_at(page, at) == begun.attention_weights[row, column].item()
    expect(slider).to_have_attribute("aria-valuetext", say("learn.time.step", step=0))

    page.get_by_role("button", name=say("learn.time.play")).click()
    expect(slider).not_to_have_value("0", timeout=WAIT)
    page.get_by_role("button", name=say("learn.time.pause")).click()
    expect(page).to_have_url(re.compile(r"learn_step=[1-9]"), timeout=WAIT)
    step = int(re.findall(r"learn_step=(\d+)", page.url)[0])
    expect(page.get_by_text("✓ checked with torch").first).to_be_visible(timeout=WAIT)
    shown = page.locator(f'[data-at="{at}"]')
    expect(shown).to_have_attribute(
        "data-value", re.compile(f"^{training.trace(step).attention_weights[row, column].item():.4f}"[:6]), timeout=WAIT
    )
    # With the last word picked, what is done in its row stands over what leads to the mask, and neither over the other.
    page.locator("button.chip").last.click()
    done, below = page.locator("span.op.softmax"), page.locator("button.stages")
    page.wait_for_function(
        """() => { const roots = [...document.querySelectorAll("*")].flatMap((each) => each.shadowRoot ?? []);
          const of = (selector) => roots.map((root) => root.querySelector(selector)).find(Boolean);
          return of(".name.on")?.textContent === "."; }"""
    )
    upper, lower = done.bounding_box(), below.bounding_box()
    assert upper is not None
    assert lower is not None
    assert upper["y"] + upper["height"] <= lower["y"] + 1
    assert reader.sideways <= 0


def moved(page: Page, to: int, at: str) -> float:
    """The number of a cell in the frame after the slider was put at a moment: no answer can be there yet."""
    return float(
        page.evaluate(
            """([to, at]) => new Promise((resolve) => {
              const roots = [...document.querySelectorAll("*")].flatMap((each) => each.shadowRoot ?? []);
              const inside = (selector) => roots.map((root) => root.querySelector(selector)).find(Boolean);
              const slider = inside(".time .slider");
              slider.value = String(to);
              slider.dispatchEvent(new Event("input"));
              requestAnimationFrame(() => resolve(inside(`[data-at="${at}"]`).dataset.value));
            })""",
            [to, at],
        )
    )


SIZES = [(1366, 768), (1920, 1080), (390, 844)]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_slider_and_board_are_in_view_together(new_reader: Callable[..., Playground], size: tuple[int, int]) -> None:
    """Whoever looks at the board has time in the hand, and sees it move what is looked at."""
    reader = new_reader().open("/learn", learn=f"task.agreement*steps.{STEPS}")
    page = reader.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    slider = page.get_by_role("slider", name=say("learn.time.slider"))
    expect(slider).to_be_enabled(timeout=WAIT)
    weights = page.locator('[data-at^="attention_weights,"]')
    expect(weights.first).to_be_attached(timeout=WAIT)
    at = "attention_weights,5,2"
    cell = page.locator(f'[data-at="{at}"]')
    cell.evaluate("(cell) => cell.scrollIntoView({ block: 'center' })")
    page.wait_for_timeout(400)  # the board is told what is in view
    for each in (slider, cell):  # the cell last
        box = each.bounding_box()
        assert box is not None
        assert box["y"] >= 48, each
        assert box["y"] + box["height"] <= size[1], each
    assert box is not None
    over = page.evaluate(
        """([x, y]) => { let at = document.elementFromPoint(x, y);
          while (at?.shadowRoot) at = at.shadowRoot.elementFromPoint(x, y);
          return at?.className; }""",
        [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2],
    )
    assert "slider" not in str(over)
    assert "strip" not in str(over)
    begun = train("agreement", steps=STEPS).trace(0).attention_weights[5, 2].item()
    assert moved(page, 0, at) == pytest.approx(begun, rel=1e-5)
    curves = page.locator(".curves").bounding_box()
    assert curves is not None
    if curves["y"] + curves["height"] <= 48:  # out of sight: what they say of the moment stands beside the slider
        expect(page.locator(".brief")).to_be_visible()
    else:
        assert size == (1920, 1080)
    assert reader.sideways <= 0


def in_line(server: str) -> float:
    """How many trainings run or wait, as the server tells whoever runs it."""
    with urlopen(f"{server}/metrics", timeout=10) as answer:
        told = answer.read().decode()
    (found,) = re.findall(r"^attnviz_trainings_in_line (\S+)$", told, re.MULTILINE)
    return float(found)


def test_of_a_tab_that_was_closed_nothing_runs_on(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTNVIZ_METRICS", "1")
    with (tmp_path / "log.txt").open("w") as log, running_server(log) as server:
        page = chromium.new_context().new_page()
        page.goto(f"{server}/learn?learn=task.repeat*steps.5000*d_model.64*d_k.64*n_layers.3*batch_size.128")
        expect(page.get_by_role("progressbar")).to_be_visible(timeout=2 * WAIT)
        assert in_line(server) == 1
        page.context.close()
        end = time.monotonic() + 10
        while in_line(server):
            assert time.monotonic() < end, "a training runs on of which nobody sees anything"
            time.sleep(0.2)
