"""The page Watch it learn in a browser: the slider moves the board at once, and torch confirms where it rests."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attnviz import train
from attnviz.words import say
from tests.browser.playground import Playground

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
