"""A sentence of one's own, of 1 to 16 words: all of it stands on the screens that people have, and on a projector's."""

import string
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnviz import Scenario
from tests.examples import examples
from tests.node import PageScript
from tests.unit.board.test_spine import data_of, stand_apart

DOCK = 72  # pixels, over which the last row ends
UNDER = 8  # pixels under a lecture room's board that its titles may take
LEGIBLE = 24  # pixels that a cell of the followed row has at least, with its number in it
HEADS = 16  # pixels between names of columns, in the smallest letters

# Of a window, what a board has of it: width and height in its own pixels, how large one of these is, and what the way
# out of a presentation covers.
PRESENTED = {"1280x720": (616, 348, 2, 39), "1366x768": (659, 372, 2, 39), "1920x1080": (744, 420, 2.5, 31.2)}
LAPTOPS = {"1280x720": (1232, 656, 40), "1366x768": (1318, 704, 56), "1920x1080": (1872, 1016, 78)}  # and its ribbons

_LAID = """({ hall: { inHall, numbersFirst }, layout: { labelsOf, layoutOf, PRESENTED, saysOf },
  plan: { legendAt, titlesOf }, words: { saysBelow, wordsIn } }, [data, given]) => {
  const placed = data.shown.filter((name) => name !== "scaled_scores");
  const labels = labelsOf(data.labels);
  const below = given.hall || saysBelow(data.labels, given.width);
  const wanted = { ...given, labels, saysBelow: below, tokens: data.labels.length };
  const said = below ? saysOf(given.width, given.hall) : 0;
  const { seen, room } = given.hall ? inHall(data.stages, data.matrices, placed, wanted, said, 40)
    : { seen: placed, room: wanted };
  const { columns, ...layout } = layoutOf(data.stages, data.matrices, seen, room);
  const size = layout.scale * (given.hall ? PRESENTED.letters : 1);
  const free = given.width - (below ? given.kept : 350 + 28);
  const words = wordsIn(data.labels, free, size, given.least);
  const weights = layout.boxes.attention_weights;
  return { layout, words, lean: Boolean(room.lean), free, said: said * layout.scale,
    titles: titlesOf({ columns, ...layout }, data.stages, () => false, Math.max(layout.width, given.width)),
    legend: room.lean ? null : legendAt(layout, weights) };
}"""

sentences = st.lists(st.text(string.ascii_lowercase, min_size=1, max_size=12), min_size=1, max_size=16)
ELEVEN = ["the", "quick", "brown", "fox", "jumps", "over", "the", "very", "lazy", "sleeping", "dog"]
LONG = [f"{'interpretion':.11}{letter}" for letter in string.ascii_lowercase[:16]]


def laid(script: PageScript, words: list[str], **more: Any) -> dict[str, Any]:
    """Return where a sentence's board stands, drawn as in Explore."""
    room = {"named": 0, "sentence": True, "tells": 0, "words": 600, "folds": {}, "kept": 0, "least": 10, "hall": False}
    scenario = Scenario(" ".join(words), tokenizer="whitespace")
    return dict(script.run(_LAID, [data_of(scenario), room | more]))


def is_all_there(found: dict[str, Any], room_width: float) -> None:
    boxes = found["layout"]["boxes"]
    assert {"scores", "attention_weights", "context"} <= set(boxes)
    stand_apart(found["layout"], found["titles"], found["legend"], room_width)
    assert found["layout"]["width"] <= room_width + 0.01
    words = found["words"]
    assert sum(words["widths"]) + words["between"] * (len(words["widths"]) - 1) <= found["free"] + 0.01


@pytest.mark.parametrize("screen", PRESENTED)
@given(words=sentences)
@example(words=ELEVEN)
@example(words=LONG)
@settings(max_examples=examples(25), deadline=None)
def test_a_lecture_room_sees_ribbons_scores_weights_and_contexts_in_numbers(
    script: PageScript, screen: str, words: list[str]
) -> None:
    width, height, zoom, kept = PRESENTED[screen]
    found = laid(
        script, words, width=width, height=height, ribbons=27, hall=True, kept=kept, zoom=zoom, least=10 / zoom
    )
    is_all_there(found, width)
    layout = found["layout"]
    head = layout["arcs"] + layout["chips"] + layout["shares"] + found["said"]
    assert layout["arcs"] > 0
    assert head + layout["height"] <= height + UNDER + 0.01
    assert all(box["readable"] for box in layout["boxes"].values())


@pytest.mark.parametrize("screen", LAPTOPS)
@given(words=sentences)
@example(words=ELEVEN)
@example(words=LONG)
@settings(max_examples=examples(25), deadline=None)
def test_on_a_laptop_the_last_row_ends_above_the_dock_and_the_followed_one_has_numbers(
    script: PageScript, screen: str, words: list[str]
) -> None:
    width, height, ribbons = LAPTOPS[screen]
    found = laid(script, words, width=width, height=height, ribbons=ribbons if len(words) > 9 else 78)
    is_all_there(found, width)
    layout = found["layout"]
    head = layout["arcs"] + layout["chips"] + layout["shares"] + found["said"]
    assert head + layout["end"] <= height - DOCK * min(1.5, layout["scale"]) + 0.01
    assert {"x", "q", "k", "v", "w_q", "w_k", "w_v"} <= set(layout["boxes"])
    assert layout["folded"] == []
    for name in ("scores", "attention_weights"):
        assert layout["boxes"][name]["cell"] >= LEGIBLE * layout["scale"]
