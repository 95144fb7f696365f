"""One state: whatever is done in whatever order, over whatever network, page, address and server agree on all."""

import random
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Error, WebSocketRoute, expect

from attnviz import Scenario, trace
from attnviz.words import say
from attnviz.words.numbers import written
from tests.browser.board import Board
from tests.browser.cells import shows_number
from tests.browser.playground import Playground, eventually
from tests.browser.proxy import Network, network
from tests.browser.readers import New
from tests.browser.serving import free_port, running_server

LONG = 90  # seconds: Streamlit looks for its server at ever longer intervals
CELLS = [("w_q", 0, 0), ("w_q", 1, 1), ("w_k", 2, 0), ("w_v", 0, 1)]
ACTS = 12
_DROPS = """const { pushState } = history;
history.pushState = (...state) => window.drops || pushState.apply(history, state);"""
_AGREES = "window.attnvizAddress?.answered === true && !attnvizAddress.pending && attnvizAddress.mirrored"
# ... and it has drawn that since the page last went to another address, or it was there again.
_STANDS = f"""{_AGREES} && !attnvizAddress.unknown && attnvizAddress.drawn.is === attnvizAddress.query
  && document.querySelector('[data-test-script-state="notRunning"]') !== null"""


def agrees(board: Board) -> bool:
    """Whether what the server has drawn last is what the page and its address say."""
    return bool(board.page.evaluate(_AGREES))


def query_of(board: Board) -> dict[str, str]:
    return {name: text for name, (text, *_) in parse_qs(board.address.removeprefix("?")).items()}


class Hand:
    """Does things on a board at random, and knows what should come of it."""

    def __init__(self, board: Board, seed: int) -> None:
        self.board, self.dice = board, random.Random(seed)
        self.edits: dict[tuple[str, int, int], float] = {}
        self.causal = False

    def act(self) -> None:
        dice, board = self.dice, self.board
        match dice.randrange(4):
            case 0:
                board.switch("Causal mask")
                self.causal = not self.causal
            case 1:
                board.chip(dice.choice(["Your", "starts", "with", "one", "step"])).click()
            case _:
                self.types([dice.choice(CELLS)])

    def types(self, cells: list[tuple[str, int, int]]) -> None:
        for cell in cells:
            self.edits[cell] = self.dice.randrange(-99, 99) / 10
            self.board.type_over(cell, f"{self.edits[cell]}")

    def has_it_all(self) -> bool:
        edits = {part for part in query_of(self.board).get("edits", "").split("*") if part}
        wanted = {f"{name}.{row}.{column}.{value}" for (name, row, column), value in self.edits.items()}
        return edits == wanted and (query_of(self.board).get("causal") == "true") == self.causal

    def shows_it(self) -> None:
        """The numbers are those of the scenario that all of it comes to."""
        edits = [(*cell, value) for cell, value in self.edits.items()]
        wanted = trace(Scenario(embedding="published", causal=self.causal, edits=edits))
        for row in range(6):
            shows_number(self.board.cell(("context", row, 1)), f"{wanted.context[row, 1]:.4f}".replace("-", "−"))


def test_acts_a_moment_apart_are_all_there_and_each_is_a_step(new: New) -> None:
    board = new(Board).open_board()
    hand = Hand(board, 1)
    before = board.page.evaluate("history.length")
    for _ in range(ACTS):
        hand.act()
        board.page.wait_for_timeout(hand.dice.randrange(200))
    eventually(hand.has_it_all, True)
    eventually(lambda: agrees(board), True)
    hand.shows_it()
    steps = board.page.evaluate("history.length") - before
    assert steps <= ACTS, "nothing but the acts is a step"
    board.page.reload()
    board.settle()
    hand.shows_it()


def test_while_the_network_is_stuck_and_a_server_killed_nothing_is_lost_and_another_copy_knows_all(new: New) -> None:
    port = free_port()
    with running_server() as other, network(port) as cable:
        board = new(Board)
        hand = Hand(board, 3)
        with running_server(port=port):
            board.server = cable.address
            board.open_board()
            cable.freeze()
            hand.types(CELLS[:2])
            board.page.wait_for_timeout(500)
            cable.restore()
            eventually(lambda: agrees(board), True, LONG)
            hand.shows_it()
            hand.types(CELLS[2:3])
        hand.types(CELLS[3:])  # the server is gone
        cable.to = int(other.rsplit(":", 1)[1])
        cable.cut()
        cable.restore()
        eventually(hand.has_it_all, True)
        eventually(lambda: agrees(board), True, LONG)
        hand.shows_it()
        board.errors.clear()  # the server was away


def _edits(board: Board) -> None:
    board.type_over(("w_q", 0, 1), "0.9")


