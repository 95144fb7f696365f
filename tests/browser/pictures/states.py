"""The states to picture: every page, and states in which it looks different."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

from attnviz import Scenario
from attnviz.link.codecs import pack
from attnviz.link.set_up import query_of
from attnviz.words import say
from tests.browser.board import Place
from tests.browser.lesson import Learner

CELLS = ".cell[data-value]"
COLOURS = "canvas.colours"
CHART = ".stPlotlyChart .xtick, .stPlotlyChart .ytick"
HEATMAP = "figure .cells > [style]"
HEADS = "canvas[data-pictures='72']"  # all heads of the included model
CAT = {"example": "fluffy-cat"}
MODEL = {"model_text": "a cat sat on a mat"}
PUBLISHED = {"example": "published"}
LONG = "the quick brown fox jumps over the lazy dog and runs away from the bear that sleeps near a river"
ALL_STAGES = {"bias": "true", "positions": "sinusoidal", "d_ff": 4, "text": "dog bites man", "d_in": 4}


class Sitter(Learner):
    """A reader who brings a page into a state, and then keeps still."""

    def type_over(self, place: Place, text: str) -> Self:
        self.cell(*place).focus()
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")
        return self

    def open_setup(self) -> None:
        self.setup_button.click()

    def open_share(self) -> None:
        self.page.get_by_role("button", name=re.compile(f"^{say('share.button')}")).click()
        # The link has this server's address, which differs each time.
        self.page.locator(".copy-link input").first.evaluate("input => { input.style.visibility = 'hidden'; }")

    def show_all_stages(self) -> None:
        self.cell("scores", 0, 0).focus()
        self.page.locator(".board .steps").get_by_role("button", name=say("board.op.all"), exact=True).click()

    def play(self) -> None:
        """Play a row: its first step stands still, because the browser asks for reduced motion."""
        self.page.locator(".playback .play").click()

    def present(self) -> None:
        self.press(say("lesson.present"))

    def change_a_number(self) -> None:
        self.type_over(("w_q", 1, 0), "-2")


@dataclass(frozen=True)
class State:
    """A page opened by an address, actions on it, and an element that is visible after them."""

    name: str
    path: str = "/"
    address: dict[str, Any] = field(default_factory=dict)
    ready: str = CELLS
    do: Callable[[Sitter], object] = lambda sitter: None


STATES = (
    State("first-visit"),
    State("playground", address=CAT),
    State("pinned-cell", address=CAT | {"cell": "attention_weights.1.2"}),
    State("changed-number", address=CAT, do=Sitter.change_a_number),
    State("playing", address=CAT, do=Sitter.play),
    State("published", address=PUBLISHED),
    State("causal-mask", address={"causal": "true"}),
    State("all-stages", address=ALL_STAGES, do=Sitter.show_all_stages),
    State("twelve-tokens", address={"text": " ".join(LONG.split()[:12]), "d_in": 8, "d_out": 8}),
    State("colours-alone", address={"text": LONG, "d_in": 8, "d_out": 8}, ready=COLOURS),
    State("heatmaps", address=PUBLISHED | {"view": "heatmaps"}, ready=HEATMAP),
    State("set-up", address=CAT, do=Sitter.open_setup),
    State("share", address=CAT, do=Sitter.open_share),
    State("no-sentence", address={"text": " "}, ready=".stAlert"),
    State("message", address={"text": "dog bites man", "d_in": "abc"}),
    State("lesson-first", "/lesson", CAT, ".chip"),
    State("lesson-one-score", "/lesson", CAT | {"step": "one-score", "predictions": "off"}),
    State("lesson-softmax", "/lesson", CAT | {"step": "softmax", "predictions": "off"}),
    State("lesson-last", "/lesson", CAT | {"step": "context", "predictions": "off"}),
    State("presentation", "/lesson", CAT | {"step": "softmax", "predictions": "off"}, do=Sitter.present),
    State("questions", "/questions", ready=".st-key-questions_list button"),
    State("question", "/questions", {"question": "values"}),
    State("compare-empty", "/compare", PUBLISHED, HEATMAP),
    State("compare", "/compare", {"seed": 7, "pinned": pack(query_of(Scenario(embedding="published")))}, HEATMAP),
    State("scaling", "/scaling", {"sweep": "dims.2-64-512*trials.50"}, CHART),
    State("folded", address={"d_ff": 4, "positions": "sinusoidal", "n_heads": 2, "d_in": 4, "output": "true"}),
    State("heads", address=CAT | {"n_heads": 3, "d_out": 6, "embedding": "stable"}),
    State("model", "/model", MODEL, ready=HEADS),
    State("history", "/history", ready="[data-testid=stMain] h1"),
    State("learn", "/learn", ready=".st-key-learn-start button"),
    State("check", "/check", ready="textarea"),
    State("check-example", "/check", {"check": "examples.love-ai"}, "td.wrong"),
)
