"""The page Watch it learn in a browser: the slider moves the board at once, and torch confirms where it rests."""

import re
from functools import cache
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from attnviz import Training, train
from attnviz.words import plural, say
from attnviz.words.numbers import percent
from tests.browser.looks import MOST, look_at
from tests.browser.playground import Playground, at_rest, box_of, eventually
from tests.browser.readers import New

STEPS = 80
HAND = 2000  # in milliseconds: whoever reads a menu is slower than the run that its opening asks for


def value_at(page: Page, at: str) -> float:
    return float(page.locator(f'[data-at="{at}"]').get_attribute("data-value") or "nan")


_ROOTS = "const roots = [...document.querySelectorAll('*')].flatMap((each) => each.shadowRoot ?? []);"
# In the frame after the slider was put at a moment, so without an answer: a cell of the board.
_MOVED = f"""([to, at]) => new Promise((resolve) => {{
  {_ROOTS}
  const all = (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  const slider = all(".time .slider")[0];
  slider.value = String(to);
  slider.dispatchEvent(new Event("input"));
  requestAnimationFrame(() => resolve(Number(all(`[data-at="${{at}}"]`)[0]?.dataset.value)));
}})"""
AT = "attention_weights,5,2"
SIZES = [(1366, 768), (390, 844)]
PARTS = (".sentence", ".headline", ".weights", ".next", ".curves", ".strip")
_NUMBERS = "all => all.map(each => Number(each.dataset.value ?? each.getAttribute('stroke-width')))"


# Of the lines of what comes next, those whose name, bar and share don't stand beside each other, each in its room.
_CROOKED = """bars => bars.filter(bar => bar.checkVisibility()).filter(bar => {
  const [line, name, full, share] = [bar, ...bar.children].map(part => part.getBoundingClientRect());
  const middle = (part) => (part.top + part.bottom) / 2;
  return !(name.right < full.left && full.width > 40 && full.right < share.left)
    || bar.lastElementChild.scrollWidth > bar.lastElementChild.clientWidth + 1
    || [name, full, share].some(part => Math.abs(middle(part) - middle(line)) >= 2);
}).map(bar => bar.textContent)"""


def opened(reader: Playground, part: str | None = None, **asked: str) -> Page:
    page = reader.open("/learn", **({"learn": f"task.agreement*steps.{STEPS}"} | asked)).page
    expect(page.get_by_text(re.compile(say("learn.time.trained", steps=r"\d+ steps?")))).to_be_visible()
    if part is not None:
        page.get_by_role("button", name=say("learn.closer.label")).click()
        page.get_by_text(say(f"learn.closer.{part}"), exact=True).click()
        expect(page.get_by_role("button", name=say("learn.closer.back"))).to_be_visible()
    return page


