"""One word's story, which a narrow screen shows: where its parts stand, for every shape that a board can have."""

from itertools import combinations
from typing import Any

import pytest

from attnviz import Scenario
from attnviz.board.data import board_data
from attnviz.core.scenario import traced
from tests.node import PageScript

TWELVE = "the quick brown fox jumps over the lazy dog near a river"
SCENARIOS = {
    "published": Scenario(),
    "masked": Scenario(causal=True, scale=False),
    "biases and a feed-forward step": Scenario(bias=True, d_ff=4),
    "everything": Scenario(bias=True, d_ff=9, activation="gelu", positions="sinusoidal", d_in=4, d_out=3, d_v=5),
    "12 tokens, d 8": Scenario(text=TWELVE, d_in=8, d_out=8),
    "16 tokens, d 16": Scenario(text=f"{TWELVE} and a big tree", d_in=16, d_out=16, d_ff=16),
    "1 token": Scenario(text="one", d_in=1, d_out=1),
    "a second sentence": Scenario(text="the cat sat", reads="second", second="il gatto si è seduto", d_out=4),
    "a kept sentence": Scenario(
        text="it sat", reads="kept", second="the cat came in", norm="pre", d_in=4, d_out=4, mask="causal"
    ),
    "long words": Scenario(text="Donaudampfschifffahrtsgesellschaftskapitän says שלום to مرحبا 日本語日本語日本語"),
}
WIDTHS = (328, 358, 568, 699)
TARGET = 28
OF_CELLS = 29  # with the gap of one
_STORY = """({story_layout: {storyOf}, plan: {partsOf}}, {data, width, height, open, others}) => {
  const parts = partsOf(data.stages, data.shown);
  const all = new Set(open === null ? parts.map(({stage}) => stage.name) : open);
  const {labels, keys, layers} = data;
  const own = data.stages.find(({name}) => name === 'attention_weights')?.own_from ?? keys.length;
  const read = data.others ? keys.slice(0, own) : [];
  const layout = storyOf(parts, data.matrices, {width, height, labels, keys, read, layers, open: all, others});
  return {parts, ...layout};
}"""
each_scenario = pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
each_width = pytest.mark.parametrize("width", WIDTHS)


def story(
    script: PageScript,
    scenario: Scenario,
    width: int,
    opened: list[str] | None,
    height: int = 780,
    others: tuple[dict[str, Any], ...] = (),
) -> dict[str, Any]:
    """Return the story's layout, with these parts unfolded, or all."""
    data = board_data(scenario, traced(scenario), 0, 4)
    given = {"data": data, "width": width, "height": height, "open": opened, "others": list(others)}
    told: dict[str, Any] = script.run(_STORY, given)
    return told


def areas_of(told: dict[str, Any]) -> list[tuple[str, dict[str, float]]]:
    """Everything in a story that may not stand on anything else."""
    found = []
    for name, spot in told["spots"].items():
        for part in ("title", "way", "cells", "heads", "mix", "weight", "bias", "raw"):
            if spot[part] and not (part == "title" and spot["joined"]):
                found.append((f"{name}.{part}", spot[part]))
        for other in spot["others"]:
            found += [(f"{name}.other", other["name"]), (f"{name}.other", other["cells"])]
    return found


def meet(one: dict[str, float], other: dict[str, float]) -> bool:
    across = min(one["x"] + one["width"], other["x"] + other["width"]) - max(one["x"], other["x"])
    down = min(one["y"] + one["height"], other["y"] + other["height"]) - max(one["y"], other["y"])
    return across > 0.01 and down > 0.01


@each_scenario
def test_every_matrix_has_its_place_in_the_order_of_the_computation(script: PageScript, scenario: Scenario) -> None:
    told = story(script, scenario, 358, None)
    names = [part["stage"]["name"] for part in told["parts"]]
    unfolding = [part[kind]["name"] for part in told["parts"] for kind in ("weight", "bias", "raw") if part[kind]]
    table = list(traced(scenario).stages)
    assert sorted([*names, *unfolding]) == sorted(table)
    assert names == sorted(names, key=_told_at(table).__getitem__)


def _told_at(table: list[str]) -> dict[str, float]:
    """The order of a story: V is told where it's read, behind the attention weights."""
    order: dict[str, float] = {name: at for at, name in enumerate(table)}
    return order | {"v": order["attention_weights"] + 0.5}


@each_scenario
@each_width
def test_nothing_is_wider_than_the_screen_or_stands_on_anything_else(
    script: PageScript, scenario: Scenario, width: int
) -> None:
    last = len(scenario.tokens) - 1
    others = (
        {"matrix": "x", "row": last, "part": "k"},
        {"matrix": "x", "row": last, "part": "x"},
        {"matrix": "scores", "row": last, "part": "scaled_scores"},
    )
    each: tuple[list[str] | None, ...] = ([], None)
    for opened in each:
        told = story(script, scenario, width, opened, others=others)
        areas = areas_of(told)
        for name, area in [*areas, *(("chip", chip) for chip in (*told["chips"], *told["read"], told["tools"]))]:
            assert area["x"] >= 0, name
            moved = told["words"] and name.endswith((".cells", ".heads", ".raw", ".other"))  # sideways, in its place
            assert area["x"] + area["width"] <= (told["words"] if moved else width) + 0.01, name
        for (one, first), (other, second) in combinations(areas, 2):
            assert not meet(first, second), f"{one} stands on {other}"
        assert max(area["y"] + area["height"] for _, area in areas) <= told["height"] + 0.01
        for first, second in combinations([*told["chips"], *told["read"], told["tools"]], 2):
            assert not meet(first, second)


@each_scenario
@each_width
def test_a_finger_finds_every_cell_and_button(script: PageScript, scenario: Scenario, width: int) -> None:
    told = story(script, scenario, width, None, height=500)
    for name, spot in told["spots"].items():
        for cells in filter(None, (spot["cells"], spot["weight"], spot["bias"], spot["raw"])):
            assert cells["row"] >= OF_CELLS
        if name in ("k", "scaled_scores", "attention_weights", "v"):
            assert spot["cells"]["cell"] >= OF_CELLS
        assert spot["way"] is None or spot["way"]["height"] >= TARGET
    assert all(chip["height"] >= TARGET for chip in told["chips"])


@each_scenario
def test_what_unfolds_moves_nothing_above_it_and_no_column(script: PageScript, scenario: Scenario) -> None:
    folded = story(script, scenario, 358, [])
    names = [part["stage"]["name"] for part in folded["parts"]]
    for name in (part["stage"]["name"] for part in folded["parts"] if part["weight"] or part["raw"]):
        unfolded = story(script, scenario, 358, [name])
        assert unfolded["spots"][name]["weight"] or unfolded["spots"][name]["raw"]
        for each in names:
            before, after = (told["spots"][each]["cells"] for told in (folded, unfolded))
            assert after["x"] == before["x"]
            if names.index(each) <= names.index(name):
                assert after == before


@each_scenario
@each_width
def test_a_words_column_is_at_one_place_from_its_key_to_its_value(
    script: PageScript, scenario: Scenario, width: int
) -> None:
    told = story(script, scenario, width, [])
    columns = {
        (told["spots"][name]["cells"]["x"], told["spots"][name]["cells"]["cell"])
        for name in ("k", "scaled_scores", "attention_weights", "v")
    }
    assert len(columns) == 1
    ((x, cell),) = columns
    count = len(scenario.read_tokens)
    assert told["words"] == (x + count * cell if x + count * cell > width else 0)
    if told["words"]:
        assert cell == OF_CELLS, "no wider than a finger needs, where that takes more than the screen"
