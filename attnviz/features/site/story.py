"""The story: attention in eleven steps, what the board shows in each."""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from attnviz.board.drawn import BoardOptions, as_place, drawn_data
from attnviz.core.attention import AttentionTrace
from attnviz.core.heads import in_view
from attnviz.core.scenario import Scenario, traced
from attnviz.published import OPENING, starting_points
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS, percent, written

FLUFFY, CAT = 1, 2  # in the opening sentence: the followed token, and the token that it reads most
MOST_WORDS = 45  # in a step's prose
_DECIMALS = 2

# A number in a step's prose: its matrix, row and column, and whether it is written as a share.
Number = tuple[str, int, int, bool]


@dataclass(frozen=True)
class Step:
    """A step of the story.

    - `base`: the set-up whose board it shows; blank for a step that shows something else.
    - `shown`: the matrices on the board, None for all; `part`: those on a narrow screen.
    - `lit`: a cell whose sources are framed; `handle`: whether one number has a handle for dragging it.
    - `numbers`: the numbers in its prose, by their names; those named in `late` appear only after the prediction.
    - `before`: the step whose board is shown until then; `asks`: whether the reader predicts something.
    """

    name: str
    base: str = "cat"
    shown: tuple[str, ...] | None = None
    part: tuple[str, ...] = ()
    lit: tuple[str, int, int] | None = None
    handle: bool = False
    numbers: Mapping[str, Number] = field(default_factory=dict)
    late: tuple[str, ...] = ()
    before: str = ""
    asks: bool = False

    @property
    def title(self) -> str:
        """The step's heading."""
        return say(f"site.story.{self.name}.title")

    @property
    def asked(self) -> str:
        """The sentence that asks the reader to do or predict something."""
        return say(f"site.story.{self.name}.ask")

    def told(self, trace: AttentionTrace | None) -> str:
        """Return the step's prose as HTML, with the numbers of a trace."""
        places = {name: f"\x00{name}\x00" for name in self.numbers}
        text = html.escape(say(f"site.story.{self.name}.text", **places))

        def number(found: re.Match[str]) -> str:
            matrix, row, column, share = self.numbers[found[1]]
            assert trace is not None
            value = float(trace[matrix][row, column])
            at = f"{matrix},{row},{column}{',share' if share else ''}"
            late = " data-late" if found[1] in self.late else ""
            return f'<b data-number="{at}"{late}>{percent(value) if share else written(value, _DECIMALS)}</b>'

        return re.sub("\x00(\\w+)\x00", number, text)


_INPUTS = ("x", "w_q", "w_k", "w_v")
_TO_SCORES = ("x", "w_q", "w_k", "q", "k", "scores")
_TO_SHARES = (*_TO_SCORES, "scaled_scores", "attention_weights")
STEPS = (
    Step("words", part=("attention_weights",)),
    Step("vectors", shown=("x",), part=("x",), lit=("x", FLUFFY, 1), asks=True),
    Step("matrices", part=("q", "attention_weights"), handle=True, numbers={"number": ("w_q", 1, 0, False)}),
    Step("scores", shown=_TO_SCORES, part=("q", "k", "scores"), lit=("scores", FLUFFY, CAT),
         numbers={"score": ("scores", FLUFFY, CAT, False)}, asks=True),
    Step("shares", shown=_TO_SHARES, part=("scaled_scores", "attention_weights"),
         lit=("attention_weights", FLUFFY, CAT), numbers={"share": ("attention_weights", FLUFFY, CAT, True)},
         late=("share",), before="scores", asks=True),
    Step("mix", part=("v", "attention_weights", "context"), lit=("context", FLUFFY, 0),
         numbers={"first": ("context", FLUFFY, 0, False), "second": ("context", FLUFFY, 1, False)},
         late=("first", "second"), before="shares", asks=True),
    Step("mask", base="masked", part=("scaled_scores", "attention_weights"), before="mix", asks=True),
    Step("heads", base="heads", part=("attention_weights", "context"), asks=True),
    Step("training", base=""),
    Step("writing", base=""),
    Step("own", base=""),
)  # fmt: skip


def scenarios() -> dict[str, Scenario]:
    """Return the set-ups that the story's boards show."""
    cat = starting_points()[OPENING].scenario
    x = tuple(map(tuple, traced(cat).x.tolist()))
    heads = replace(with_second_head(cat), x=x)  # without its example's name, which stands for all four matrices
    return {"cat": cat, "masked": replace(cat, causal=True), "heads": heads}


def with_second_head(scenario: Scenario) -> Scenario:
    """Return a scenario of one head with a handmade second.

    Its queries of nouns meet the keys of verbs, and its values keep nouns and verbs.
    """
    trace = traced(scenario)
    second = {
        "w_q": ((2, 0), (0, 0), (0, 0)),
        "w_k": ((0, 0), (0, 0), (2.5, 0)),
        "w_v": ((1, 0), (0, 0), (0, 1)),
    }
    both: dict[str, Any] = {
        name: tuple((*row, *beside) for row, beside in zip(trace[name].tolist(), more, strict=True))
        for name, more in second.items()
    }
    return replace(scenario, d_out=4, n_heads=2, **both)


@cache
def traces() -> dict[str, AttentionTrace]:
    """Return the trace of each set-up, as seen from its first head."""
    return {name: traced(scenario).for_head(0) for name, scenario in scenarios().items()}


def story_data() -> dict[str, Any]:
    """Return the story's boards: set-ups, and how each step changes them."""
    followed = {"cat": FLUFFY, "masked": FLUFFY, "heads": CAT}
    bases = {
        name: drawn_data(
            scenario, traces()[name], followed[name], DEFAULT_DIGITS, BoardOptions(sentence=True), is_current=True
        )
        | {"key": "alone"}
        for name, scenario in scenarios().items()
    }
    boards = {step.name: _board(step) for step in STEPS if step.base}
    own = {"base": "cat", "shows": {"part": ["attention_weights", "context"]}}
    return {"bases": bases, "boards": boards | {"own": own}, "steps": [step.name for step in STEPS]}


def _board(step: Step) -> dict[str, Any]:
    """Return how a step changes the board of its set-up."""
    names = in_view(traces()[step.base].stages)
    shown = names if step.shown is None else tuple(name for name in names if name in step.shown)
    reads = "attention_weights" in shown
    shows = {
        "shown": shown, "ghosts": [name for name in names if name not in shown], "lit": as_place(step.lit),
        "fresh": [step.lit[0]] if step.lit else [], "ribbons": reads, "says": reads, "scaled": reads,
        "whatIf": ["w_q"] if step.handle else [],
    }  # fmt: skip
    part = [name for name in shown if name in step.part]
    return {"base": step.base, "before": step.before, "part": part, "shows": shows}
