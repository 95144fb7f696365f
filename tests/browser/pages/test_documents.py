"""Pages that are taken home, opened in a browser without a network."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

import attnviz
from attnviz import Scenario, documents
from attnviz.figures import heatmap_spec
from attnviz.words import say
from attnviz.words.numbers import percent, written

TEXT = "Your journey </script><script>alert(1)</script> <img/src=x/onerror=alert(1)> step"


@pytest.fixture
def offline(chromium: Browser) -> Iterator[BrowserContext]:
    context = chromium.new_context(offline=True, accept_downloads=True)
    yield context
    context.close()


def opened(context: BrowserContext, file: Path, page: str) -> Page:
    file.write_text(page, encoding="utf-8")
    tab = context.new_page()
    trouble: list[str] = []
    tab.on("dialog", lambda dialog: trouble.append(dialog.message))
    tab.on("dialog", lambda dialog: dialog.dismiss())
    tab.on("pageerror", lambda error: trouble.append(str(error)))
    tab.on("console", lambda message: trouble.append(message.text))
    tab.on("requestfailed", lambda request: trouble.append(request.url))
    tab.goto(file.as_uri())
    tab.wait_for_load_state("networkidle")
    assert trouble == []
    return tab


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("still", [False, True])
def test_a_figures_page_draws_itself_and_saves_itself(
    offline: BrowserContext, tmp_path: Path, dark: bool, still: bool
) -> None:
    trace = attnviz.trace(Scenario(TEXT, tokenizer="whitespace"))
    said: dict[str, Any] = {"dark": dark, "alt": "'step' reads itself most."}
    if still:
        page = documents.heatmap_page(trace, "attention_weights", letters=b"any", **said)
        assert len(page) < 100_000, "bytes, of which the letters take half"
    else:
        spec = heatmap_spec(trace, "attention_weights", dark=dark)
        page = documents.figure_page(spec, "Attention weights", file_name="attention_weights", **said)
    tab = opened(offline, tmp_path / "page.html", page)
    numbers = tab.locator("svg g text" if still else ".heatmap-label text")
    expect(numbers.first).to_be_visible()
    drawn = sorted(numbers.all_text_contents())
    assert drawn == sorted(written(value, 4) for value in trace.attention_weights.flatten().tolist())
    rows = tab.locator("svg > text[text-anchor=end]" if still else ".ytick text")
    assert rows.all_text_contents()[2].startswith("</script><script>")
    expect(tab.get_by_role("img", name="'step' reads itself most.")).to_be_visible()
    for label, starts in (("Save as SVG", b"<svg"), ("Save as PNG", b"\x89PNG")):
        button = tab.get_by_role("button", name=label)
        expect(button).to_have_css("border-radius", "8px")
        colour, paper = (
            tab.evaluate(f"getComputedStyle(document.body).{name}") for name in ("color", "backgroundColor")
        )
        expect(button).to_have_css("color", colour)
        expect(button).to_have_css("background-color", "rgba(0, 0, 0, 0)")
        assert (paper == "rgb(255, 255, 255)") is not dark
        with tab.expect_download() as download:
            tab.get_by_role("button", name=label).click()
        assert Path(download.value.path()).read_bytes().startswith(starts)
        assert download.value.suggested_filename.startswith("attention_weights.")


def test_a_report_opens_prints_and_runs_nothing(offline: BrowserContext, tmp_path: Path) -> None:
    scenario = Scenario(TEXT, tokenizer="whitespace", causal=True)
    tab = opened(offline, tmp_path / "report.html", documents.report(scenario, attnviz.trace(scenario)))
    expect(tab.get_by_role("heading", level=1)).to_have_text(f"Self-attention of: {TEXT}")
    tab.set_viewport_size({"width": 390, "height": 844})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert tab.pdf().startswith(b"%PDF")
    tab.emulate_media(media="print")
    coloured = tab.locator("td[style*=background]").first
    assert coloured.evaluate("cell => getComputedStyle(cell).printColorAdjust") == "exact"


def test_the_heads_of_a_model_are_drawn_and_tell_the_models_own_numbers(
    offline: BrowserContext, tmp_path: Path
) -> None:
    view = attnviz.look_into("all-MiniLM-L6-v2", text="A cat </script><b>sat</b>")
    page = opened(offline, tmp_path / "heads.html", documents.model_page(view))
    expect(page.locator("canvas[data-pictures='72']")).to_be_visible()
    page.locator('[data-head="3,1"]').click()
    page.locator(".sentence .chip").nth(2).click()
    shares = view.heads[3, 1].attention_weights[2]
    cells = page.locator(".weights tr.on td").evaluate_all("all => all.map(each => Number(each.dataset.value))")
    assert cells == pytest.approx(shares.tolist(), rel=1e-6)
    expect(page.locator(".place")).to_have_text(say("models.view.place", layer=3, head=1))
    expect(page.get_by_role("status")).to_contain_text(percent(shares.max().item()))
    page.keyboard.press("Tab")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
