"""Boards in a page of their own: opened from a disk without a network, what is done on them is computed there."""

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import attnviz
from attnviz import Edit, Scenario
from attnviz.documents import board_page
from attnviz.features.questions.questions import QUESTIONS, Question
from attnviz.words import say
from attnviz.words.numbers import in_cell
from tests.browser.lone_board import LoneBoard
from tests.browser.playground import eventually

SIX = Scenario("the cat sat on the mat")
PAINTED = "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
HOSTILE = "</script><script>window.ran=1</script> <img src=//a.example/x onerror=window.ran=1> ]]> \u202e"
SENT, ALONE = say("board.status.sent"), say("board.status.alone")


@pytest.fixture
def offline(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(offline=True, viewport={"width": 1366, "height": 768}, reduced_motion="reduce")
    page = context.new_page()
    wrong: list[str] = []
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    context.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    assert wrong == []


def opened(page: Page, folder: Path, text: str) -> list[str]:
    """Open a page from the disk; return what it asks for beside itself."""
    file = folder / "board.html"
    file.write_text(text, encoding="utf-8")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    expect(page.locator(".status").first).to_contain_text(SENT)
    return [url for url in asked if url != file.as_uri() and not url.startswith("data:")]


def shown(page: Page) -> dict[str, float]:
    return page.evaluate("Object.fromEntries([...document.querySelector('.drawn').shadowRoot"
                         ".querySelectorAll('[data-at]')].map((cell) => [cell.dataset.at, cell.value]))")  # fmt: skip


def numbers_of(board: Locator, matrix: str) -> list[float]:
    """A matrix's numbers, which small cells hold without digits."""
    numbers: list[float] = board.locator(f"[data-at^={matrix}]").evaluate_all(
        "cells => cells.map((each) => each.value)"
    )
    return numbers


def test_what_is_done_on_it_is_computed_there_as_torch_does_and_undone_to_its_bits(
    offline: Page, tmp_path: Path
) -> None:
    text = board_page(SIX, link="https://example.org/?text=a&causal=1")
    assert len(text.encode()) <= 202_800
    assert opened(offline, tmp_path, text) == []
    before = shown(offline)
    board, trace = LoneBoard(offline), attnviz.trace(SIX)
    board.drag(("w_q", 0, 1), 40)
    expect(board.status).to_contain_text(ALONE)
    offline.mouse.up()
    expect(board.status).to_contain_text(ALONE)
    assert offline.locator(".board").evaluate("(board) => getComputedStyle(board).borderWidth") == "0px"
    edits = {("w_q", 0, 1): shown(offline)["w_q,0,1"]}
    rng = random.Random(5)
    for _ in range(60):
        name = rng.choice(["x", "w_q", "w_k", "w_v"])
        place = (name, rng.randrange(trace[name].shape[0]), rng.randrange(trace[name].shape[1]))
        edits[place] = round(rng.uniform(-3, 3), 2)
        board.cell(place).click()
        offline.keyboard.type(str(edits[place]))
        board.press_keys("Enter")
        offline.evaluate(PAINTED)
        moved = shown(offline)
        edited = attnviz.trace(SIX.with_edits(Edit(*place, value) for place, value in edits.items()))
        assert len(moved) == 156
        places = [(name, int(row), int(column)) for name, row, column in (cell.split(",") for cell in moved)]
        wanted = [float(edited[name][row, column]) for name, row, column in places]
        np.testing.assert_allclose(list(moved.values()), wanted, rtol=1e-5, atol=1e-5)
    for _ in range(61):
        board.press_keys("Control+z")
    expect(board.status).to_contain_text(SENT)
    assert shown(offline) == before
    board.press_keys("Escape")
    board.cell(("attention_weights", 2, 1)).hover()
    expect(board.panel).to_contain_text("“sat” reads “cat”")
    assert offline.locator(".views").is_hidden(), "what only the app has"
    assert offline.get_by_role("link").get_attribute("href") == "https://example.org/?text=a&causal=1"


def test_two_boards_dark_and_in_a_sandbox_whose_texts_run_nothing(offline: Page, tmp_path: Path) -> None:
    heads = Scenario(HOSTILE, n_heads=2, d_out=4)
    text = board_page(SIX, heads, title=HOSTILE, dark=True, tells="https://course.example/page")
    assert opened(offline, tmp_path, text) == []
    expect(offline.locator(".board")).to_have_count(2)
    other = offline.locator(".drawn").nth(1)
    head, was = other.locator(".head-picture").nth(1), numbers_of(other, "w_q")
    cell = offline.locator(".drawn").first.locator('[data-at="w_q,0,0"]')
    cell.click()
    offline.keyboard.type("2")
    offline.keyboard.press("Enter")
    expect(offline.locator(".status").first).to_contain_text(ALONE)
    expect(offline.locator(".status").nth(1)).to_contain_text(SENT)
    assert numbers_of(other, "w_q") == was
    head.click()
    eventually(lambda: numbers_of(other, "w_q") != was, True)
    assert offline.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 28)"
    framed = offline.context.new_page()
    framed.goto("about:blank")
    framed.set_content("<iframe sandbox='allow-scripts' width=1000 height=700></iframe>")
    framed.locator("iframe").evaluate("(frame, text) => (frame.srcdoc = text)", text)
    expect(framed.frame_locator("iframe").locator(".status").first).to_contain_text(SENT)
    for page in (offline, framed):
        assert [frame.evaluate("window.ran") for frame in page.frames] == [None] * len(page.frames)


