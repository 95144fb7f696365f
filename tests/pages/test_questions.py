"""The page of questions: its list, its links, its buttons, sliders and choices, on examples of their own."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.app.text import as_message
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


def said_by(message: str, words: str) -> bool:
    """Whether a message holds these words, in which blanks are kept together."""
    return words in message.replace("\N{NO-BREAK SPACE}", " ")


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


@pytest.mark.parametrize(("number", "name"), [("7", "where"), ("07", "where"), ("12", "order")])
def test_a_link_of_before_opens_by_its_number_and_is_written_anew(opened: Open, number: str, name: str) -> None:
    at = opened(question=number)
    assert title(at).startswith(f"#### {int(number)}. ")
    assert in_address(at, "question") == name
    assert not at.warning


@pytest.mark.parametrize(("number", "chosen", "anew"), [("4", "w_k=1", "w_k=wider"), ("8", "axis=2", "axis=whole")])
def test_a_choice_of_before_is_written_anew(opened: Open, number: str, chosen: str, anew: str) -> None:
    at = opened(question=number, numbers=chosen)
    assert not at.warning
    assert in_address(at, "numbers").endswith(anew)
    assert in_address(opened(question=number, numbers=in_address(at, "numbers")), "numbers").endswith(anew)


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


@pytest.mark.parametrize(
    ("number", "damaged"), [("4", "w_k=2"), ("5", "p=1.5"), ("5", "p=nan"), ("7", "place=-1"), ("8", "axis=")]
)
def test_a_choice_that_there_is_not_gives_way_to_the_start(opened: Open, number: str, damaged: str) -> None:
    at = opened(question=number, numbers=damaged)
    question = QUESTIONS[int(number) - 1]
    option = next(option for option in question.options if option.name == damaged.partition("=")[0])
    (warning,) = at.warning
    raw = repr(damaged.partition("=")[2])
    if isinstance(option, Exponent):
        expected = say("links.expected.number", low="0", high="1")
        said = say("links.value", name=option.name, raw=raw, expected=expected, used=option.default)
    else:
        said = say("links.choice", raw=raw, label=option.label, used=option.choices[option.default])
    assert warning.value == as_message(say("links.part", part=say("links.example", parts=said)))
    assert "`" not in warning.value, "a sentence, and no code"
    assert all(sentence in texts(at) for sentence in question.look(question.start, {}, 4).sentences)


@pytest.mark.parametrize("strange", ["foo=9", "%25%25", "axes=whole", "d_in"])
def test_what_nobody_knows_in_a_links_example_is_named(opened: Open, strange: str) -> None:
    at = opened(question="axis", numbers=f"axis=zz&{strange}")
    (warning,) = at.warning
    name = unquote(strange.partition("=")[0])
    assert as_message(repr(name) if name != "d_in" else "d_in = ''") in warning.value
    assert "zz" in warning.value, "both are told"
    assert ".;" not in warning.value


@pytest.mark.parametrize("example", ["d_in=500", "text=" + "+".join("word" for _ in range(40)), "d_in=abc"])
def test_a_damaged_example_gives_way_to_the_start(opened: Open, example: str) -> None:
    at = opened(question="1", numbers=example)
    assert say("seen.start") in texts(at)
    assert any("example" in warning.value for warning in at.warning)


@pytest.mark.parametrize(
    ("question", "example"),
    [
        ("12", "text=x+y+z+w"),
        ("3", "d_out=3&embedding=stable"),
        ("9", "text=one"),
        ("1", "causal=true"),
        ("10", "text=the+cat+sat+down&embedding=stable&seed=5&d_in=4&d_out=9"),
    ],
)
def test_an_example_that_a_question_cannot_be_seen_on_gives_way(opened: Open, question: str, example: str) -> None:
    at = opened(question=question, numbers=example)
    assert any(said_by(warning.value, say("question_page.foreign")) for warning in at.warning)
    assert not press(at, "All questions").warning


def test_the_buttons_lead_to_the_lesson_and_to_the_sweep(opened: Open) -> None:
    at = press(opened(question="5"), "Open the scaling page")
    assert in_address(at, "sweep") == "dims.2-8-64-512*keys.6*scales.none-sqrt-linear-own_p"
    at = press(opened(question="8"), "Lesson, step 7: Softmax")
    assert in_address(at, "step") == "softmax"
    assert any(markdown.value == "#### 7. Softmax" for markdown in at.markdown)


def test_the_board_of_a_question_shows_its_example(opened: Open) -> None:
    shown = board(press(opened(question="1"), "W_v = zeros"))
    assert set(shown["matrices"]["w_v"]["values"]) == {0.0}
    assert shown["labels"] == ["the", "black", "cat", "sleeps"]


def test_the_token_of_a_link_is_followed_until_it_starts_again(opened: Open) -> None:
    question = QUESTIONS[0]
    assert board(opened(question="1"))["query"] == 1
    at = opened(question="1", numbers=example_text(question, replace(start_of(question), query=3)))
    assert board(at)["query"] == 3
    assert in_address(at, "query") == "", "the playground's own pick stays"
    assert board(press(at, "W_v = zeros"))["query"] == 3
    assert board(press(at, "Start again"))["query"] == 1


def test_the_words_stand_over_every_board_to_be_picked_and_ribbons_where_weights_are_seen(opened: Open) -> None:
    for number, question in enumerate(QUESTIONS, 1):
        if not question.shows:
            continue
        drawn = board(opened(question=str(number)))
        reads = "attention_weights" in drawn["shown"]
        assert (drawn["sentence"], drawn["says"], drawn["ribbons"]) == (True, reads, reads or None)


def test_what_cannot_be_computed_leaves_the_board(opened: Open) -> None:
    at = opened(question="4", numbers="w_k=1")
    assert board(at)["shown"] == ["x", "w_q", "w_v", "q", "v"]
    assert set(board(at)["notes"]) == {"x", "w_q", "w_v", "q", "v"}
