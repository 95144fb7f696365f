"""The site in a real browser, opened from a disk without a network: the story, its boards, its predictions."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from attnviz.core.matrix_input import Edit
from attnviz.core.scenario import traced
from attnviz.features.questions.questions import QUESTIONS
from attnviz.features.site.own_words import scenario_of, set_ups
from attnviz.features.site.recorded import SENTENCE, moments, training
from attnviz.features.site.story import STEPS, scenarios
from attnviz.link.set_up import scenario_from_query
from attnviz.published.by_class import by_class
from attnviz.words import say
from attnviz.words.numbers import percent
from tests.browser.accessibility import violations
from tests.features.site.built import ADDRESS, built

NUMBERS = """place => Object.fromEntries([...document.querySelector(place).shadowRoot.querySelectorAll('[data-value]')]
  .map(cell => [cell.dataset.at, Number(cell.dataset.value)]))"""
OVERFLOWS = "document.documentElement.scrollWidth - innerWidth"
SIZES = ((1366, 768), (1920, 1080), (390, 844))
SENTENCES = ("the happy robot loves a small dragon", "Zorp's 3 cats, quickly!", "she can't see old books")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    for name, content in built().items():
        (folder / name).parent.mkdir(exist_ok=True)
        # The page for what is missing loads everything by the site's address, which there isn't here.
        (folder / name).write_bytes(content.replace(ADDRESS.encode(), b"") if name == "404.html" else content)
    return folder


@pytest.fixture
def opened(chromium: Browser, site: Path) -> Iterator[Any]:
    """A function that opens a page of the site in a window; at the end nobody may have complained."""
    contexts, wrong = [], []

    def open_page(address: str = "index.html", size: tuple[int, int] = SIZES[0], **more: Any) -> Page:
        context = chromium.new_context(
            offline=True, viewport={"width": size[0], "height": size[1]}, **{"reduced_motion": "reduce"} | more
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on(
            "request", lambda request: None if request.url.startswith(("file:", "data:")) else wrong.append(request.url)
        )
        page.goto(f"{site.as_uri()}/{address}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [each for each in wrong if "connect-src" not in each] == [], "but for the checker of accessibility itself"


def numbers(page: Page, place: str = "#cat") -> dict[str, float]:
    found: dict[str, float] = page.evaluate(NUMBERS, place)
    return found


def agree(shown: dict[str, float], trace: Any, atol: float = 1e-6) -> None:
    """Each cell is torch's; of several heads, in the matrices of all heads together."""
    assert shown, "no cell was looked at"
    for at, value in shown.items():
        matrix, *place = at.split(",")
        if matrix != "contexts":  # which is called context in a trace of all heads
            expected = float(trace[matrix][tuple(map(int, place))])
            assert value == expected or value == pytest.approx(expected, abs=atol, rel=1e-5), at


def now(page: Page) -> str:
    return str(page.evaluate("document.querySelector('section.now').id"))


def test_the_story_by_keyboard_alone_with_torchs_numbers_at_each_step(opened: Any) -> None:
    page = opened()
    expect(page.locator("section.step:visible")).to_have_count(1)
    agree(numbers(page), traced(scenarios()["cat"]).for_head(0))
    for at, step in enumerate(STEPS[:8]):
        assert now(page) == step.name
        section = page.locator(f"#{step.name}")
        section.locator(".pass").focus()
        page.keyboard.press("Enter")
        agree(numbers(page), traced(scenarios()[step.base]))
        way = section.locator(".on")
        expect(way).to_be_visible()
        way.focus()
        page.keyboard.press("Enter")
        expect(page.locator(f"#{STEPS[at + 1].name} h2")).to_be_focused()
    assert now(page) == "training"


def edited(base: str) -> Any:
    """The set-up of a step with another number in W_q."""
    scenario = scenarios()[base]
    w_q = traced(scenario).w_q.clone()
    w_q[1, 0] = -0.6
    return traced(replace(scenario, w_q=tuple(map(tuple, w_q.tolist()))))


