"""Check my numbers in a real browser: paste the handout, read the verdict, open an example, do an exercise."""

import re
import struct
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Error, Response, expect

from attnviz.features.check.exercises.exercise import Exercise, left_out
from attnviz.features.check.exercises.gradebook import read_keys
from attnviz.features.check.marking_page import STYLE
from attnviz.published import worked_example
from attnviz.words import say
from tests.browser.lesson import Learner
from tests.browser.looks import BY_COLOUR
from tests.browser.playground import eventually
from tests.browser.readers import New

HANDOUT = worked_example("three-words")
PASTE = say("check.form.paste")


@pytest.fixture
def check(new: New) -> Learner:
    reader = new(Learner).open("/check")
    expect(reader.page.get_by_label(PASTE, exact=True)).to_be_visible()
    return reader


def as_copied(rows: tuple[tuple[float, ...], ...]) -> str:
    """A block of cells as a spreadsheet copies it."""
    return "\n".join("\t".join(str(value) for value in row) for row in rows)


def test_the_handout_is_pasted_and_the_verdict_read(check: Learner) -> None:
    tables = {**HANDOUT.inputs, **HANDOUT.published}.items()
    box = check.page.get_by_label(PASTE, exact=True)
    box.fill("\n\n".join(f"{name} =\n{as_copied(rows)}" for name, rows in tables))
    box.press("Control+Enter")
    for width, height in ((1366, 768), (1366, 650), (390, 844)):
        check.page.set_viewport_size({"width": width, "height": height})
        expect(check.page.locator(".st-key-verdict")).to_be_in_viewport(ratio=0.5)
    check.says("✗ 41 of 54 results differ from the exact values: 35 wrong, 6 right, given the wrong numbers before.")
    check.says("The first error is Q[0, 2]: 0.99 should be 1.05.")
    expect(check.page.locator("code").first).to_contain_text("1.80 × 0.30 + 0.10 × 0.60 + 0.50 × 0.90")
    expect(check.page.locator("td.wrong")).to_have_count(35)
    expect(check.page.locator("td.follows")).to_have_count(6)
    expect(check.page.locator("td.right")).to_have_count(13)


def test_answers_stand_in_the_address_at_once_and_each_is_one_step_of_the_history(check: Learner) -> None:
    check.open("/exercises", check="exercise.1.3.2.2.i.s.c.f")
    page, fields = check.page, check.page.locator(".st-key-check_blanks input")
    page.get_by_role("button", name=say("exercises.rule.skip")).click()
    expect(fields.nth(1)).to_be_visible()
    length = page.evaluate("history.length")
    fields.first.fill("0.25")
    fields.first.press("Tab")
    fields.nth(1).fill("7")
    fields.nth(1).press("Tab")
    page.reload()
    for field, text in zip(fields.all(), ("0.25", "7"), strict=False):
        expect(field).to_have_value(text)
    check.settle()
    assert page.evaluate("history.length") == length + 2
    fields.first.fill("")
    fields.first.press("Tab")
    page.reload()
    expect(fields.nth(1)).to_have_value("7")
    expect(fields.first).to_have_value("")