def test_of_what_is_done_the_page_around_is_told_where_it_is_of_the_named_origin(chromium: Browser) -> None:
    context = chromium.new_context()
    page = context.new_page()
    context.route("https://*.example/**", lambda route: route.fulfill(body="<body></body>", content_type="text/html"))
    for origin, told in (("https://course.example", 1), ("https://other.example", 0)):
        page.goto("https://course.example/page")
        page.evaluate("window.told = []; addEventListener('message', ({ data }) => told.push(data))")
        text = board_page(Scenario("the cat sat"), tells=origin)
        mount = "document.body.append(Object.assign(document.createElement('iframe'), {srcdoc: text, width: 1000}))"
        page.evaluate(f"(text) => {mount}", text)
        frame = page.frame_locator("iframe")
        frame.locator('[data-at="w_q,0,0"]').click()
        page.keyboard.type("2")
        page.keyboard.press("Enter")
        expect(frame.locator(".status")).to_contain_text(ALONE)
        edits = "told.map(({detail}) => detail).filter((detail) => `${detail}`.includes('edits'))"
        eventually(partial(page.evaluate, edits), ["edits=w_q.0.0.2.0"] * told)
    context.close()


def test_a_question_is_predicted_on_its_page_before_anything_of_it_is_answered(chromium: Browser) -> None:
    (question,) = (each for each in QUESTIONS if each.slug == "values")
    asked, (wrong, why) = question.asked, next(iter(question.asked.wrong.items()))
    context = chromium.new_context(viewport={"width": 1366, "height": 900})
    page = context.new_page()
    context.route("https://*.example/**", lambda route: route.fulfill(body="<body></body>", content_type="text/html"))
    page.goto("https://course.example/page")
    page.evaluate("window.told = []; addEventListener('message', ({ data }) => told.push(data))")
    mount = "document.body.append(Object.assign(document.createElement('iframe'), {srcdoc: text, width: 1300}))"
    page.evaluate(f"(text) => {mount}", board_page(question, tells="https://course.example"))
    frame = page.frame_locator("iframe")
    before = question.drawn_trace(question.start, question.defaults)["w_v"][0, 0].item()
    cell = frame.locator('[data-at="w_v,0,0"]')
    expect(cell).to_have_js_property("value", before)
    assert why not in frame.locator("body").inner_text()
    frame.get_by_role("button", name=asked.choices[wrong]).click()
    for said in (why, asked.outcome(wrong)[0], question.answer[0]):
        expect(frame.locator("section")).to_contain_text(said)
    after = question.drawn_trace(*question.acted)
    for name in ("x", "attention_weights", "context"):
        shown = frame.locator(f'[data-at^="{name},"]').evaluate_all("cells => cells.map((cell) => cell.value)")
        assert shown == after[name].flatten().tolist()
    detail = {"about": "values", "choice": wrong, "right": False}
    assert {"attnviz": "predicted", "detail": detail} in page.evaluate("told")
    context.close()