def test_an_edit_stays_and_what_is_predicted_follows_it(opened: Any) -> None:
    page = opened("index.html#matrices")
    page.locator('#cat [data-at="w_q,1,0"]').focus()
    page.keyboard.type("-0.6")
    page.keyboard.press("Enter")
    expect(page.locator("#matrices .told")).to_contain_text("“fluffy” reads")
    page.locator(".steps .all").click()
    for step in STEPS[3:8]:
        page.evaluate("name => document.getElementById(name).scrollIntoView()", step.name)
        expect(page.locator(f"#{step.name}.now")).to_be_visible()
        assert numbers(page)["w_q,1,0"] == pytest.approx(-0.6), "before the step turns to another head, too"
        page.locator(f"#{step.name} .pass").click()
        agree(numbers(page), edited(step.base))
    page.evaluate("document.getElementById('scores').scrollIntoView()")
    expect(page.locator("#scores.now")).to_be_visible()
    agree(numbers(page), edited("cat"))
    row = edited("cat").attention_weights[1]
    told = page.locator("#shares .told"), page.locator("#shares [data-number]")
    expect(told[0]).to_contain_text(f"for “{edited('cat').tokens[int(row.argmax())]}”")
    expect(told[1]).to_have_text(percent(float(row[2])))


def test_a_recorded_training_and_a_tree_of_words(opened: Any) -> None:
    page = opened("index.html#training")
    slider = page.locator("#training input")
    expect(slider).to_be_visible()
    steps = moments()
    for at in (0, len(steps) // 2, len(steps) - 1):
        slider.fill(str(at))
        trace = training().trace(steps[at], SENTENCE).for_head(0)
        agree(numbers(page, "#model"), trace, atol=2e-3)  # numbers are recorded with four decimals
    expect(page.locator("#training .told")).to_contain_text(str(steps[next(
        at for at, step in enumerate(steps)
        if float(training().trace(step, SENTENCE).for_head(0).attention_weights[5, 2]) > 0.9
    )]))  # fmt: skip
    page.locator("#training .on").click()
    page.locator("#writer button").first.click()
    while page.locator("#writer button:not(.again)").count():  # the least likely word each time
        page.locator("#writer button:not(.again)").last.click()
    expect(page.locator("#writing .told")).to_contain_text("Start again")
    expect(page.locator("#writing .pass")).to_be_visible()
    page.locator("#writer .again").click()
    for _ in range(6):
        page.locator("#writer button").first.click()
    expect(page.locator("#writing .told")).to_contain_text("anna")
    expect(page.locator("#writer .again")).to_be_visible()


def test_a_sentence_of_ones_own_has_the_numbers_of_the_library(opened: Any) -> None:
    page = opened("index.html#own")
    for text in SENTENCES:
        page.locator("#own [name=text]").fill(text)
        page.keyboard.press("Enter")
        trace = traced(by_class(text)).for_head(0)
        expect(page.locator("#typed .chip")).to_have_count(len(trace.tokens))
        agree(numbers(page, "#typed"), trace)
    page.locator("#own [name=text]").fill("alone")
    page.keyboard.press("Enter")
    expect(page.locator("#own .aside")).to_have_text(say("site.story.own.few", fewest=2))


def test_the_way_to_the_app_carries_the_set_up_and_what_was_changed(opened: Any) -> None:
    page = opened("index.html#own")
    way = page.locator("#own .to-app")
    expect(page.locator("#typed .chip").first).to_be_visible()
    page.locator('#typed [data-at="w_k,1,1"]').focus()
    page.keyboard.type("-2.5")
    page.keyboard.press("Enter")
    page.locator('#typed [data-at="x,2,0"]').focus()
    page.keyboard.type("0.5")
    page.keyboard.press("Enter")
    page.locator("#typed .chip").nth(3).click()
    sentence = say("site.story.own.example")
    for set_up in list(set_ups())[::5]:  # each setting both ways
        for name in ("causal", "scale"):
            page.locator(f"#own [name={name}]").set_checked(set_up[name])
        page.locator("#own [name=n_heads]").set_checked(set_up["n_heads"] == 2)
        page.locator("#own select").select_option(f"{set_up['temperature']:g}")
        opened_there, wrong = scenario_from_query(urlsplit(str(way.get_attribute("href"))).query)
        assert wrong == []
        assert replace(opened_there, edits=()) == scenario_of(sentence, set_up)
        assert [str(each) for each in opened_there.edits] == [str(Edit("w_k", 1, 1, -2.5)), str(Edit("x", 2, 0, 0.5))]
        assert parse_qs(urlsplit(str(way.get_attribute("href"))).query)["query"] == ["3"]
        agree(numbers(page, "#typed"), traced(opened_there))
    page.locator("#own [name=text]").fill("a cat sees the dog")
    page.keyboard.press("Enter")
    expect(page.locator("#typed .chip")).to_have_count(5)
    of_another, _ = scenario_from_query(urlsplit(str(way.get_attribute("href"))).query)
    assert of_another.text == "a cat sees the dog"
    assert [str(each) for each in of_another.edits] == [str(Edit("w_k", 1, 1, -2.5))], "a row of X is of its word"
    agree(numbers(page, "#typed"), traced(of_another).for_head(0))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size[0]))
