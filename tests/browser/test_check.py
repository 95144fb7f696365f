"""Check my numbers in a real browser: paste the handout, read the verdict, open an example, do an exercise."""

import random
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from attnviz.published import worked_example
from tests.browser.accessibility import serious_trouble
from tests.browser.lesson import Learner
from tests.browser.playground import eventually
from tests.whole import dear

HANDOUT = worked_example("three-words")
LOVE_AI_SAYS = "5 of 48 results differ from the exact values: 1 wrong, 4 right within rounding."
LABELS = {
    "x": "X", "w_q": "W_q", "w_k": "W_k", "w_v": "W_v", "q": "Q, queries = X W_q", "k": "K, keys = X W_k",
    "v": "V, values = X W_v", "scores": "Scores = Q Kᵀ", "attention_weights": "Attention weights = softmax of each row",
    "context": "Context vectors = A V",
}  # fmt: skip


@pytest.fixture
def check(new_learner: Callable[..., Learner]) -> Learner:
    return open_check(new_learner())


def open_check(reader: Learner) -> Learner:
    reader.open("/check")
    expect(reader.page.get_by_label("X", exact=True)).to_be_visible()
    return reader


def paste(reader: Learner, name: str, text: str) -> None:
    box = reader.page.get_by_label(LABELS[name], exact=True)
    box.fill(text)
    box.press("Control+Enter")
    reader.page.wait_for_selector('[data-test-script-state="notRunning"]')


def as_copied(rows: tuple[tuple[float, ...], ...]) -> str:
    """A block of cells as a spreadsheet copies it."""
    return "\n".join("\t".join(str(value) for value in row) for row in rows)


def test_the_handout_is_pasted_and_the_verdict_read(check: Learner) -> None:
    for name, rows in {**HANDOUT.given, **HANDOUT.published}.items():
        paste(check, name, as_copied(rows))
    check.says("✗ 41 of 54 results differ from the exact values: 39 wrong, 2 right, given the wrong numbers before.")
    check.says("The first error is Q[0, 2]: 0.99 should be 1.05.")
    expect(check.page.locator("code").first).to_contain_text("1.80 × 0.30 + 0.10 × 0.60 + 0.50 × 0.90")
    expect(check.page.locator("td.wrong")).to_have_count(39)
    expect(check.page.locator("td.follows")).to_have_count(2)
    expect(check.page.locator("td.right")).to_have_count(13)


@dear
def test_what_is_loaded_and_typed_survives_another_page_and_a_reload(new_learner: Callable[..., Learner]) -> None:
    reader = new_learner().open("/check", check="examples.love-ai")
    reader.press("Load into the form")
    box, other = (reader.page.get_by_label(LABELS[name], exact=True) for name in ("q", "k"))
    expect(other).not_to_have_value("")
    loaded = other.input_value()
    paste(reader, "q", "1 2\n3 oops")
    expect(reader.page.get_by_test_id("stAlert").last).to_contain_text("Line 2: “oops”")
    before = reader.address
    assert "tables=" in before
    reader.go_to("Questions").page.wait_for_url("**/questions*")
    reader.go_to("Check").page.wait_for_url("**/check*")
    for _ in range(2):
        expect(box).to_have_value("1 2\n3 oops")
        expect(other).to_have_value(loaded)
        reader.page.reload()


