"""What a lecture room sees without a scroll, on the screens that projectors have."""

from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from attnviz.features.lesson.steps import STEPS
from attnviz.features.questions.questions import QUESTIONS
from attnviz.features.share.playlist_text import MOMENT, PLAYLIST, PLAYLIST_TEXT, Moment
from tests.browser.lesson import Learner
from tests.browser.looks import digits_below
from tests.browser.playground import box_of, eventually, is_laid, named
from tests.browser.readers import New

HALLS = {(1366, 768): 24, (1280, 720): 24, (1920, 1080): 30}  # and pixels that a digit has at least
CAT = "example=fluffy-cat"
ROW = {"attention_weights", "context"}  # what is seen with scores, whatever has no room
TOLD = "predictions=off"
LISTED = urlencode({PLAYLIST: PLAYLIST_TEXT.encode((Moment("", "First"), Moment("lesson", "Then"))), MOMENT: 1})
PLACES: dict[str, tuple[str, set[str]]] = {
    "explore": (f"/?{CAT}", ROW),
    "published": ("/?example=published", ROW),
    "own": (f"/?{urlencode({'text': 'the angry dog chased a small bird'})}", ROW),
    "listed": (f"/?{CAT}&{LISTED}", ROW),
    "values": ("/questions?question=values", ROW | {"w_v", "v"}),
    "values-told": (f"/questions?question=values&{TOLD}", ROW),
    "biases": ("/questions?question=biases", ROW),
    "biases-told": (f"/questions?question=biases&{TOLD}", ROW),
    "parts": ("/questions?question=parts", {"e", "p", "scores"}),
    "lesson-1": (f"/lesson?{CAT}&step=tokens&{TOLD}", set()),
    "lesson-3": (f"/lesson?{CAT}&step=projections&{TOLD}", {"w_q", "w_k", "w_v", "q", "k", "v"}),
    "softmax": (f"/lesson?{CAT}&step=softmax", {"scaled_scores"}),
    "softmax-told": (f"/lesson?{CAT}&step=softmax&{TOLD}", {"scaled_scores", "attention_weights"}),
    "context": (f"/lesson?{CAT}&step=context&{TOLD}", {"v", *ROW}),
    "learn": ("/learn", set()),
    "learn-listed": (f"/learn?{LISTED}", set()),
    "model": ("/model?model_text=a+cat+sat+on+a+mat", set()),
}

# What is below what is seen, and which matrices are seen: cells, words, percentages, A and its slider. A dock that
# explains a cell stands over what it is scrolled past, as does the strip of a playlist.
_SEEN = """() => {
  const roots = [document, ...[...document.querySelectorAll('*')].flatMap(each => each.shadowRoot ?? [])];
  const all = selector => roots.flatMap(root => [...root.querySelectorAll(selector)]).filter(each =>
    each.checkVisibility({ visibilityProperty: true, opacityProperty: true }));
  const box = each => each.getBoundingClientRect();
  const strip = all('nav').map(box).filter(({ top, height }) => height > 0 && top > innerHeight / 2);
  const end = Math.min(innerHeight, ...strip.map(({ top }) => top), ...all('.board .panel').map(each => box(each).top));
  const asked = '.st-key-question_head h2, .st-key-question_panel p';
  const seen = all(`.board .cell, .board .share, .chip, .weights td, ${asked}`);
  const slider = all('.time .slider');
  const low = [...seen.filter(each => box(each).bottom > end + 8),
    ...slider.filter(each => box(each).bottom > Math.min(innerHeight, ...strip.map(({ top }) => top)))];
  return {
    below: [...new Set(low.map(each => `${each.dataset.at?.split(',')[0] ?? each.className ?? each.tagName}`
      + ` by ${Math.round(box(each).bottom - end)}`))],
    matrices: [...new Set(all('.board .cell').map(each => each.dataset.at.split(',')[0]))],
    cut: all('.board .cell').filter(each => box(each).right > innerWidth).length,
  };
}"""


def test_a_place_is_whole_on_a_projector_in_digits_read_from_the_last_row(new: New) -> None:
    learner = new(Learner, 1366, 768)
    page = learner.go(_presented("explore")).page

    def missing(name: str) -> dict[str, Any]:
        seen = page.evaluate(_SEEN)
        return {"below": seen["below"], "cut": seen["cut"], "missing": sorted(PLACES[name][1] - {*seen["matrices"]})}

    for name in PLACES:
        learner.turn_to(_presented(name))
        expect(page.locator(".board .cell, .chip, .weights td").first).to_be_visible()
        for (width, height), pixels in HALLS.items():
            page.set_viewport_size({"width": width, "height": height})
            is_laid(page)
            at = (name, width)
            eventually(lambda: (at, missing(name)), (at, {"below": [], "cut": 0, "missing": []}))  # noqa: B023
            eventually(lambda: (at, digits_below(page, pixels)), (at, []))  # noqa: B023
            if name == "explore":
                assert page.locator(".board .ribbon[d^=M]").count() == 6
                expect(page.locator(".board .share").nth(2)).to_have_text("61\N{NO-BREAK SPACE}%")
            if name == "own":  # its caveat stands in the headline
                expect(page.locator(".board .says b")).to_be_visible()