def test_nothing_overflows_and_everybody_reaches_everything(opened: Any, size: tuple[int, int]) -> None:
    page = opened("index.html", size, color_scheme="dark" if size[0] == 1920 else "light")
    page.locator(".steps .all").click()
    for step in STEPS:
        page.evaluate("name => document.getElementById(name).scrollIntoView()", step.name)
        expect(page.locator(f"#{step.name}.now")).to_be_attached()
        assert page.evaluate(OVERFLOWS) <= 0, step.name
    assert violations(page) == []
    question = f"question-{QUESTIONS[0].slug}.html"
    for other in (
        "questions.html",
        f"question-{QUESTIONS[0].slug}.html",
        "history-gpt.html",
        "gallery.html",
        "docs-guide.html",
        "docs-models.html",
        "404.html",
    ):
        page.goto(page.url.rpartition("/")[0] + f"/{other}")
        if other in (question, "history-gpt.html", "docs-guide.html"):
            expect(page.locator(".status").first).to_contain_text(say("board.status.sent"))
        assert page.evaluate(OVERFLOWS) <= 0, other
        assert violations(page) == [], other


def test_a_question_is_predicted_and_then_shown(opened: Any) -> None:
    for question in QUESTIONS:
        if question.shows and question.slug in ("values", "root", "order"):
            page = opened(f"question-{question.slug}.html")
            page.get_by_role("button", name=question.asked.choices[question.asked.right], exact=True).click()
            expect(page.locator("section p").nth(1)).to_have_text(question.asked.outcome(question.asked.right)[0])
            trace = question.drawn_trace(*question.acted).for_head(0)
            found = page.evaluate(NUMBERS, ".drawn > div")
            agree(found, trace)


@pytest.mark.parametrize("size", [(683, 384), (768, 1024)], ids=["zoom of 200 %", "tablet"])
def test_on_a_low_or_half_wide_window_the_board_shows_numbers_beside_the_prose(
    opened: Any, size: tuple[int, int]
) -> None:
    page = opened("index.html", size)
    chips = page.locator("#cat .chip")
    expect(chips.first).to_be_visible()
    assert chips.first.bounding_box()["x"] < 20, "nothing stands before the first word"
    stage = page.locator(".stage").bounding_box()
    share = page.locator('#cat [data-at="attention_weights,1,2"]').bounding_box()
    assert share["y"] + share["height"] <= stage["y"] + stage["height"]
    assert stage["y"] + stage["height"] < size[1]
    assert page.evaluate(OVERFLOWS) <= 0


def test_a_board_in_a_document_is_live(opened: Any) -> None:
    page = opened("docs-guide.html")
    board = page.locator(".drawn").first
    board.locator('[data-at="w_q,1,0"]').focus()
    page.keyboard.type("-0.6")
    page.keyboard.press("Enter")
    expect(board.locator('[data-at="w_q,1,0"]')).to_have_text("−0.60")
    agree(numbers(page, ".drawn"), edited("cat"))


def test_without_scripts_it_says_so_and_shows_pictures(opened: Any) -> None:
    page = opened(java_script_enabled=False)
    expect(page.locator("noscript p")).to_have_text(say("site.no_script.story"))
    expect(page.locator("section.step:visible")).to_have_count(len(STEPS) + 1)
    expect(page.locator("#scores img")).to_be_visible()


def test_in_a_sandbox_without_an_origin_it_runs(chromium: Browser, site: Path) -> None:
    """Of a host: from a disk a browser lets no page in a sandbox load a file."""
    frame = '<iframe sandbox="allow-scripts" src="index.html" width="1300" height="700"></iframe>'
    (site / "around.html").write_text(frame)
    handler = partial(SimpleHTTPRequestHandler, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        page = chromium.new_page()
        wrong: list[str] = []
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.goto(f"http://127.0.0.1:{server.server_port}/around.html")
        expect(page.frame_locator("iframe").locator('#cat [data-at="x,0,0"]')).to_be_visible()
        page.close()
        server.shutdown()
    assert [each for each in wrong if "404" not in each] == []


def test_printed_all_prose_is_on_paper(opened: Any) -> None:
    page = opened()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    expect(page.locator("section.step:visible")).to_have_count(len(STEPS) + 1)
    assert page.evaluate(OVERFLOWS) <= 0
