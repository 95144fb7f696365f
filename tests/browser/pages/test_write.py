"""A model writes on in a browser: a press appends a word, whose row comes, and the bars of the next ones."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from attnviz.words import say
from tests.browser.playground import Playground
from tests.browser.serving import running_server
from tests.unit.small_models import MODELS, tokenizer


@pytest.fixture
def writing(tmp_path: Path, new_reader: Callable[..., Playground]) -> Iterator[Playground]:
    """A reader of a server that offers a small decoder."""
    folder = tmp_path / "small"
    MODELS["GPT-2"]().save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    with running_server(ATTNVIZ_MODELS=str(folder)) as server:
        yield new_reader(height=768, at=server)


def test_a_press_appends_a_word_and_its_row_and_the_next_ones_come(writing: Playground) -> None:
    page = writing.open("/model", model="small", model_text="the cat sat").page
    rows, now = page.locator(".weights tr"), page.locator(".weights tr.now")
    expect(rows).to_have_count(1 + 5, timeout=30_000)
    first = page.locator(".next .row").nth(1)
    before = page.locator(".next .row .number").all_text_contents()
    word = first.locator(".name").inner_text()
    first.focus()
    page.keyboard.press("Enter")
    expect(rows).to_have_count(1 + 6)
    expect(page).to_have_url(re.compile(r"model_written=\d+"))
    expect(now).to_have_count(1)
    expect(now.locator("th")).to_contain_text(word)
    expect(now).to_have_attribute("title", say("write.row_now"))
    expect(page.locator(".written u")).to_have_text([word])
    assert page.locator(".next .row .number").all_text_contents() != before
    page.get_by_role("button", name=say("write.ten"), exact=True).click()
    expect(page.get_by_role("button", name=say("write.stop"))).to_be_visible()
    expect(rows).to_have_count(1 + 8)
    page.get_by_role("button", name=say("write.stop")).click()
    page.get_by_role("button", name=say("write.start")).click()
    expect(rows).to_have_count(1 + 5)
    expect(now).to_have_count(0)
    assert "model_written" not in page.url
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".headline")).to_be_in_viewport()
    assert writing.sideways <= 0