def boxes(page: Page) -> dict[str, list[float]]:
    """Where each part stands: from the left, from the top, and where it ends."""
    found = {part: page.locator(f".time {part}").bounding_box() for part in PARTS}
    assert all(found.values())
    return {part: [box["x"], box["y"], box["y"] + box["height"]] for part, box in found.items() if box}


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_before_during_and_after_all_stands_in_one_screen_and_nothing_changes_its_place(
    new: New, size: tuple[int, int]
) -> None:
    page = new(Playground).open("/learn").page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    start = page.get_by_role("button", name=say("learn.start", steps=plural(600, "step")))
    row = page.locator(".time .weights tr.on td[data-value]")
    expect(row.first).to_be_visible()
    expect(start).to_be_in_viewport(ratio=1)
    before, training = at_rest(page, lambda: boxes(page)), trained()
    shares = training.trace(0).attention_weights[5, :6].tolist()
    eventually(lambda: row.evaluate_all(_NUMBERS)[:6], pytest.approx(shares, rel=1e-5))
    widths = page.locator(".time .sentence svg > path").evaluate_all(_NUMBERS)
    assert [width / sum(widths) for width in widths] == pytest.approx(shares, abs=2e-3)
    assert max(end for _, _, end in before.values()) <= (MOST["learn", size[0]][2] or 844)
    expect(page.locator(".time .headline")).to_have_text(re.compile(say("learn.time.by_chance", read="“keys”")))
    one, other = (each.bounding_box() for each in page.locator(".time .dot").all())  # of no step, nearly as high
    assert one is not None
    assert other is not None
    assert one["x"] + one["width"] <= other["x"]
    if size[0] > 390:
        page.set_viewport_size({"width": size[0], "height": 650})
        for part in (start, *(page.locator(f".time {each}") for each in PARTS)):
            expect(part).to_be_in_viewport(ratio=1)
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.keyboard.press("p")  # what begins it, and what happens then, are seen in a lecture room, too
        for part in (start, *(page.locator(f".time {each}") for each in (*PARTS[:3], *PARTS[-2:]))):
            expect(part).to_be_in_viewport(ratio=1)
        eventually(lambda: look_at(page).trouble, {})
        page.keyboard.press("Escape")
        eventually(lambda: boxes(page), before)
    else:
        page.set_viewport_size({"width": 375, "height": 812})
        loss, legend = (box_of(page.locator(f".time .{each}")) for each in ("loss", "legend"))
        assert loss["x"] + loss["width"] <= legend["x"]
        page.set_viewport_size({"width": size[0], "height": size[1]})
    start.click()
    expect(page.locator(".time .curves polyline").first).to_be_visible()
    during = boxes(page)
    ended = page.get_by_text(say("learn.time.trained", steps=plural(600, "step")))
    expect(ended).to_be_visible(timeout=180_000)  # it computes, on a machine that may do much else
    after = at_rest(page, lambda: boxes(page))
    for part, (left, top, _) in before.items():
        for now in (during, after):
            assert now[part][:2] == pytest.approx([left, top], abs=1), part
    most = training.trace(600).attention_weights[5, 2].item()
    assert max(shares) > shares[2] + 0.1  # at first it doesn't read by chance what it's to learn to read
    expect(page.locator(".time .headline")).to_contain_text(percent(most))
    first, last = (training.moments[at].figures["subject"] for at in (0, -1))
    came = say("learn.time.came", label=say("learn.figures.subject"), was=percent(first), now=percent(last))
    expect(page.locator(".time .look")).to_have_text(came)  # what was asked at first


def test_the_board_follows_the_slider_at_once_and_torch_confirms(new: New) -> None:
    reader = new(Playground)
    page, training = opened(reader, "numbers"), train("agreement", steps=STEPS)
    cell, begun = page.locator(f'[data-at="{AT}"]'), training.trace(0).attention_weights[5, 2].item()
    expect(cell).to_be_visible()
    eventually(lambda: value_at(page, AT), training.trace(STEPS).attention_weights[5, 2].item())
    slider = page.get_by_role("slider", name=say("learn.time.slider"))
    expect(slider).to_be_in_viewport(ratio=1)  # whoever looks at the board has time in the hand
    expect(cell).to_be_in_viewport(ratio=1)
    eventually(lambda: page.evaluate(_MOVED, [0, AT]), pytest.approx(begun, rel=1e-5))  # once the board is in view
    slider.evaluate("(slider) => slider.dispatchEvent(new Event('change'))")
    expect(page).to_have_url(re.compile(r"learn_step=0"))
    expect(page.get_by_text("✓ checked with torch").first).to_be_visible()
    eventually(lambda: value_at(page, AT), begun)
    expect(slider).to_have_attribute("aria-valuetext", say("learn.time.step", step=0))
    page.get_by_role("button", name=say("learn.time.play")).click()
    expect(slider).not_to_have_value("0")
    page.get_by_role("button", name=say("learn.time.pause")).click()
    expect(page).to_have_url(re.compile(r"learn_step=[1-9]"))
    step = int(re.findall(r"learn_step=(\d+)", page.url)[0])
    want = pytest.approx(training.trace(step).attention_weights[5, 2].item(), rel=1e-5)
    eventually(lambda: value_at(page, AT), want)
    assert reader.sideways <= 0


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_what_comes_next_is_a_line_for_each_word(new: New, size: tuple[int, int]) -> None:
    page = opened(new(Playground))
    page.set_viewport_size({"width": size[0], "height": size[1]})
    expect(page.locator(".next .bar:visible")).to_have_count(2 if size[0] < 800 else 6)
    eventually(lambda: page.locator(".next .bar").evaluate_all(_CROOKED), [])  # once it's laid for this width


@cache
def trained() -> Training:
    return train("agreement", seed=5)


