"""A model writes on in a browser: a press appends a word, whose row comes, and the bars of the next ones."""

import re

from playwright.sync_api import expect

from attnviz.features.language_models.inside import INCLUDED, STORIES
from attnviz.words import say
from tests.browser.playground import Playground, eventually
from tests.browser.readers import New


def test_a_press_appends_a_word_and_its_row_and_the_next_ones_come(new: New) -> None:
    writing = new(Playground, height=768)
    page = writing.open("/model", model=STORIES, model_text="anna paints horses .").page
    rows, now = page.locator(".weights tr"), page.locator(".weights tr.now")
    expect(rows).to_have_count(1 + 5)
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
    eventually(lambda: page.locator(".next .row .number").all_text_contents() != before, True)
    page.get_by_role("button", name=say("models.page.numbers")).click()
    cells = page.get_by_role("gridcell")
    expect(cells.and_(page.locator("[aria-label$='computed now']")).first).to_be_attached()
    expect(cells.and_(page.locator("[aria-label$='read from the cache']")).first).to_be_attached()
    page.get_by_role("button", name=say("models.page.all"), exact=True).click()
    page.get_by_role("button", name=say("write.ten"), exact=True).click()
    expect(page.get_by_role("button", name=say("write.stop"))).to_be_visible()
    expect(rows).to_have_count(1 + 8)
    page.get_by_role("button", name=say("write.stop")).click()
    page.get_by_role("button", name=say("write.start")).click()
    expect(rows).to_have_count(1 + 5)
    expect(now).to_have_count(0)
    expect(page).not_to_have_url(re.compile("model_written"))
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".headline")).to_be_in_viewport()
    assert writing.sideways <= 0


def test_a_sentence_stands_in_the_address_at_once_so_that_a_reload_loses_nothing(new: New) -> None:
    page = new(Playground, height=768).open("/model", model=INCLUDED).page
    expect(page.locator("canvas[data-pictures='72']")).to_be_visible()
    field = page.get_by_label(say("models.page.sentence"), exact=True).filter(visible=True)
    for text in ("a dog ran home", "two dogs ran & hid"):
        field.fill(text)
        field.press("Enter")
        page.reload()
        expect(field).to_have_value(text)
        expect(page.locator("canvas[data-pictures='72']")).to_be_visible()
