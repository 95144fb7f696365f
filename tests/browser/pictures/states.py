"""The states to picture: a dozen that look different; tests/js/geometry.test.js has the places on all boards."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from attnviz import Scenario
from attnviz.link.codecs import pack
from attnviz.link.set_up import query_of
from attnviz.words import say
from tests.browser.lesson import Learner

CELLS = ".cell[data-value]"
COLOURS = "canvas.colours"
HEATMAP = "figure .cells > [style]"
HEADS = "canvas[data-pictures='72']"  # all heads of the included model
CAT = {"example": "fluffy-cat"}
MODEL = {"model_text": "a cat sat on a mat"}
PUBLISHED = {"example": "published"}
LONG = "the quick brown fox jumps over the lazy dog and runs away from the bear that sleeps near a river"
ALL_STAGES = {"bias": "true", "positions": "sinusoidal", "d_ff": 4, "text": "dog bites man", "d_in": 4}


class Sitter(Learner):
    """A reader who brings a page into a state, and then keeps still."""

    def open_setup(self) -> None:
        self.setup_button.click()

    def show_all_stages(self) -> None:
        self.cell("scores", 0, 0).focus()
        self.page.locator(".board .steps").get_by_role("button", name=say("board.op.all"), exact=True).click()

    def play(self) -> None:
        """Play a row: its first step stands still, because the browser asks for reduced motion."""
        self.page.locator(".playback .play").click()

    def present(self) -> None:
        self.press(say("lesson.present"))


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
    State("playing", address=CAT, do=Sitter.play),
    State("causal-mask", address={"causal": "true"}),
    State("all-stages", address=ALL_STAGES, do=Sitter.show_all_stages),
    State("colours-alone", address={"text": LONG, "d_in": 8, "d_out": 8}, ready=COLOURS),
    State("heatmaps", address=PUBLISHED | {"view": "heatmaps"}, ready=HEATMAP),
    State("set-up", address=CAT, do=Sitter.open_setup),
    State("presentation", "/lesson", CAT | {"step": "softmax", "predictions": "off"}, do=Sitter.present),
    State("question", "/questions", {"question": "values"}),
    State("compare", "/compare", {"seed": 7, "pinned": pack(query_of(Scenario(embedding="published")))}, HEATMAP),
    State("model", "/model", MODEL, ready=HEADS),
    State("history", "/history", ready="[data-testid=stMain] h1"),
    State("learn", "/learn", ready=".st-key-learn-start button"),
    State("check-example", "/check", {"check": "examples.love-ai"}, "td.wrong"),
)