def in_line(server: str) -> float:
    """How many trainings run or wait, as the server tells whoever runs it."""
    with urlopen(f"{server}/metrics", timeout=10) as answer:
        told = answer.read().decode()
    (found,) = re.findall(r"^attnviz_trainings_in_line (\S+)$", told, re.MULTILINE)
    return float(found)


def test_of_a_tab_that_was_closed_nothing_runs_on(chromium: Browser, server: str) -> None:
    eventually(lambda: in_line(server), 0)
    page = chromium.new_context().new_page()
    page.goto(f"{server}/learn?learn=task.repeat*steps.5000*d_model.64*d_k.64*n_layers.3*batch_size.128")
    expect(page.get_by_role("button", name=say("learn.pause"))).to_be_visible()
    assert in_line(server) == 1
    page.context.close()
    eventually(lambda: in_line(server), 0)


def test_a_seed_of_many_is_opened_by_a_click(new: New) -> None:
    page = opened(new(Playground), "seeds", learn="task.agreement*steps.20")
    page.get_by_role("spinbutton", name=say("learn.seeds.n", first=0)).fill("2")
    page.keyboard.press("Enter")
    page.get_by_role("button", name=say("learn.seeds.start")).click()
    seed = page.locator(".seeds button.seed")
    expect(seed).to_have_count(2, timeout=180_000)
    seed.nth(1).click()
    expect(page).to_have_url(re.compile(r"seed\.1"))
    expect(page.locator(".seeds button.seed.on")).to_have_text(re.compile("^1"))
    page.get_by_role("button", name=say("learn.closer.back")).click()
    want = train("agreement", steps=20, seed=1).trace(20).attention_weights[5, 2].item()
    cell = page.locator(".time .weights tr.on td").nth(2)
    expect(cell).to_have_attribute("data-value", re.compile(f"^{want:.4f}"[:6]))


@pytest.mark.parametrize(
    ("variation", "settings"),
    [("saturated", "task.agreement*learning_rate.0.5"), ("learns", "task.agreement*seed.5")],
)
def test_a_training_of_the_menu_keeps_its_settings_and_the_menu_gives_way(
    new: New, variation: str, settings: str
) -> None:
    """Fields of a menu that was opened before said the numbers that they had then, and the training began anew."""
    page = opened(new(Playground), learn="task.agreement*steps.2*learning_rate.0.1*seed.3")
    menus = page.get_by_test_id("stPopoverBody")
    of_settings = page.get_by_role("button", name=re.compile(say("learn.choices.adam")))
    of_task = page.get_by_role("button", name=say("learn.task", task=say("learn.tasks.agreement.title").lower()))
    of_settings.click()
    expect(menus.get_by_label(say("learn.settings.learning_rate"))).to_have_value("0.1")
    of_task.click()
    page.wait_for_timeout(HAND)
    menus.get_by_role("button", name=say(f"learn.variations.{variation}")).click()
    expect(menus).to_have_count(0)
    expect(page.get_by_text(say("learn.time.trained", steps=plural(600, "step")))).to_be_visible(timeout=120_000)
    for _ in range(2):
        of_settings.click()
        rate = menus.get_by_label(say("learn.settings.learning_rate"))
        expect(rate).to_have_value("0.5" if variation == "saturated" else "0.02")
        page.keyboard.press("Escape")
        expect(menus).to_have_count(0)
        of_task.click()
        page.wait_for_timeout(HAND)
        page.keyboard.press("Escape")
        expect(menus).to_have_count(0)
    expect(page.get_by_text(say("learn.time.trained", steps=plural(600, "step")))).to_be_visible()
    assert f"learn={settings}" in page.url.split("&")[-1]
    assert "learn_step" not in page.url
    expect(page.get_by_test_id("stToast")).to_have_count(0)


def test_with_reduced_motion_play_goes_in_steps(new: New) -> None:
    page = opened(new(Playground))
    page.emulate_media(reduced_motion="reduce")
    slider, play = page.locator(".time .slider"), page.locator(".time .play")
    last = int(slider.input_value())
    seen = [last]
    for _ in range(3):
        play.click()
        seen.append(int(slider.input_value()))
        page.wait_for_timeout(200)  # a film would have gone on
        assert int(slider.input_value()) == seen[-1]
    assert seen == [last, 0, -(-last // 10), 2 * -(-last // 10)]