@pytest.mark.parametrize("slug", ["root", "numerics"])
def test_a_question_without_a_board_has_a_page_with_its_tables(offline: Page, tmp_path: Path, slug: str) -> None:
    (question,) = (each for each in QUESTIONS if each.slug == slug)
    file = tmp_path / "question.html"
    file.write_text(board_page(question), encoding="utf-8")
    offline.goto(file.as_uri())
    for scenario, options in ((question.start, question.defaults), question.acted):
        (first, *_) = tables = question.look(scenario, options, 2, question.first_followed(scenario)).tables
        expect(offline.locator("svg[role=img]")).to_have_count(len(tables))
        wanted = [in_cell(value, 2) for value in first.matrix.double().flatten().tolist()]
        assert offline.locator("svg[role=img]").first.locator("text").all_text_contents()[: len(wanted)] == wanted
        for button in offline.get_by_role("button").all()[-1:]:
            button.click()
    expect(offline.locator("section")).to_contain_text(question.answer[0])


def test_in_a_notebook_it_has_its_theme_its_own_keys_and_the_height_that_it_needs(offline: Page) -> None:
    offline.set_viewport_size({"width": 800, "height": 700})
    shown = SIX._repr_mimebundle_()["text/html"]
    offline.set_content(f"<body data-jp-theme-light='false' onkeydown='window.pressed = 1'>{shown}</body>")
    frame = offline.frame_locator("iframe")
    expect(frame.locator(".status")).to_contain_text(SENT)
    assert frame.locator("html").get_attribute("data-theme") == "dark"
    assert frame.locator("html").evaluate("(page) => page.scrollHeight <= innerHeight"), "nothing is scrolled in it"
    for width, most in ((700, 192), (1000, 156), (800, 156)):  # the first is told word by word
        offline.set_viewport_size({"width": width, "height": 700})
        expect(frame.locator("[data-at]")).to_have_count(most)
        assert all(frame.locator("[data-at]").all_text_contents()), "every number can be read"
    frame.locator('[data-at="w_q,0,0"]').click()
    offline.keyboard.press("b")
    assert offline.evaluate("window.pressed") is None


@pytest.mark.parametrize(("shown_of", "why"), [((), "nothing to show"), ((Scenario("a", d_out=129),), "128 columns")])
def test_what_no_board_draws_is_refused(shown_of: tuple[Scenario | Question, ...], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        board_page(*shown_of)


def test_a_word_that_reads_itself_less_is_not_said_to_read_its_own_name(offline: Page, tmp_path: Path) -> None:
    scenario = Scenario("never say", d_in=2, d_out=2, x="identity", w_q=[[2, 0.5], [0, 1]], w_k="identity")
    opened(offline, tmp_path, board_page(scenario))
    expect(offline.locator(".ruler")).to_contain_text(say("board.ruler.promise_itself", token="never"))
    expect(offline.locator(".says b")).to_have_text("“never” reads itself most: 74 %")


def test_random_numbers_say_so_from_the_start(offline: Page, tmp_path: Path) -> None:
    opened(offline, tmp_path, board_page(SIX))
    expect(offline.locator(".says b")).to_contain_text(
        "Random numbers, so this means nothing: “the (0)” happens to read "
    )
    expect(offline.locator(".says b")).not_to_contain_text("%")