def test_a_rung_is_climbed_by_keyboard_alone(check: Learner) -> None:
    """A wrong rule is told what it gives, a wrong number where it's wrong, and the next rung comes once all are right;
    a hint comes in three stages."""
    check.open("/exercises", check="exercise.1.3.2.2.i.s.c.f")
    exercise, page = Exercise(blank=left_out(1), fair=True), check.page
    rules, fields = page.locator(".st-key-check_rules button"), page.locator(".st-key-check_blanks input")
    expect(rules).to_have_count(5)
    for at, left in ((0, 5), (3, 0)):  # AᵀV, AV
        rules.nth(at).focus()
        page.keyboard.press("Enter")
        check.says(" would be ") if left else None
        expect(rules).to_have_count(left)
    expect(fields.first).to_be_focused()
    hint = page.get_by_role("button", name=re.compile("hint", re.IGNORECASE))
    for told in exercise.hints("context", 0, 0):
        hint.focus()
        page.keyboard.press("Enter")
        expect(page.locator("code").last).to_contain_text(told)
    expect(hint).to_be_disabled()
    fields.first.focus()
    right = [f"{value:.2f}" for value in exercise.table("context").flatten()]
    for at, number in enumerate(["7", *right[1:]]):
        expect(fields.nth(at)).to_be_focused()
        page.keyboard.type(number)
        page.keyboard.press("Tab")
    expect(page.get_by_role("button", name=say("exercises.mark"))).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("td.wrong")).to_have_count(1)
    expect(page.locator("td.wrong small")).to_have_count(0)  # the right number comes after a second try
    fields.first.fill("8")
    page.get_by_role("button", name=say("exercises.mark")).focus()
    page.keyboard.press("Enter")
    check.says("8.00 should be")
    expect(page.locator(".st-key-check-next")).to_have_count(0)
    fields.first.fill(right[0])
    page.keyboard.press("Enter")
    check.says(say("exercises.rungs.done", n=3))
    page.locator(".st-key-check-next button").focus()
    page.keyboard.press("Enter")
    eventually(lambda: "check=exercise.1.3.2.2.i.s.ac.f" in check.address, True)
    check.says(say("exercises.rule.ask"))
    expect(rules.first).to_be_focused()


class Wire:
    """All that a page is sent: over HTTP, but for the files that are the same for every page, and by its socket."""

    def __init__(self, reader: Learner) -> None:
        self.sent: list[bytes] = []
        reader.page.on("response", self._take)
        reader.page.on("websocket", lambda socket: socket.on("framereceived", self._take_frame))

    def _take(self, response: Response) -> None:
        if "/static/" not in response.url and response.status == 200:
            with suppress(Error):  # of a page that is left
                self.sent.append(response.body())

    def _take_frame(self, frame: str | bytes) -> None:
        self.sent.append(frame.encode() if isinstance(frame, str) else frame)

    def right_numbers(self, exercise: Exercise, most: int | None = None) -> set[str]:
        """Which of the numbers that are asked for were sent: as printed, in more digits, or as bytes."""
        given = {number for name in exercise.printed for number in printed(exercise.table(name))}
        sent = b"\n".join(self.sent[:most])
        text = sent.decode("latin-1").replace("\xe2\x88\x92", "-").replace(STYLE, "")
        found = set()
        for name in exercise.blank:
            for value in getattr(exercise.trace, name).flatten().tolist():
                (number,) = printed(np.array(value))
                kinds = (struct.pack(kind, value) for kind in ("<d", ">d"))
                if "." not in number or len(number) < 4 or number in given:
                    continue
                forms = f"{re.escape(number)}(?![\\w.])|{re.escape(f'{value:.5f}'[:-1])}"
                told = re.search(rf"(?<![\w.])(?:{forms})", text)
                found |= {number} if told or any(kind in sent for kind in kinds) else set()
        return found

    def around(self, exercise: Exercise) -> list[bytes]:
        sent = b"\n".join(self.sent)
        return [sent[max(0, sent.find(n.encode()) - 60) :][:120] for n in self.right_numbers(exercise)]


def printed(table: np.ndarray) -> set[str]:
    return {f"{value + 0.0:.2f}" for value in table.round(2).flatten().tolist()}