def test_back_forward_and_reload_right_after_an_act_lose_nothing(new: New) -> None:
    board = new(Board).open_board()
    board.pick("starts")
    eventually(lambda: "query=2" in board.address, True)
    moves = partial(board.switch, "Causal mask")
    for act, pause, wanted in ((partial(_edits, board), 0, "edits=w_q.0.1.0.9"), (moves, 150, "causal=true")):
        act()
        board.page.wait_for_timeout(pause)
        board.page.go_back()
        board.page.wait_for_timeout(pause)
        board.page.go_forward()
        board.page.wait_for_timeout(pause)
        board.page.reload()
        eventually(partial(_is_in, board, wanted), True)
        assert "query=2" in board.address
        board.settle()
        eventually(lambda: agrees(board), True)
        board.page.go_back()
        eventually(partial(_is_in, board, wanted), False)
        eventually(lambda: agrees(board), True)


@pytest.mark.parametrize("tells", [True, False])
def test_heatmaps_follow_a_control_before_any_run_and_the_run_makes_nothing_else_of_it(new: New, tells: bool) -> None:
    """Though the browser drops writes of the address, as it does with many, and whether it tells of others or not."""
    reader, held = new(Playground), list[Any]()
    holds = False
    reader.changed = True
    reader.page.add_init_script(_DROPS)
    if not tells:
        reader.page.add_init_script("Object.defineProperty(window, 'navigation', { value: undefined })")

    def hold(browser: WebSocketRoute) -> None:
        server = browser.connect_to_server()
        browser.on_message(lambda message: held.append((server, message)) if holds else server.send(message))

    reader.page.route_web_socket("**/_stcore/stream", hold)
    reader.open(text="Your journey starts with one step", embedding="stable")
    wanted = [[written(number, 2) for number in row] for row in trace(Scenario(embedding="stable", seed=7)).q.tolist()]
    outdated = reader.page.locator(".outdated:not(:empty)")
    expect(outdated).to_have_count(0)
    holds = True
    reader.page.evaluate("window.drops = true")
    reader.set_number("Seed", 7)
    eventually(lambda: reader.cells("q"), wanted)
    expect(outdated).to_have_count(3)  # the sentence, the table and the picked cell, which are of the run before
    eventually(lambda: bool(held), True)
    assert "seed=7" not in reader.address
    reader.page.evaluate("window.drops = false")
    holds = False
    for server, message in held:
        server.send(message)
    eventually(lambda: bool(reader.page.evaluate(_AGREES)), True)
    eventually(lambda: reader.cells("q"), wanted)
    expect(outdated).to_have_count(0)
    assert "seed=7" in reader.address


def test_a_bare_address_is_the_opening_example_at_once(new: New) -> None:
    """A press before the first drawing opened another one, as it did where a link names one."""
    board, asked = new(Board), list[str]()
    board.page.on("request", lambda request: asked.append(request.url))
    board.page.goto(board.server)
    opened = query_of(board)
    assert opened["text"] == "the fluffy cat chased a mouse"
    assert "*" in board.page.url  # as all links have it
    eventually(lambda: agrees(board), True)
    assert not [url for url in asked if url.endswith("/numbers")], "what became of an address was drawn with it"
    for example, patch in (("", {"digits": "2"}), ("fluffy-cat", {"digits": "2"}), ("fluffy-cat", {"query": "3"})):
        board.page.goto(board.server + f"?example={example}" * bool(example), wait_until="commit")
        eventually(partial(board.page.evaluate, f"window.attnvizAddress?.change({patch}) > 1"), True)
        eventually(lambda: agrees(board), True)
        assert query_of(board) == opened | patch
        board.page.go_back()
        eventually(lambda: query_of(board), opened)
        eventually(lambda: agrees(board), True)


def test_controls_stand_as_the_page_says_though_the_run_that_turns_them_is_overtaken(new: New) -> None:
    board = new(Board).open_board(edits="w_q.0.1.0.9", seed=5, embedding="stable")
    seed = board.page.locator(".st-key-seed input")
    for pause in range(0, 320, 80):
        board.page.evaluate("attnvizAddress.change({ seed: '6', edits: null })")
        eventually(lambda: agrees(board), True)
        expect(seed).to_have_value("6")
        board.page.go_back()
        board.page.wait_for_timeout(pause)
        board.page.evaluate(f"attnvizAddress.change({{ query: '{pause // 80 % 2 + 2}' }}); attnvizAddress.send()")
        eventually(lambda: agrees(board), True)
        expect(seed).to_have_value("5")
        assert query_of(board)["edits"] == "w_q.0.1.0.9"


def test_a_key_that_is_held_on_a_control_loses_no_press(new: New) -> None:
    board = new(Board).open_board(embedding="stable", text="a b c", seed=1)
    board.setup_button.click()
    seed = board.page.locator(".st-key-seed input")
    seed.focus()
    for _ in range(130):  # through several runs
        board.page.keyboard.press("ArrowUp")
    eventually(lambda: agrees(board), True)
    eventually(lambda: (seed.input_value(), query_of(board)["seed"]), ("131", "131"))
    board.page.wait_for_timeout(1000)
    assert (seed.input_value(), query_of(board)["seed"]) == ("131", "131")


def _fills(board: Board, text: str, key: str) -> None:
    box = board.page.get_by_test_id("stMain").get_by_role("textbox").first
    box.fill(text)
    box.press(key)


def _clicks(board: Board, what: str) -> None:
    board.page.get_by_test_id("stMain").locator(what).first.click()


