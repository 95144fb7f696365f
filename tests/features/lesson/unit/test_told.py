"""What a step of the lesson tells: the page's script says what Python says, and it stands where nothing is told of."""

import math
import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.board.data import board_data
from attnviz.core.attention import AttentionTrace
from attnviz.core.matrix_input import Edit
from attnviz.core.scenario import traced
from attnviz.features.lesson.steps import STEPS, reached_matrices, shown_matrices
from attnviz.words.numbers import percent
from tests.examples import examples
from tests.node import PageScript
from tests.unit.board.test_spine import Box, overlap, room
from tests.unit.helpers import every_way, setups

WIDTHS = 683.0, 768.0, 1318.0, 1860.0  # of halls, and of pages
_TOLD = """({ made: madeOf, lesson_text: { toldOf } }, [data, told]) =>
  told.map((each) => toldOf(madeOf(data), each))"""
_PLACES = """({ layout: { layoutOf }, lesson_text: telling }, [data, given, presents]) => {
  const room = { ...given, tells: telling.leftFor(given.width, presents) };
  const names = [...data.shown, ...data.ghosts];
  const placed = names.filter((name) => name !== (names.includes("scores") ? "scaled_scores" : "scores"));
  const { columns, ...layout } = layoutOf(data.stages, data.matrices, placed, room);
  const above = presents && layout.width > room.width - room.tells;
  return [layout, above ? null : telling.inColumn(layout, room)];
}"""

# What is said while each phase of a row is played, and of its last moment.
_PLAYED = """({ made: madeOf, timeline: { brokenIn, numbersOf, phasesOf, playing } }, [data, spine, query, one]) => {
  const [made, moment] = [madeOf(data), (phase) => ({ step: phase.steps.length - 1 })];
  const phases = phasesOf(made, spine, query);
  const broken = brokenIn(made, phases, query); // then nothing is played, and no numbers are told
  return phases.map((phase) => [phase.name, phase.kind, playing(
    made, phase.name === "scores" && one !== null ? { ...phase, columns: [one], steps: [one], only: true } : phase,
    moment(phase), query), broken ? "" : numbersOf(made, phase, moment(phase), query), broken]);
}"""

_SAID = "({ made: madeOf, explain: { inOneSentence } }, [data, place]) => inOneSentence(madeOf(data), place, null)"
_NEXT = "({ made: madeOf, explain: { whatIsNext } }, [data, place]) => whatIsNext(madeOf(data), place)"

OVERFLOW = Scenario(text="a b c", edits=(Edit("x", 1, 0, 3e38),))
ALIKE = Scenario(text="a b", w_q="zeros")


@given(setups(whole=True), st.sampled_from((2, 4)))
@example(OVERFLOW, 4)
@example(ALIKE, 4)
@example(Scenario(text="alone"), 4)
@settings(max_examples=examples(30), deadline=None)
def test_the_page_tells_what_python_tells(script: PageScript, scenario: Scenario, digits: int) -> None:
    computed = traced(scenario)
    for query in range(len(computed.tokens)):
        told = [each for step in STEPS for each in step.tells(computed, query, digits)]
        data = board_data(scenario, computed, query, digits)
        said = [text for step in STEPS for text in step.says(computed, query, digits)]
        assert script.run(_TOLD, [data, [each.sent() for each in told]]) == said


def _skipped(seen: AttentionTrace, query: int) -> list[bool]:
    """Tell which keys are −∞ for a query before softmax; other ways to mask hide weights alone."""
    divides = seen.stages["scaled_scores"]
    mask = None if divides.rule is None else divides.rule.masked_by
    if mask is None or mask >= len(divides.sources):
        return [False] * len(seen.read_tokens)
    return [value == -math.inf for value in seen.matrices[divides.sources[mask]][query].tolist()]


@given(every_way())
@example(Scenario("a b c", causal=True))
@example(Scenario("a b c", masking="padding", weighting="linear", d_in=2))
@example(Scenario("a b", masking="window", mask_use="zeroed", positions="alibi", d_in=2))
@example(Scenario("a", masking="padding", d_in=4, d_out=4, temperature=0.5))
@example(Scenario("a b c", causal=True, mask_use="zeroed"))
@example(Scenario("a b c", positions="relative", scale=False))
@example(Scenario("a b c", reads="second", second="so"))
@example(Scenario("a b c", reads="kept", second="so es", causal=True))
@example(Scenario("a b c", d_in=2, d_out=2, what_if="projections:transposed"))
@settings(max_examples=examples(60), deadline=None)
def test_what_is_said_while_a_row_is_played_is_what_is_done_to_it(script: PageScript, scenario: Scenario) -> None:
    seen = traced(scenario).for_head(0, 0)
    names = ("q", "k", "v", "scores", "scaled_scores", "attention_weights", "context")
    for query in range(len(seen.tokens)):
        data = board_data(scenario, seen, query, 4)
        skipped = _skipped(seen, query)
        some = any(skipped)
        columns = [column for column, is_skipped in enumerate(skipped) if not is_skipped]
        for one in (None, *columns[:1]):
            for name, kind, said, numbers, broken in script.run(_PLAYED, [data, names, query, one]):
                assert name not in ("k", "v") or scenario.reads == "itself", "a row of another sentence's token"
                assert broken is None or not bool(seen.attention_weights[query].isfinite().all())
                if kind == "scores":
                    assert ("masked" in said) == (some and one is None)
                    assert ("one score each" in said or "may read" in said) == (one is None)
                if kind == "scale":
                    assert ("skipped" in said) == some
                    mask = seen.stages[name].sources[1:]
                    finite = [seen.matrices[mask[0]][query, column] for column in columns] if mask else []
                    assert any(word in said for word in ("added", "exponential")) == any(each != 0 for each in finite)
                    assert ("÷" in said) == bool(seen.scaling.in_symbols), "√4 · 0.5 is told, though it comes to 1"
                if kind == "shares":
                    assert ("up to 100 %" in said) == (len(seen.stages[name].sources) == 1)
                    assert broken or re.match(r"A\S*\[\d.*\] [=≈→] \S+", numbers), numbers
                if kind == "vector":
                    assert ("ᵀ" in said) == ("transposed" in scenario.what_if)


