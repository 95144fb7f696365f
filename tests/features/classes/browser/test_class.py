"""A class in a real browser: opened from Share, joined by link, counted live, asked again; both rounds side by side."""

import csv
import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from attnviz.predicting.asks import asked_of
from attnviz.words import say
from tests.browser.accessibility import violations
from tests.browser.lesson import Learner
from tests.browser.one_look import odd
from tests.browser.readers import New

ABOUT = "values"
# The size of the smallest digits, or words beside them, of what is asked and counted.
SMALLEST = """() => Math.min(...[...document.querySelectorAll(".asks, .name, .bar *, .how-many, .code")]
  .filter((each) => each.textContent).map((each) => parseFloat(getComputedStyle(each).fontSize)))"""


def label_of(choice: str) -> str:
    """What a choice of the question is called on its button."""
    asked = asked_of(ABOUT)
    assert asked
    return asked.choices[choice]


def predict(page: Page, choice: str) -> None:
    label = label_of(choice)
    page.get_by_role("button", name=label, exact=True).click()
    expect(page.get_by_role("status")).to_contain_text(say("classes.page.counted", choice=label))


def counts(page: Page) -> list[list[str]]:
    """The digits that stand on a page: of each choice, those of its rounds."""
    return [each.locator(".bar b").all_inner_texts() for each in page.locator(".counts li").all()]


def test_a_class_predicts_talks_and_predicts_again(new: New, chromium: Browser, server: str) -> None:
    reader = new(Learner).questions(question=ABOUT)
    reader.press("Share")
    with reader.page.expect_popup() as opening:
        reader.page.get_by_role("link", name="Ask the class").click()
    teacher = opening.value
    teacher.get_by_role("button", name="Open a class").click()
    code = teacher.locator("header .code").inner_text()
    board = teacher.frame_locator("iframe")
    expect(board.locator("[data-at='attention_weights,0,1']")).to_have_text("0.67")
    people = []
    for width in (390, 1366):
        person = chromium.new_page(viewport={"width": width, "height": 768}, color_scheme="dark")
        person.goto(f"{server}/class")
        assert width < 1366 or odd(person) == []  # buttons on a telephone are higher, for fingers
        person.get_by_label("Code").fill(code.lower())
        person.keyboard.press("Enter")
        people.append(person)

    for person, choice in zip(people, ("more", "same"), strict=True):
        predict(person, choice)
    expect(teacher.get_by_text("2 have voted")).to_be_visible()
    assert [odd(each) for each in (teacher, people[1])] == [[], []]
    assert counts(teacher) == [["0"], ["1"], ["1"]]
    people[0].reload()
    more = people[0].get_by_role("button", name=label_of("more"), exact=True)
    expect(more).to_have_attribute("aria-pressed", "true")
    expect(people[0].get_by_text(say("classes.page.change"))).to_be_visible()
    for choice, counted in (("less", [["0"], ["1"], ["1"]]), ("more", [["1"], ["1"], ["0"]])):  # the last one counts
        predict(people[0], choice)
        expect(people[0].locator("button[aria-pressed=true]")).to_be_focused()
        teacher.wait_for_timeout(1000)
        assert sorted(counts(teacher)) == sorted(counted)
    predict(people[0], "less")
    predict(people[0], "more")
    assert violations(people[1]) == []

    teacher.keyboard.press("p")
    expect(teacher.get_by_role("button", name="Counts (CSV)")).to_be_hidden()
    assert teacher.evaluate(SMALLEST) >= 24
    expect(teacher.locator("iframe")).to_have_css("zoom", "2")
    expect(teacher.locator("main")).to_have_css("pointer-events", "none")  # nothing is lit where nothing moves
    teacher.mouse.move(8, 8)
    teacher.mouse.move(9, 9)
    teacher.get_by_role("button", name="QR code").click()
    for shown in (True, False):  # what is open is closed first
        teacher.keyboard.press("Escape")
        expect(teacher.get_by_role("button", name="Counts (CSV)")).to_be_visible(visible=not shown)
    assert ("present" in teacher.url, "#" in teacher.url) == (False, True)

    teacher.get_by_role("button", name="Show the counts to all").click()
    for person in people:  # each page has heard that the round is over before the next one is opened
        expect(person.locator(".counts .bar b")).to_have_text(["0", "1", "1"])
    assert "what happens" not in people[1].inner_text("main")
    teacher.get_by_role("button", name="Ask again").click()
    for person in people:
        predict(person, "same")
    expect(teacher.locator(".how-many")).to_have_text(re.compile(r"Round 1: 2 have voted\s*Round 2: 2 have voted"))
    assert counts(teacher) == [["0", "0"], ["1", "2"], ["1", "0"]]

    expect(board.locator("[data-at='w_v,0,0']")).to_have_text("1.00")
    teacher.get_by_role("button", name="Show what happens").click()
    expect(board.locator("[data-at='w_v,0,0']")).to_have_text("2.00")
    expect(people[0].get_by_text("As you predicted: “fluffy” reads “cat” 67 %, as before.")).to_be_visible()
    assert counts(people[0]) == [["0", "0"], ["1", "2"], ["1", "0"]]
    assert people[0].evaluate("document.documentElement.scrollWidth") <= 390
    assert [violations(page) for page in (teacher, people[0])] == [[], []]
    with teacher.expect_download() as file:
        teacher.get_by_role("button", name="Counts (CSV)").click()
    with Path(file.value.path()).open(encoding="utf-8") as table:
        assert [row["votes"] for row in csv.DictReader(table)] == ["0", "1", "1", "0", "2", "0"]

    asks = teacher.get_by_label(say("classes.teacher.ask")).first
    asks.select_option("root")
    teacher.get_by_role("button", name=say("classes.teacher.ask")).click()
    tables = teacher.frame_locator(".of-app").locator(".st-key-questions_pictures")
    expect(tables).to_be_visible()
    for asked_beside in (".st-key-question_panel", ".st-key-question_head"):
        expect(teacher.frame_locator(".of-app").locator(asked_beside)).to_be_hidden()
    for _ in range(2):
        teacher.get_by_role("button", name=re.compile("end", re.I)).click()
    expect(people[1].get_by_text("This class has ended")).to_be_visible()
    teacher.goto(teacher.url.partition("#")[0] + "#another")
    teacher.reload()
    expect(teacher.get_by_text("This link leads no class")).to_be_visible()
    for page in (teacher, *people):
        page.close()