def _presented(name: str) -> str:
    path = PLACES[name][0]
    return f"{path}{'&' if '?' in path else '?'}present=1"


# Each question and each step of the lesson.
EACH = {question.slug: f"/questions?question={question.slug}" for question in QUESTIONS}
EACH |= {f"step-{step.name}": f"/lesson?{CAT}&step={step.name}" for step in STEPS}
TITLES = {question.slug: question.title for question in QUESTIONS}
TITLES |= {f"step-{step.name}": f"{number}. {step.title}" for number, step in enumerate(STEPS, 1)}


# Takes the strip of a playlist away, or puts it back, as its script does.
_LISTS = """listed => {
  const roots = [...document.querySelectorAll('*')].flatMap(each => each.shadowRoot ?? []);
  const strips = roots.flatMap(root => [...root.querySelectorAll('nav')]);
  for (const strip of strips) strip.hidden = !listed;
  document.documentElement.toggleAttribute('data-listed', listed);
  return strips.length;
}"""
_DOWN = "main => main.scrollHeight - main.clientHeight"


@pytest.mark.parametrize("more", [f"&{LISTED}", f"&{TOLD}"], ids=["asked", "told"])
def test_each_question_and_step_is_whole_on_a_projector_without_a_scroll(new: New, more: str) -> None:
    """What is asked is so beside the strip of a playlist, too."""
    learner = new(Learner, 1366, 768)
    page = learner.go(f"{EACH['values']}{more}&present=1").page

    def wrong() -> dict[str, Any]:
        seen = page.evaluate(_SEEN)
        return {
            "below": seen["below"], "cut": seen["cut"], "scroll": page.get_by_test_id("stMain").evaluate(_DOWN) > 1,
            "digits": digits_below(page, 24),
        }  # fmt: skip

    for name, path in EACH.items():
        learner.turn_to(f"{path}{more}&present=1").is_at(TITLES[name])
        expect(page.locator(".board .cell, .chip, svg[role=img], .row-bars").first).to_be_visible()
        for width, height in ((1366, 768), (1280, 720)):
            page.set_viewport_size({"width": width, "height": height})
            for listed in (False, True) if more == f"&{LISTED}" else (None,):
                if listed is not None:
                    eventually(lambda: page.evaluate(_LISTS, listed) > 0, True)  # noqa: B023
                is_laid(page)
                with named(name, width, "beside a strip" if listed else "alone"):
                    eventually(wrong, {"below": [], "cut": 0, "scroll": False, "digits": []})


ELEVEN = urlencode({"text": "the quick brown fox jumps over the very lazy sleeping dog"})
_COVERED = """() => {
  const box = each => each.getBoundingClientRect();
  const board = [...document.querySelectorAll('*')].map(each => each.shadowRoot?.querySelector('.board')).find(Boolean)
    ?? document.querySelector('.board');
  const covers = [document.querySelector('.presented-end'), board.querySelector('.playback')].filter(Boolean).map(box);
  return [...board.querySelectorAll('.chip, .share, .cell, .says b')].filter(each => covers.some(one => {
    const other = box(each);
    return one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1
      && other.top < one.bottom - 1;
  })).map(each => each.textContent);
}"""


@pytest.mark.parametrize("presented", [True, False], ids=["presented", "laptop"])
def test_eleven_words_of_ones_own_are_whole_with_ribbons_and_digits(new: New, presented: bool) -> None:
    page = new(Learner, 1366, 768).go(f"/?{ELEVEN}{'&present=1' if presented else ''}").page
    expect(page.locator(".board .cell").first).to_be_visible()

    def wrong() -> dict[str, Any]:
        seen = page.evaluate(_SEEN)
        return {
            "below": seen["below"], "cut": seen["cut"], "missing": sorted({"scores", *ROW} - {*seen["matrices"]}),
            "covered": page.evaluate(_COVERED), "ribbons": page.locator(".board .ribbon[d^=M]").count(),
            "numbers": page.locator(".board .cell:not(:empty)[data-at^=attention_weights]").count(),
        }  # fmt: skip

    for width, height in HALLS:
        page.set_viewport_size({"width": width, "height": height})
        is_laid(page)
        whole = {"below": [], "cut": 0, "missing": [], "covered": [], "ribbons": 11, "numbers": 121}
        eventually(wrong, whole)


def test_no_name_of_a_curve_lies_over_what_stands_beside_its_chart(new: New) -> None:
    page = new(Learner, 1280, 720).go("/learn?present=1").page
    names = page.locator(".curves .name")
    expect(names).to_have_count(2)

    table = box_of(page.locator(".weights table"))
    for at in range(2):
        eventually(lambda: box_of(names.nth(at))["x"] >= table["x"] + table["width"], True)  # noqa: B023
