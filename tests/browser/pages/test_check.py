"""Check my numbers in a real browser: paste the handout, read the verdict, open an example, do an exercise."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from attnviz.published import worked_example
from attnviz.words import say
from tests.browser.lesson import Learner
from tests.browser.playground import eventually

HANDOUT = worked_example("three-words")
PASTE = say("check.form.paste")


@pytest.fixture
def check(new_learner: Callable[..., Learner]) -> Learner:
    return open_check(new_learner())


def open_check(reader: Learner) -> Learner:
    reader.open("/check")
    expect(reader.page.get_by_label(PASTE, exact=True)).to_be_visible()
    return reader


def as_copied(rows: tuple[tuple[float, ...], ...]) -> str:
    """A block of cells as a spreadsheet copies it."""
    return "\n".join("\t".join(str(value) for value in row) for row in rows)


def test_the_handout_is_pasted_and_the_verdict_read(check: Learner) -> None:
    tables = {**HANDOUT.given, **HANDOUT.published}.items()
    box = check.page.get_by_label(PASTE, exact=True)
    box.fill("\n\n".join(f"{name} =\n{as_copied(rows)}" for name, rows in tables))
    box.press("Control+Enter")
    for width, height in ((1366, 768), (390, 844)):
        check.page.set_viewport_size({"width": width, "height": height})
        expect(check.page.locator(".st-key-verdict")).to_be_in_viewport(ratio=0.5)
    check.says("✗ 41 of 54 results differ from the exact values: 39 wrong, 2 right, given the wrong numbers before.")
    check.says("The first error is Q[0, 2]: 0.99 should be 1.05.")
    expect(check.page.locator("code").first).to_contain_text("1.80 × 0.30 + 0.10 × 0.60 + 0.50 × 0.90")
    expect(check.page.locator("td.wrong")).to_have_count(39)
    expect(check.page.locator("td.follows")).to_have_count(2)
    expect(check.page.locator("td.right")).to_have_count(13)


def test_an_exercise_is_filled_in_hinted_and_marked(check: Learner) -> None:
    check.go_to("Exercises").page.wait_for_url("**/exercises*")
    expect(check.page.get_by_role("button", name=say("exercises.rungs.next", rung=""))).to_be_visible()
    check.open("/exercises", check="exercise")
    cell = check.page.get_by_label("Q, queries: a number of “the”, Q[0, 0]", exact=True)
    cell.fill("99")
    cell.press("Enter")
    eventually(lambda: "answers=" in check.link, True)
    check.press("Mark my answers")
    check.says("The first error is a number of “the”, Q[0, 0]: 99.00 should be")
    expect(check.page.locator("td.wrong")).to_have_count(1)
    check.press("Hint")
    check.press("Next hint")
    expect(check.page.locator("code").last).to_contain_text("Q[0, 0] = X[0, :] · W_q[:, 0]")
    check.page.get_by_text(say("exercises.for_teacher"), exact=True).click()
    with check.page.expect_download() as download:
        check.press("Answer sheet for the teacher")
    text = download.value.path().read_text(encoding="utf-8")
    assert "Answers, exercise 1.3.2.2.i.s.qksdac" in text