# A page with something to lose, what is done there, and what the address says of it.
ON_ANY_PAGE: list[tuple[str, dict[str, Any], Callable[[Board], object], str]] = [
    ("/learn", {"learn": "task.agreement*steps.3"},
     lambda board: _clicks(board, ".st-key-learn-time .chip >> nth=2"), "learn_query=2"),
    ("/model", {}, lambda board: _fills(board, "a cat sat", "Enter"), "model_text=a+cat+sat"),
    ("/model", {"model_head": "3.1"}, lambda board: board.switch(say("models.change.off")), "model_edits=3.1.off"),
    ("/", {"view": "heatmaps", "example": "published"}, lambda board: board.edit(0, 0, 0.9), "edits=w_q.0.0.0.9"),
    ("/check", {}, lambda board: _fills(board, "Q\n1 2\n3 4", "Control+Enter"), "tables="),
    ("/scaling", {"sweep": "dims.2-4*trials.50"},
     lambda board: board.page.locator(".stSlider").get_by_role("slider").first.press("Home"), "*p.0"),
    ("/exercises", {"check": "exercise.7.3.2.2.i.s.qk"}, lambda board: _fills(board, "5", "Enter"), "answers="),
    ("/questions", {"question": "values"}, lambda board: _clicks(board, ".st-key-predicting-skip button"),
     "predicted=values."),
    ("/questions", {"question": "values", "predicted": "values.tried"},
     lambda board: board.type_over(("w_v", 0, 0), "0.5"), "w_v.0.0.0.5"),
    ("/lesson", {"step": "embeddings", "predictions": "off"},
     lambda board: _clicks(board, ".st-key-lesson-next button"), "step=projections"),
    ("/compare", {"example": "published"}, lambda board: _clicks(board, "button:has-text(' as A')"), "pinned="),
    ("/", {"view": "board"}, _edits, "edits=w_q.0.1.0.9"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "address", "act", "wanted"), ON_ANY_PAGE[2::2])  # one of each kind of control
def test_what_is_done_on_any_page_is_known_to_a_server_started_anew_though_nobody_heard_it(
    cable: Network, new: New, path: str, address: dict[str, Any], act: Callable[[Board], object], wanted: str
) -> None:
    board = new(Board)
    board.server = cable.address
    _open_with_a_step(board, path, address)
    board.hold_back()
    cable.forget()
    eventually(lambda: board.n_held > 0, True, LONG)  # the page asks for its first run, which is heard ...
    act(board)
    board.let_go()  # ... together with the act
    _has(board, wanted)
    _goes_back(board, wanted)
    cable.freeze()
    act(board)
    board.page.wait_for_timeout(300)
    (cable.restore if path == "/compare" else cable.forget)()  # a press of a button that nobody heard is gone
    _has(board, wanted)
    board.page.reload()
    board.page.wait_for_selector('[data-test-script-state="notRunning"]', timeout=LONG * 1000)
    eventually(lambda: wanted in board.address, True)
    board.errors.clear()  # the network was away


@pytest.mark.parametrize(("path", "address", "act", "wanted"), ON_ANY_PAGE)
def test_what_is_done_on_any_page_is_there_though_back_and_forward_or_a_link_follow_at_once(
    new: New, path: str, address: dict[str, Any], act: Callable[[Board], object], wanted: str
) -> None:
    board, other = new(Board), "questions" if path == "/lesson" else "lesson"
    _open_with_a_step(board, path, address)
    act(board)
    board.page.go_back()
    for _ in range(2):  # where the act's step is written in the moment of Back, that leads past two
        with suppress(Error):  # ... or in that of Forward, nothing is there to go to any more
            board.page.go_forward()
    _has(board, wanted)
    _goes_back(board, wanted)
    board.hold_back()
    act(board)
    board.go_to(say(f"app.{other}.title"))
    board.page.wait_for_url(f"**/{other}*")
    board.let_go()  # what leads away is heard together with the act
    _has(board, wanted)


def _open_with_a_step(board: Board, path: str, address: dict[str, Any]) -> None:
    """Open a page, and change something, from which Back leads to where it was opened."""
    board.open(path, **address)
    eventually(lambda: agrees(board), True, LONG)
    board.page.evaluate("attnvizAddress.change({ query: '2' })")
    eventually(lambda: agrees(board), True)
    board.settle()


def _has(board: Board, wanted: str) -> None:
    eventually(partial(_is_in, board, wanted), True, LONG)
    eventually(lambda: agrees(board), True, LONG)


def _goes_back(board: Board, wanted: str) -> None:
    # What isn't held: Back, or an act after it, while a switch on the page still shows what was before.
    for goes in (False, True):
        if goes:
            board.page.go_back()
            eventually(partial(_is_in, board, wanted), False)
        eventually(lambda: bool(board.page.evaluate(_STANDS)), True)
    assert not _is_in(board, wanted)  # which no run put there again


def _is_in(board: Board, wanted: str) -> bool:
    return wanted in board.page.evaluate("decodeURIComponent(location.search)") or wanted in board.address
