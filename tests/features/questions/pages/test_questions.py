"""The page of questions: its list, its links, its buttons, sliders and choices, on examples of their own."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from streamlit.testing.v1 import AppTest

from attnviz import Scenario
from attnviz.features.questions.parameters import Example, example_text, question_of, start_of
from attnviz.features.questions.questions import FIRST, QUESTIONS, SUBJECTS, Exponent, Question
from attnviz.words import plural, say
from tests.pages.playground import Playground
from tests.pages.reader import Reader, boards_of, control_of, in_address, sent_to

ALL = say("question_page.all", questions=plural(len(QUESTIONS), "question"))
NEXT = say("question_page.next")
SKIP = say("predicting.skip")


def link_of(question: Question, chosen: dict[str, str]) -> str:
    start = start_of(question)
    return example_text(question, replace(start, options=start.options | chosen))


def question_titled(slug: str) -> str:
    question = question_of(slug)
    assert question is not None
    return question.title


def answered(question: Question) -> Example:
    """The example of a question once it was answered without a guess."""
    scenario, options = question.acted
    return replace(start_of(question), scenario=scenario, options=options)


def opened(**address: str) -> AppTest:
    return Reader("pages/questions.py", **address).at


def press(at: AppTest, label: str) -> AppTest:
    buttons = [each for each in at.button if str(each.key).startswith(("questions.", "predict"))]
    next(each for each in buttons if each.label == label).click()
    at.run()
    assert not at.exception
    return at


def title(at: AppTest) -> str:
    titles = {f"## {question.title}" for question in QUESTIONS}
    return next((each.value for each in at.markdown if each.value in titles), "")


def texts(at: AppTest) -> str:
    return " ".join(text.value for text in at.text)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.slug)
def test_a_prediction_that_fails_names_its_misconception_and_opens_what_refutes_it(question: Question) -> None:
    at = opened(question=question.slug)
    labels = [str(each.label) for each in at.button if str(each.key).startswith("predict.")]
    assert labels == [*question.asked.choices.values()]
    wrong, view = next(iter(question.predicts.wrong.items()))
    press(at, question.asked.choices[wrong])
    assert say(f"questions.{question.name}.wrong.{wrong}") in texts(at)
    assert in_address(at, "predicted") == f"{question.slug}.{wrong}"
    said = {name: in_address(at, name) for name in ("numbers", "predicted")}
    again = opened(question=question.slug, **said)
    assert not again.warning
    assert texts(again) == texts(at)
    at.button(key="questions.then").click().run()
    begun = answered(question)
    scenario, options, query = question.viewed(view, begun.scenario, begun.options, begun.query)
    assert not opened(question=question.slug, numbers=in_address(at, "numbers")).warning
    told = question.look(scenario, options, 4, query).sentences
    assert all(sentence in texts(at) for sentence in told)


@pytest.mark.parametrize("question", [each for each in QUESTIONS if each.what_if], ids=lambda question: question.slug)
def test_what_is_tried_on_the_playground_is_the_example_of_the_question(question: Question) -> None:
    page = Playground("pages/questions.py", question=question.slug, text="another sentence", edits="w_q.0.0.9")
    page.press(SKIP)
    page.press(say("what_if.way"))
    assert page.at.session_state["playground.what_if"] is True
    assert page.shows(answered(question).scenario)


def test_the_list_has_a_card_for_each_question_under_its_subject_opens_it_and_leads_back() -> None:
    at = opened()
    headings = [f"## {say(f'question_page.subject.{subject}')}" for subject in SUBJECTS]
    assert [each.value for each in at.markdown if each.value in headings] == headings
    cards = [str(button.key) for button in at.button if str(button.key).startswith("questions.open.")]
    assert cards == [f"questions.open.{question.slug}" for question in QUESTIONS]
    first = [button for button in at.button if str(button.key).startswith("questions.first.")]
    assert [str(button.key).removeprefix("questions.first.") for button in first] == [*FIRST]
    press(at, first[1].label)
    assert title(at) == f"## {question_titled(FIRST[1])}"
    press(at, ALL)
    for question in QUESTIONS[::8]:
        press(at, question.title)
        assert title(at) == f"## {question.title}"
        press(at, ALL)
    assert title(at) == ""


def test_what_is_no_number_is_neither_drawn_nor_told_as_0() -> None:
    question = next(each for each in QUESTIONS if each.slug == "numerics")
    link = link_of(question, {"dtype": "float16", "shift": "off"})
    svg = ElementTree.fromstring(sent_to(opened(question=question.slug, numbers=link), "svg")[-1]["svg"])
    n = "".join(svg.itertext()).count("NaN")
    assert n > 0
    assert svg.attrib["aria-label"].endswith(say("summary.described.not_finite", n=n))
    assert "NaN" not in svg.attrib["aria-label"]


def test_next_and_back_lead_in_the_order_of_the_list_and_links_open_at_theirs() -> None:
    """Through all of them in tests/features/questions/browser/test_questions.py."""
    at = opened(question=QUESTIONS[0].slug)
    press(press(at, SKIP), NEXT)
    assert title(press(press(at, SKIP), "Back")) == f"## {QUESTIONS[0].title}"
    assert in_address(at, "question") == QUESTIONS[0].slug
    assert title(opened(question="where")) == f"## {question_titled('where')}"
    assert title(opened(question="seven")) == ""


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.slug)
def test_every_button_slider_and_choice_does_what_it_says(question: Question) -> None:
    at = press(opened(question=question.slug), SKIP)
    example, query = answered(question), question.first_followed(question.start)
    scenario, options = example.scenario, example.options

    def says(scenario: Scenario, options: dict[str, str]) -> None:
        wanted = question.look(scenario, options, 4, query)
        assert all(sentence in texts(at) for sentence in wanted.sentences)
        drawn = {each["numbersOf"] for each in boards_of(at)}  # else it is marked as older
        assert not drawn or {each["of"] for each in sent_to(at, "outdated")} <= drawn

    says(scenario, options)
    for preset in question.presets:
        press(at, preset.label)
        scenario = question.pressed(preset, scenario)
        says(scenario, options)
    for control in question.controls:
        at.slider(key=f"questions.{question.slug}.{control.name}").set_value(control.high).run()
        assert not at.exception
        scenario = control.change(scenario, control.high)
        says(scenario, options)
    for option in question.options:
        for choice in ("0.35", "0.6") if isinstance(option, Exponent) else tuple(option.choices):
            options = options | {option.name: choice}
            link = example_text(question, replace(example, scenario=scenario, options=options))
            value = float(choice) if isinstance(option, Exponent) else choice
            control_of(at, f"questions.{question.slug}.{option.name}").set_value(value).run()
            assert in_address(at, "numbers") == link
            says(scenario, options)


def test_the_example_travels_in_the_link_and_leaves_the_playground_alone() -> None:
    at = press(
        press(press(opened(question="learned", example="published"), SKIP), "1 training step"), "1 training step"
    )
    told, link = texts(at), in_address(at, "numbers")
    assert texts(opened(question="learned", numbers=link)) == told
    assert in_address(at, "edits") == ""
    assert control_of(at, "text").value == "Your journey starts with one step"
    press(at, NEXT)
    assert in_address(at, "numbers") == ""


@pytest.mark.parametrize(("slug", "name", "choice"), [("sizes", "w_k", "wider"), ("root", "p", "0.35")])
def test_a_choice_of_a_link_is_shown_and_start_again_takes_it_back(slug: str, name: str, choice: str) -> None:
    question = question_of(slug)
    assert question is not None
    link = link_of(question, {name: choice})
    at = opened(question=question.slug, numbers=link)
    assert not at.warning
    wanted = question.look(question.start, {name: choice}, 4)
    assert all(sentence in texts(at) for sentence in wanted.sentences)
    assert in_address(at, "numbers") == link
    press(at, "Start again")
    assert in_address(at, "numbers") == ""
    assert question.asked.act in [each.value.removeprefix("## ").replace("\\", "") for each in at.markdown]


def test_the_buttons_lead_to_the_lesson_and_to_the_sweep() -> None:
    at = press(press(opened(question="root"), SKIP), "Open the scaling page")
    assert in_address(at, "sweep") == "dims.2-8-64-512*keys.6*scales.none-sqrt-linear-own_p"
    at = press(press(opened(question="axis"), SKIP), say("lesson.way_to", number=7))
    assert in_address(at, "step") == "softmax"
    assert any(markdown.value == "## 7. Softmax" for markdown in at.markdown)


def test_the_token_of_a_link_is_followed_until_it_starts_again() -> None:
    question = question_of("values")
    assert question is not None
    assert boards_of(opened(question="values"))[0]["query"] == 0
    at = opened(question="values", numbers=example_text(question, replace(answered(question), query=3)))
    assert boards_of(at)[0]["query"] == 3
    assert in_address(at, "query") == "", "the playground's own pick stays"
    assert boards_of(press(at, "W_v = zeros"))[0]["query"] == 3
    assert boards_of(press(at, "Start again"))[0]["query"] == 0


@pytest.mark.parametrize(
    ("asked", "key", "told"),
    [
        ("kv cache", "questions.cached", "questions.cached.title"),
        ("what is a token", "lesson.tokens", "lesson.title.tokens"),
        ("residual connection", "history.transformer", "history.steps.transformer.more"),
        ("divide by the sum", "explore.softmax.sums", "what_if.softmax.sums.act"),
        ("exam by hand", "pages.exercises", "exercises.practice"),
    ],
)
def test_a_question_of_ones_own_leads_to_a_place_that_answers_it(asked: str, key: str, told: str) -> None:
    reader = Reader("pages/questions.py").set("questions.find", asked).press_key(f"questions.find.{key}")
    assert say(told) in "\n".join(
        [each.value for each in [*reader.at.text, *reader.at.markdown, *reader.at.caption]]
    ).replace("\\", "")
    assert say("finding.none") in Reader("pages/questions.py").set("questions.find", "zebra").captions
