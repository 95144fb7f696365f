"""The board as a widget: its own script and its own Python, by the contract that anywidget has with a notebook.

A stand-in for the notebook's model hands each on to the other; notebooks themselves are in test_notebooks.py.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import attnviz
from attnviz import Edit, Scenario
from attnviz.notebook import BoardWidget
from attnviz.words import say
from tests.browser.playground import eventually

CHECKED, SENT, ALONE = (say(f"board.status.{each}") for each in ("checked", "sent", "alone"))
# A model whose kernel hears of what was changed, unless it's gone, and views of it.
_NOTEBOOK = """async ([source, states]) => {
  const script = await import(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})));
  const {render} = await script.default();
  window.notebook = {pressed: [], models: states.map((state, at) => {
    const [acts, changed] = [{}, new Set()];
    const model = {
      lost: false,
      get: (name) => state[name],
      set(name, value) {
        if (state[name] === value) return;
        state[name] = value;
        changed.add(name);
        this.fire(`change:${name}`);
      },
      fire: (name) => [...acts[name] ?? []].forEach((act) => act()),
      on: (name, act) => (acts[name] ??= new Set()).add(act),
      off: (name, act) => acts[name].delete(act),
      heard: () => Object.values(acts).reduce((sum, each) => sum + each.size, 0),
      save_changes() {
        const sent = Object.fromEntries([...changed].map((name) => [name, state[name]]));
        changed.clear();
        if (!this.lost) setTimeout(async () => this.take(await window.kernel(at, sent)));
      },
      take(told) {
        for (const [name, value] of Object.entries(told)) this.set(name, value);
        changed.clear();
      },
    };
    return model;
  }), async view(at) {
    const el = document.body.appendChild(document.createElement('div'));
    return [el, await render({model: this.models[at], el})];
  }};
  addEventListener('keydown', ({key}) => notebook.pressed.push(key));
}"""


class Notebook:
    def __init__(self, page: Page, *widgets: BoardWidget) -> None:
        self.page, self.widgets = page, widgets
        page.expose_function("kernel", self._hear)
        page.evaluate(_NOTEBOOK, [widgets[0]._esm, [self._state(each) for each in widgets]])

    def _state(self, widget: BoardWidget) -> dict[str, str]:
        return {"query": widget.query, "data": widget.data}

    def _hear(self, at: int, changed: dict[str, str]) -> dict[str, str]:
        widget = self.widgets[at]
        for name, value in changed.items():
            setattr(widget, name, value)
        return {name: value for name, value in self._state(widget).items() if changed.get(name) != value}

    def show(self, at: int = 0) -> None:
        n = self.page.locator(".board").count()
        self.page.evaluate("async at => void await notebook.view(at)", at)
        expect(self.board(n).locator(".status")).to_contain_text(CHECKED)

    def board(self, n: int) -> Any:
        return self.page.locator(".board").nth(n)

    def change(self, n: int, place: str, text: str) -> None:
        self.board(n).locator(f'[data-at="{place}"]').click()
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")

    def says(self, n: int, text: str) -> None:
        expect(self.board(n).locator(".status")).to_contain_text(text)

    def number(self, n: int, place: str) -> float:
        return float(self.board(n).locator(f'[data-at="{place}"]').evaluate("(cell) => cell.value"))


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1300, "height": 900}, reduced_motion="reduce", offline=True)
    wrong: list[str] = []
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    yield context.new_page()
    context.close()
    assert wrong == []


def test_edits_come_back_as_a_scenario_and_torchs_numbers_from_the_kernel(page: Page) -> None:
    widget, other = attnviz.show_board("the cat sat"), attnviz.show_board(Scenario("a dog", n_heads=2, d_out=4))
    notebook, seen = Notebook(page, widget, other), []
    widget.observe(lambda change: seen.append(change.new), "scenario")
    for at in (0, 0, 1):
        notebook.show(at)
    before = notebook.number(2, "attention_weights,0,0,0")
    notebook.change(0, "w_q,0,0", "2")
    edited = Scenario("the cat sat", edits=(Edit("w_q", 0, 0, 2.0),))
    for n in (0, 1):
        expect(notebook.board(n).locator('[data-at="w_q,0,0"]')).to_have_text("2.00")  # two views of one
        notebook.says(n, CHECKED)
        assert notebook.number(n, "scores,0,2") == float(attnviz.trace(edited)["scores"][0, 2])
    assert seen == [widget.scenario] == [edited]
    assert (other.scenario, notebook.number(2, "attention_weights,0,0,0")) == (
        Scenario("a dog", n_heads=2, d_out=4),
        before,
    )
    notebook.board(2).locator(".head-picture").nth(1).click()
    cell = notebook.board(2).locator('[data-at="attention_weights,1,1,0"]')
    wanted = float(attnviz.trace(other.scenario)["heads.1.attention_weights"][1, 0])
    expect(cell).to_have_js_property("value", wanted)
    given = notebook.number(0, "w_k,0,0")
    notebook.change(1, "w_k,0,0", "0")  # the other view
    for value, keys in ((0, "Control+z"), (given, "b")):
        for n in (1, 0):
            expect(notebook.board(n).locator('[data-at="w_k,0,0"]')).to_have_js_property("value", value)
            notebook.says(n, CHECKED)
        page.keyboard.press(keys)
    page.keyboard.press("Escape")
    assert widget.scenario == edited
    assert page.evaluate("notebook.pressed") == [], "keys are the board's"
    # Lumino hears them first: it asks of the element that has the focus, which is the one that the shadow is in.
    assert page.evaluate("document.activeElement.matches('[data-lm-suppress-shortcuts]')")
    widget.scenario = Scenario("a cat", causal=True)
    page.evaluate("told => notebook.models[0].take(told)", notebook._state(widget))
    for n in (0, 1):
        expect(notebook.board(n).locator('[data-at^="attention_weights"]')).to_have_count(4)


def test_without_its_kernel_it_computes_by_itself_and_says_so(page: Page) -> None:
    notebook = Notebook(page, attnviz.show_board("the cat sat"))
    notebook.show()
    page.evaluate("notebook.models[0].lost = true; notebook.models[0].fire('comm_live_update')")
    notebook.says(0, SENT)
    notebook.change(0, "w_q,0,0", "2")
    notebook.says(0, ALONE)
    wanted = attnviz.trace(Scenario("the cat sat", edits=(Edit("w_q", 0, 0, 2.0),)))["scores"]
    eventually(lambda: notebook.number(0, "scores,0,2"), pytest.approx(wanted[0, 2].item(), rel=1e-5))
    page.keyboard.press("Control+z")
    notebook.says(0, SENT)


def test_it_has_the_notebooks_theme_and_leaves_nothing_behind(page: Page) -> None:
    page.set_content("<body style='background: oklch(0.2 0.01 250)'>")  # as marimo writes it
    notebook = Notebook(page, attnviz.show_board("the cat sat"))
    notebook.show()
    assert page.locator(".board.dark").count() == 1
    page.evaluate("document.body.style.background = 'oklch(1 0 0)'")
    expect(page.locator(".board:not(.dark)")).to_have_count(1)
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    expect(page.locator(".board.dark")).to_have_count(1)
    page.evaluate("document.body.dataset.jpThemeLight = 'true'")
    expect(page.locator(".board:not(.dark)")).to_have_count(1)
    assert page.evaluate("document.fonts.size") == 1
    ended = """async () => {
      const before = notebook.models[0].heard();
      const [el, end] = await notebook.view(0);
      end();
      return [notebook.models[0].heard() - before, el.childElementCount, document.fonts.size];
    }"""
    assert page.evaluate(ended) == [0, 0, 1]


def test_the_sentence_is_changed_there_and_a_blank_one_is_none(page: Page) -> None:
    widget = attnviz.show_board("the cat sat")
    notebook = Notebook(page, widget)
    notebook.show()
    for text, tokens in (("a cat", 2), ("", 2)):
        page.get_by_role("button", name=say("board.sentence.edit")).click()
        page.get_by_label(say("board.sentence.label")).fill(text)
        page.keyboard.press("Enter")
        expect(page.locator(".board [data-at^=x]")).to_have_count(3 * tokens)
        notebook.says(0, CHECKED)
    assert widget.scenario == Scenario("a cat")