def test_a_sheet_to_hand_in_sends_no_right_number(new: New) -> None:
    """The button makes it on a page that shows right numbers; its link doesn't, whatever is changed in that."""
    like = Exercise(3, integers=False, blank=left_out(4))
    teacher, student = new(Learner), new(Learner)
    wires = Wire(teacher), Wire(student)
    fill_first(teacher, check=f"exercise.{like.encoded()}")
    teacher.press("Mark my answers")
    expect(teacher.page.locator("td.wrong")).to_have_count(1)
    fill_cell(teacher, "8.87")  # right numbers come after a second try
    teacher.press("Mark my answers")
    teacher.says("The first error is")
    assert wires[0].right_numbers(like)  # to practise on: they are seen here
    sent_before = len(wires[0].sent)
    teacher.page.get_by_text(say("exercises.for_teacher"), exact=True).click()
    teacher.press(say("exercises.hand_in.make"))
    with teacher.page.expect_download() as keys:
        teacher.press(say("exercises.hand_in.key"))
    (sheet,) = read_keys(keys.value.path().read_text(encoding="utf-8")).values()
    link = teacher.page.get_by_role("link", name=say("exercises.hand_in.link")).get_attribute("href") or ""
    handed = f"exercise.{sheet.encoded()}"
    assert parse_qs(urlsplit(link).query)["check"] == [f"{handed}.student"]
    by_chance = wires[0].right_numbers(sheet, sent_before)
    assert wires[0].right_numbers(sheet) == by_chance
    for check in (f"{handed}.student", handed):
        fill_first(student, check=check)
        student.page.reload()
        expect(student.page.locator("code").last).to_contain_text("answers=")
        assert len(wires[1].sent) > 10
        assert wires[1].right_numbers(sheet) <= by_chance, wires[1].around(sheet)
    student.page.emulate_media(forced_colors="active")
    eventually(lambda: student.page.evaluate(BY_COLOUR), [])


def fill_first(reader: Learner, **address: str) -> None:
    reader.open("/exercises", **address)
    fill_cell(reader, "9.87")
    reader.page.wait_for_url("**answers=*")


def fill_cell(reader: Learner, number: str) -> None:
    cell = reader.page.get_by_label("Q, queries: a number of “the”, Q[0, 0]", exact=True)
    cell.fill(number)
    cell.press("Enter")


def test_tab_goes_through_the_rules_that_are_asked_for_and_then_from_field_to_field(check: Learner) -> None:
    check.open("/exercises", check="exercise.7.3.2.2.i.s.qk")
    page, rules = check.page, check.page.locator(".st-key-check_rules button")
    fields = page.locator(".st-key-check_blank_k input")
    page.locator(".st-key-check_blank_q input").last.fill("1")  # so that K's rule is asked for
    page.locator(".st-key-check_blank_q input").last.press("Enter")
    rule = page.locator(".st-key-check_blank_k").locator(rules)
    expect(rule).to_have_count(3)
    page.locator(".st-key-check_blank_q input").last.focus()
    for n in range(3):
        page.keyboard.press("Tab")
        expect(rule.nth(n)).to_be_focused()
    for n in range(6):
        page.keyboard.press("Tab")
        expect(fields.nth(n)).to_be_focused()
        page.keyboard.type("1")
        if not n:  # which answers the question, and takes it away
            page.keyboard.press("Enter")
            expect(rules).to_have_count(0)
            expect(fields.nth(n)).to_be_focused()


_CUT = """inputs => inputs.filter(input => {
  const { fontSize, fontFamily } = getComputedStyle(input, "::placeholder"), { padding } = getComputedStyle(input);
  const canvas = document.createElement("canvas").getContext("2d");
  canvas.font = `${fontSize} ${fontFamily}`;
  const letters = 1.2 * canvas.measureText(input.placeholder).width; // hinted, as on many screens, they are wider
  return letters > input.clientWidth - 2 * parseFloat(padding.split(" ")[1]);
}).map(input => input.placeholder)"""


def test_the_place_of_each_blank_is_read_whole_in_it(new: New) -> None:
    page = new(Learner).open("/exercises", check="exercise.7.3.2.2.i.s.sac").page
    blanks = page.locator("[class*=st-key-check_blank_] input")
    expect(blanks.first).to_be_visible()
    eventually(lambda: blanks.evaluate_all(_CUT), [])
