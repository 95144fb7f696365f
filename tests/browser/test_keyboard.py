"""Everything by keyboard alone."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.board import Board
from tests.browser.cells import shows_number
from tests.browser.playground import Playground, eventually
from tests.whole import dear

CONTROLS = {
    "Playground", "Scaling", "Set-up", "Share",
    "Sentence", "Examples", "d_in", "d_out", "Seed", "Same seed again", "New seed",
    "Initialization", "Causal mask", "Divide by √d_k", "Temperature", "Biases b_q, b_k, b_v", "Tokens are",
    "Token vectors", "Shown digits", "Device", "Start over", "journey", "X", "matrix editor", "Reset", "Identity",
    "Zeros", "Random", "Paste a table into W_q", "Undo",
}  # fmt: skip
MOST_STOPS = 110


def tab_to(playground: Playground, name: str, key: str = "Tab") -> None:
    for _ in range(MOST_STOPS):
        playground.page.keyboard.press(key)
        if playground.focused == name:
            return
    raise AssertionError(f"{name} was not reached with {key}")


def test_the_tab_key_reaches_every_control(playground: Playground) -> None:
    playground.edit(0, 1, 0.9).says("W_q[0, 1]: 0.5166 → 0.9000")
    reached: set[str] = set()
    playground.setup_button.click()
    for _ in range(MOST_STOPS):
        reached.add(playground.tab().removesuffix("expand_more"))
        if reached >= CONTROLS:
            break
    assert not CONTROLS - reached


@dear
def test_a_whole_visit_without_a_mouse(playground: Playground) -> None:
    keyboard = playground.page.keyboard

    tab_to(playground, "Set-up")
    keyboard.press("Enter")
    tab_to(playground, "Sentence")
    keyboard.press("Control+A")
    keyboard.type("dog bites man")
    keyboard.press("Enter")
    eventually(lambda: playground.labels("scores"), ["dog", "bites", "man"])
    keyboard.press("Escape")
    eventually(lambda: playground.focused, "Set-up")

    tab_to(playground, "bites")
    keyboard.press("ArrowRight")
    eventually(lambda: playground.focused, "man")
    eventually(lambda: playground.outlined("scores"), ["man"])
    keyboard.press("Home")
    eventually(lambda: playground.outlined("scores"), ["dog"])
    expect(playground.chip("dog")).to_be_focused()

    tab_to(playground, "matrix editor")
    keyboard.press("ArrowRight")
    playground.type_into_cell(0.9)
    playground.page.wait_for_selector("text=/W_q\\[\\d, \\d\\]: /")
    before = playground.cells("k")

    tab_to(playground, "X", key="Shift+Tab")
    keyboard.press("ArrowRight")
    keyboard.press("ArrowRight")
    keyboard.press("Enter")
    playground.says("Paste a table into W_k")
    tab_to(playground, "Zeros")
    keyboard.press("Enter")
    playground.shows("k", "man", ["0.0000", "0.0000"])
    assert playground.cells("k") != before

    tab_to(playground, "Undo")
    keyboard.press("Enter")
    eventually(lambda: playground.cells("k"), before)


@dear
def test_the_switches_and_lists_of_the_set_up_answer_to_keys(new_board: Callable[..., Board]) -> None:
    playground = new_board().open_board()
    keyboard = playground.page.keyboard
    tab_to(playground, "Set-up")
    keyboard.press("Enter")
    tab_to(playground, "Initialization")
    keyboard.press("ArrowDown")
    keyboard.press("ArrowDown")
    keyboard.press("Enter")
    eventually(lambda: playground.address.startswith("?init="), True)
    tab_to(playground, "Causal mask", key="Shift+Tab")
    keyboard.press("Space")
    shows_number(playground.cell(("attention_weights", 0, 1)), "–")
    tab_to(playground, "Temperature")
    keyboard.press("ArrowUp")
    keyboard.press("Enter")
    eventually(lambda: "temperature=1.1" in playground.address, True)
    tab_to(playground, "Start over")
    keyboard.press("Enter")
    eventually(lambda: playground.address.startswith("?text=the+fluffy+cat+chased+a+mouse&edits=x.example."), True)