@dear
def test_long_tables_survive_a_reload_and_a_paste_of_any_length_is_told(new_learner: Callable[..., Learner]) -> None:
    reader = open_check(new_learner(permissions=["clipboard-read", "clipboard-write"]))
    draw = random.Random(0)
    long = "\n".join(" ".join(f"{draw.gauss(0, 1):.8f}" for _ in range(60)) for _ in range(300))
    too_long = "0.1234 " * 300_000
    box = reader.page.get_by_label(LABELS["q"], exact=True)
    for text, says in ((long, "300 by 60"), (too_long, "at most 2,000,000 fit here")):
        reader.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        box.press("Control+a")
        box.press("Control+v")
        box.press("Control+Enter")
        expect(reader.page.get_by_test_id("stAlert").last).to_contain_text(says)
        assert box.input_value() == text
        if text == long:
            eventually(lambda: len(reader.address) > 100_000, True)
            reader.page.reload()
            expect(box).to_have_value(long)
    reader.says("This is too long for a link.")
    eventually(lambda: "tables=" in reader.address, False)
    reader.go_to("Questions").page.wait_for_url("**/questions*")
    reader.go_to("Check").page.wait_for_url("**/check*")
    expect(box).to_have_value(too_long)


@dear
def test_an_example_opens_in_the_playground_with_one_click(check: Learner) -> None:
    check.page.get_by_text("Published examples", exact=True).click()
    check.says(LOVE_AI_SAYS)
    eventually(lambda: check.address, "?check=examples")
    check.press("Open in the playground")
    expect(check.page.get_by_label("Sentence", exact=True)).to_have_value("I love AI")
    check.says("“love” reads “AI” most: 58 %")
    eventually(lambda: "x.example.love-ai*w_q.example.love-ai" in check.address, True)
    check.page.go_back()
    check.says(LOVE_AI_SAYS)


@dear
def test_a_link_to_an_example_is_its_set_up_and_survives_a_reload(new_learner: Callable[..., Learner]) -> None:
    reader = new_learner().open("/", "board", example="love-ai")
    for _ in range(2):
        expect(reader.page.get_by_label("Sentence", exact=True)).to_have_value("I love AI")
        reader.says("“love” reads “AI” most: 58 %")
        eventually(lambda: "example=" in reader.address.replace("edits=", ""), False)
        reader.page.reload()


def test_an_exercise_is_filled_in_hinted_and_marked(check: Learner) -> None:
    check.page.get_by_text("Exercise", exact=True).click()
    cell = check.page.get_by_label("Q, queries: a number of “the”, Q[0, 0]", exact=True)
    cell.fill("99")
    cell.press("Enter")
    check.press("Mark my answers")
    check.says("The first error is a number of “the”, Q[0, 0]: 99.00 should be")
    expect(check.page.locator("td.wrong")).to_have_count(1)
    check.press("Hint")
    expect(check.page.locator("code").last).to_contain_text("Q[0, 0] = X[0, :] · W_q[:, 0]")
    with check.page.expect_download() as download:
        check.press("Answer sheet for the teacher")
    text = download.value.path().read_text(encoding="utf-8")
    assert "Answers, exercise 1.3.2.2.i.s.qksdac" in text


@dear
def test_the_page_fits_a_phone_and_works_for_a_screen_reader(new_learner: Callable[..., Learner]) -> None:
    reader = new_learner(390, 844).open("/check", check="examples.journey")
    reader.says("All 96 results are right, to the last printed digit.")
    main = reader.page.get_by_test_id("stMain")
    eventually(lambda: main.evaluate("main => main.scrollWidth") <= 390, True)

    reader.page.set_viewport_size({"width": 1366, "height": 900})
    reader.darken()
    reader.page.mouse.move(0, 0)  # Streamlit's own colours under the mouse are not ours to change
    assert serious_trouble(reader.page) == []
    reader.page.get_by_text("Exercise", exact=True).click()
    reader.page.mouse.move(0, 0)
    expect(reader.page.get_by_label("Q, queries: a number of “the”, Q[0, 0]", exact=True)).to_be_visible()
    assert serious_trouble(reader.page) == []
    reader.page.get_by_test_id("stMain").get_by_test_id("stButtonGroup").get_by_text("Check my numbers").click()
    reader.press("Load a handout with mistakes")
    reader.page.mouse.move(0, 0)
    expect(reader.page.locator("td.wrong")).to_have_count(39)
    assert serious_trouble(reader.page) == []
