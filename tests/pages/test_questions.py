"""The page of questions: its list, its links, its buttons, sliders and choices, on examples of their own."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.link.question_text import example_text, start_of
from attnviz.teach.questions import QUESTIONS, SUBJECTS, Exponent, Option, Question
from attnviz.teach.questions.asking import first_followed
from attnviz.words import say
from tests.pages.playground import Playground
from tests.pages.reader import Reader, boards_of, control_of, in_address

Open = Callable[..., AppTest]


def link_of(question: Question, chosen: dict[str, str]) -> str:
    start = start_of(question)
    return example_text(question, replace(start, options=start.options | chosen))


@pytest.fixture
def opened() -> Open:
    def open_page(**address: str) -> AppTest:
        return Reader("pages/questions.py", **address).at

    return open_page


def press(at: AppTest, label: str) -> AppTest:
    next(each for each in at.button if each.label == label and str(each.key).startswith("questions.")).click()
    at.run()
    assert not at.exception
    return at


def title(at: AppTest) -> str:
    return next((each.value for each in at.markdown if each.value[5:6].isdigit()), "")


def texts(at: AppTest) -> str:
    return " ".join(text.value for text in at.text)


def board(at: AppTest) -> dict[str, Any]:
    (found,) = boards_of(at)
    return found


@pytest.mark.parametrize("question", [each for each in QUESTIONS if each.what_if], ids=lambda question: question.slug)
def test_what_is_tried_on_the_playground_is_the_example_of_the_question(opened: Open, question: Question) -> None:
    page = Playground("pages/questions.py", question=question.slug, text="another sentence", edits="w_q.0.0.9")
    page.press(say("what_if.way"))
    assert page.at.session_state["playground.what_if"] is True
    assert page.shows(start_of(question).scenario)


def test_the_list_opens_each_question_and_leads_back(opened: Open) -> None:
    at = opened()
    for number, question in enumerate(QUESTIONS, 1):
        press(at, f"{number}. {question.title}")
        assert title(at) == f"#### {number}. {question.title}"
        assert question.answer[0] in texts(at)
        press(at, "All questions")
    assert title(at) == ""


def test_the_list_has_a_card_for_each_question_under_its_subject(opened: Open) -> None:
    at = opened()
    headings = [f"##### {say(f'question_page.subject.{subject}')}" for subject in SUBJECTS]
    assert [each.value for each in at.markdown if each.value in headings] == headings
    cards = [str(button.key) for button in at.button if str(button.key).startswith("questions.open.")]
    ordered = sorted(range(len(QUESTIONS)), key=lambda at: SUBJECTS.index(QUESTIONS[at].subject))
    assert cards == [f"questions.open.{number + 1}" for number in ordered]


def test_what_is_no_number_is_neither_drawn_nor_told_as_0(opened: Open) -> None:
    question = next(each for each in QUESTIONS if each.slug == "numerics")
    link = link_of(question, {"dtype": "float16", "shift": "off"})
    chart = next(iter(opened(question=question.slug, numbers=link).get("plotly_chart"))).proto
    drawn = [each["text"] for each in json.loads(chart.spec)["layout"]["annotations"]]
    n = drawn.count("NaN")
    assert n > 0
    assert chart.alt.endswith(say("summary.described.not_finite", n=n))
    assert "NaN" not in chart.alt


def test_next_leads_through_all_and_links_open_at_theirs(opened: Open) -> None:
    at = opened(question="1")
    for number in range(2, len(QUESTIONS) + 1):
        assert title(press(at, "Next")).startswith(f"#### {number}. ")
    assert title(press(at, "Back")).startswith(f"#### {len(QUESTIONS) - 1}. ")
    assert in_address(at, "question") == QUESTIONS[-2].slug
    assert title(opened(question="where")).startswith("#### 7. ")
    assert title(opened(question="seven")) == ""


def test_what_is_no_question_opens_the_list(opened: Open) -> None:
    assert title(opened(question="seven")) == ""


@pytest.mark.parametrize("number", range(1, len(QUESTIONS) + 1))
def test_every_button_slider_and_choice_does_what_it_says(opened: Open, number: int) -> None:
    question = QUESTIONS[number - 1]
    at = opened(question=question.slug)
    query = first_followed(question.start)
    for preset in question.presets:
        press(at, preset.label)
        wanted = question.look(preset.change(question.start), {}, 4, query)
        assert all(sentence in texts(at) for sentence in wanted.sentences), preset.label
        if preset.change(question.start) != question.start:
            press(at, "Start again")
    for control in question.controls:
        at.slider(key=f"questions.{number}.{control.name}").set_value(control.high).run()
        assert not at.exception
        wanted = question.look(control.change(question.start, control.high), {}, 4, query)
        assert all(sentence in texts(at) for sentence in wanted.sentences), control.label
        press(at, "Start again")
        assert at.slider(key=f"questions.{number}.{control.name}").value == control.read(question.start)
    for option in question.options:
        at = opened(question=question.slug)
        for choice in ("0.35", "0.5") if isinstance(option, Exponent) else tuple(option.choices):
            wanted = question.look(question.start, {option.name: choice}, 4, query)
            link = link_of(question, {option.name: choice})
            if isinstance(option, Option) and option.block:  # dragged in the browser alone
                at = opened(question=question.slug, numbers=link)
            else:
                value = float(choice) if isinstance(option, Exponent) else choice
                control_of(at, f"questions.{number}.{option.name}").set_value(value).run()
                assert in_address(at, "numbers") == link
            assert all(sentence in texts(at) for sentence in wanted.sentences), choice


def test_the_example_travels_in_the_link_and_leaves_the_playground_alone(opened: Open) -> None:
    at = press(press(opened(question="11"), "1 training step"), "1 training step")
    told, link = texts(at), in_address(at, "numbers")
    assert texts(opened(question="11", numbers=link)) == told
    assert in_address(at, "edits") == ""
    assert control_of(at, "text").value == "Your journey starts with one step"
    press(at, "Next")
    assert in_address(at, "numbers") == ""


@pytest.mark.parametrize(
    ("number", "name", "choice"),
    [
        (4, "w_k", "wider"),
        (6, "divisor", "d_in"),
        (5, "p", "0.35"),
        (7, "place", "queries"),
        (8, "axis", "columns"),
    ],
)
def test_a_choice_travels_in_the_link_and_start_again_takes_it_back(
    opened: Open, number: int, name: str, choice: str
) -> None:
    question = QUESTIONS[number - 1]
    link = link_of(question, {name: choice})
    at = opened(question=question.slug, numbers=link)
    assert not at.warning
    wanted = question.look(question.start, {name: choice}, 4)
    assert all(sentence in texts(at) for sentence in wanted.sentences)
    assert in_address(at, "numbers") == link
    press(at, "Start again")
    assert in_address(at, "numbers") == ""
    assert all(sentence in texts(at) for sentence in question.look(question.start, {}, 4).sentences)


def test_the_buttons_lead_to_the_lesson_and_to_the_sweep(opened: Open) -> None:
    at = press(opened(question="5"), "Open the scaling page")
    assert in_address(at, "sweep") == "dims.2-8-64-512*keys.6*scales.none-sqrt-linear-own_p"
    at = press(opened(question="8"), "Lesson, step 7: Softmax")
    assert in_address(at, "step") == "softmax"
    assert any(markdown.value == "#### 7. Softmax" for markdown in at.markdown)


def test_the_token_of_a_link_is_followed_until_it_starts_again(opened: Open) -> None:
    question = QUESTIONS[0]
    assert board(opened(question="1"))["query"] == 1
    at = opened(question="1", numbers=example_text(question, replace(start_of(question), query=3)))
    assert board(at)["query"] == 3
    assert in_address(at, "query") == "", "the playground's own pick stays"
    assert board(press(at, "W_v = zeros"))["query"] == 3
    assert board(press(at, "Start again"))["query"] == 1