@pytest.mark.parametrize(
    ("settings", "does"),
    [
        ({}, "adds −0.50 to the score"),
        ({"mask_use": "factor"}, "multiplies the score of “b” with “a” by exp(−0.50)"),
        ({"mask_use": "zeroed"}, "multiplies how much “b” reads “a” by exp(−0.50)"),
        ({"mask_use": "renormalized"}, "exp(−0.50); then the row is shared out again"),
        ({"weighting": "linear"}, "multiplies the score of “b” with “a” by exp(−0.50)"),
    ],
)
def test_a_number_of_a_mask_is_said_to_do_what_it_does(script: PageScript, settings: dict[str, Any], does: str) -> None:
    scenario = Scenario("a b c", masking="window", edits=(Edit("mask", 1, 0, -0.5),), **settings)
    made = trace(scenario)
    data, place = board_data(scenario, made, 1, 2), {"matrix": "mask", "row": 1, "column": 0}
    assert does in script.run(_SAID, [data, place])
    assert ("Added to" in made.stages["mask"].plain) == (not settings)


@pytest.mark.parametrize(
    ("settings", "then"),
    [({}, "÷ √2, then softmax"), ({"what_if": "softmax:sums"}, "÷ √2, then ÷ sum"), ({"weighting": "linear"}, "÷ sum")],
)
def test_what_makes_shares_is_said_to_come_next(script: PageScript, settings: dict[str, Any], then: str) -> None:
    made, place = trace(Scenario("a b c", **settings)), {"matrix": "scores", "row": 1, "column": 0}
    share = percent(float(made.attention_weights[1, 0]))
    assert script.run(_NEXT, [board_data(None, made, 1, 2), place]) == f"Next: {then}: {share}."


def place_of(
    script: PageScript, scenario: Scenario, number: int, width: float, height: float, *, presenting: bool = False
) -> tuple[dict[str, Any], Box | None, tuple[str, ...]]:
    computed, step = trace(scenario), STEPS[number - 1]
    names = shown_matrices(step, computed) if presenting else reached_matrices(number, computed)
    ghosts = [] if presenting else [name for name in computed.stages if name not in names]
    data = board_data(scenario, computed, 0, 4, names) | {"ghosts": ghosts}
    given_room = room(width, height, len(computed.tokens), plane=False)
    layout, place = script.run(_PLACES, [data, given_room, presenting])
    return layout, place, tuple(data["shown"])


@given(setups(max_tokens=12, whole=True), st.integers(1, len(STEPS)), st.sampled_from(WIDTHS), st.booleans())
@settings(max_examples=examples(60), deadline=None)
def test_it_stands_on_nothing_that_is_reached_and_not_beyond_the_board(
    script: PageScript, scenario: Scenario, number: int, width: float, presenting: bool
) -> None:
    layout, place, reached = place_of(script, scenario, number, width, 600.0, presenting=presenting)
    if place is None:
        return
    assert place["x"] + place["width"] <= width + 0.01
    assert place["y"] + place["height"] <= layout["height"] + 0.01
    on = [name for name in reached if name in layout["boxes"] and overlap(place, layout["boxes"][name])]
    assert on == []


@pytest.mark.parametrize(("width", "height"), [(1318.0, 590.0), (1318.0, 480.0), (1872.0, 900.0)])
def test_in_every_step_the_spine_is_the_same_and_what_is_told_has_its_room(
    script: PageScript, width: float, height: float
) -> None:
    seen, places = [], []
    for number in range(1, len(STEPS) + 1):
        layout, place, _ = place_of(script, Scenario(), number, width, height)
        assert place is not None
        places.append((place["x"], place["y"], place["width"]))
        assert place["x"] + place["width"] <= 0, "before the inputs, which the first steps are about"
        assert not [name for name, box in layout["boxes"].items() if overlap(place, box)], "over nothing, of any step"
        seen.append({name: box for name, box in layout["boxes"].items() if name not in ("scores", "scaled_scores")})
    assert seen == [seen[0]] * len(STEPS)
    assert places == [places[0]] * len(STEPS), "in one place"
