"""The questions in a browser: all of them in turn, and each kind of control once."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, expect

from attnviz.app.components.draggable import TOKEN_ORDER_SCRIPT
from attnviz.core.stages import STAGES
from attnviz.words import say
from tests.browser.cells import shows_another, shows_number
from tests.browser.lesson import Learner
from tests.browser.playground import eventually


@pytest.fixture
def learner(new_learner: Callable[..., Learner]) -> Learner:
    return new_learner()


def test_buttons_sliders_choices_and_cells_change_the_example_and_back_returns(learner: Learner) -> None:
    learner.questions(question=1)
    shows_another(learner.cell("w_v", 0, 0), "0.0000")
    learner.press("W_v = zeros")
    shows_number(learner.cell("w_v", 0, 0), "0.0000")
    learner.says(f"{STAGES['context'].title}: changed by up to")
    learner.cell("w_v", 0, 0).dblclick()
    learner.page.keyboard.type("7")
    learner.page.keyboard.press("Enter")
    shows_number(learner.cell("w_v", 0, 0), "7.0000")
    eventually(lambda: "w_v.0.0.7.0" in learner.address, True)
    learner.settle()
    learner.page.go_back()
    shows_number(learner.cell("w_v", 0, 0), "0.0000")

    learner.questions(question=3)
    slider = learner.page.get_by_role("slider", name="b_k")
    slider.focus()
    slider.press("ArrowRight")
    learner.says(say("seen.same", matrix=STAGES["attention_weights"].title))
    learner.says(f"{STAGES['scores'].title}: changed by up to")

    learner.questions(question=8)
    learner.page.get_by_text("each column", exact=True).click()
    learner.says("1.1400 for “black”, 1.1400 for “cat”, 0.7200 for “sat”.")
    learner.says(say("seen.axis.outside", names="“black”, “cat” and “sat”"))


def test_a_token_is_followed_by_the_marked_row(learner: Learner) -> None:
    learner.questions(question=1)
    followed = re.compile(r"\bquery\b")
    expect(learner.cell("attention_weights", 1, 0)).to_have_class(followed)
    learner.page.get_by_role("radio", name="sleeps").click()
    expect(learner.cell("attention_weights", 3, 0)).to_have_class(followed)
    expect(learner.cell("attention_weights", 1, 0)).not_to_have_class(followed)


def test_what_is_dragged_by_mouse_and_keys(learner: Learner) -> None:
    learner.questions(question=7)
    block, slots = learner.page.get_by_role("slider"), learner.page.locator(".slot")
    expect(block).to_have_attribute("aria-valuetext", "on the scores")
    learner.drag(slots.nth(2), slots.nth(1))
    learner.says("The block stands half on the queries, half on the keys.")
    learner.says(f"{STAGES['k'].title}: different by up to ")
    block.press("ArrowLeft")
    learner.says(say("seen.where.same", matrix=STAGES["k"].title))
    expect(block).to_have_attribute("aria-valuetext", "on the queries")
    expect(slots).to_have_text(["÷ √d_k", "", ""])

    learner.questions(question=12)
    words = learner.page.get_by_role("group", name="Words in their order").get_by_role("button")
    learner.drag(words.nth(0), words.nth(2))
    learner.says(say("seen.order.context.same", token="dog", context="(0.5736, 1.2945)", text="dog bites man"))
    learner.says(say("seen.order.context.same", token="man", context="(0.7191, −1.5362)", text="dog bites man"))
    words.nth(2).press("ArrowLeft")
    expect(words).to_have_text(["bites", "dog", "man"])
    learner.says(say("seen.order.context.same", token="dog", context="(0.5736, 1.2945)", text="dog bites man"))
    expect(words.nth(1)).to_have_attribute("aria-label", "dog, place 2 of 3")
    eventually(lambda: "text=bites+dog+man" in learner.address, True)


def test_words_dragged_twice_hold_against_the_answer_to_the_first_drag(chromium: Browser) -> None:
    page = chromium.new_page()
    got = page.evaluate(
        """async source => {
          const url = URL.createObjectURL(new Blob([source], {type: 'text/javascript'}));
          const {default: order} = await import(url);
          const root = document.createElement('div');
          root.innerHTML = '<div class="tokens"></div>';
          document.body.append(root);
          const sent = [];
          const receive = (tokens) => order({
            parentElement: root, data: {label: '', tokens, labels: tokens},
            setStateValue: (_, value) => sent.push(value)});
          const words = () => [...root.querySelectorAll('button')].map(each => each.textContent).join(' ');
          const press = (word) => [...root.querySelectorAll('button')].find(each => each.textContent === word)
            .dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));
          receive(['dog', 'bites', 'man']);
          press('dog');
          press('dog');
          receive(sent[0]);  // what the first press made
          const seen = [words()];
          receive(sent[1]);
          seen.push(words());
          receive(['dog', 'bites', 'man']);  // as after 'Start again'
          return [...seen, words()];
        }""",
        TOKEN_ORDER_SCRIPT,
    )
    page.close()
    assert got == ["bites man dog", "bites man dog", "dog bites man"]
