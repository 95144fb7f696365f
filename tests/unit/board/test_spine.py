"""The layout of a board and of a narrow screen's story, ribbons, and what a number feeds: laws for every table."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.board.data import board_data
from attnviz.core.matrix_input import Edit
from attnviz.core.scenario import traced
from tests.examples import examples
from tests.node import PageScript
from tests.unit.helpers import setups

_LAYOUT = """({ layout: { layoutOf } }, [data, room]) => {
  const placed = data.shown.filter((name) => name !== "scaled_scores");
  const { columns, ...layout } = layoutOf(data.stages, data.matrices, placed, room);
  return layout;
}"""
TITLES = """({ layout: { layoutOf }, plan: { legendAt, titlesOf } }, [data, room]) => {
  const layout = layoutOf(data.stages, data.matrices, data.shown.filter((name) => name !== "scaled_scores"), room);
  const weights = layout.boxes.attention_weights;
  const legend = weights ? legendAt(layout, weights) : null;
  return [layout, titlesOf(layout, data.stages, () => false, Math.max(layout.width, room.width)), legend];
}"""
_RIBBONS = """({ ribbons: { ribbonsOf } }, [shares, picked, middles]) =>
  ribbonsOf(shares, picked, middles, 78, 1)"""
_FEEDS = """({ made: madeOf, dependencies: { feeds } }, [data, place]) => {
  const made = madeOf(data);
  return Object.entries(feeds(made, place)).flatMap(([name, fed]) => {
    const { columns } = made.matrices[name];
    return Array.from(fed, (is, at) => is ? [`${name},${Math.floor(at / columns)},${at % columns}`] : []).flat();
  });
}"""

Box = dict[str, float]

scenarios = setups(max_tokens=16, max_d=16, whole=True).map(lambda drawn: replace(drawn, tokenizer="whitespace"))


def data_of(scenario: Scenario) -> dict[str, Any]:
    return board_data(scenario, trace(scenario), 0, 4)


def room(width: float = 1310, height: float = 704, tokens: int = 6, **more: object) -> dict[str, object]:
    return {"width": width, "height": height, "tokens": tokens, "named": 0, "sentence": True, "saysBelow": False,
            "plane": True, "tells": 0, "words": 600, "ribbons": 78} | more  # fmt: skip


def layout_of(script: PageScript, scenario: Scenario, **more: Any) -> dict[str, Any]:
    given_room = room(**{"tokens": len(scenario.tokens)} | more)
    return dict(script.run(_LAYOUT, [data_of(scenario), given_room]))


def overlap(one: Box, other: Box) -> bool:
    close = 0.01  # what floats round
    return all(
        one[at] + one[size] > other[at] + close and other[at] + other[size] > one[at] + close
        for at, size in (("x", "width"), ("y", "height"))
    )


@given(scenarios, st.sampled_from([1310.0, 900.0, 1860.0]), st.sampled_from([560.0, 704.0, 1010.0]))
@settings(max_examples=examples(60), deadline=None)
def test_no_matrix_lies_on_another_and_rows_and_columns_are_aligned(
    script: PageScript, scenario: Scenario, width: float, height: float
) -> None:
    layout = layout_of(script, scenario, width=width, height=height)
    boxes: dict[str, Box] = layout["boxes"]
    assert set(boxes) == set(trace(scenario).stages) - {"scaled_scores"}
    assert [pair for pair in combinations(boxes, 2) if overlap(boxes[pair[0]], boxes[pair[1]])] == []
    spine = [boxes[name] for name in ("x", "q", "scores", "attention_weights", "context")]
    assert {(box["y"], box["row"]) for box in spine} == {(layout["start"], layout["row"])}
    for below, above in (("scores", "k"), ("context", "v"), ("q", "w_q")):
        assert boxes[below]["x"] == pytest.approx(boxes[above]["x"])
        assert boxes[below]["cell"] == pytest.approx(boxes[above]["cell"])
    assert boxes["k"]["turned"]
    assert all(box["x"] >= 0 and box["y"] >= 0 for box in boxes.values())


def stand_apart(layout: dict[str, Any], titles: dict[str, Box], legend: Box | None, width: float) -> None:
    boxes: dict[str, Box] = layout["boxes"]
    ends = max(layout["width"], width) + 0.01
    if legend:
        assert legend["x"] + legend["width"] <= ends
        assert [name for name in boxes if overlap(legend, boxes[name])] == []
        assert [name for name in titles if overlap(legend, titles[name])] == []
    for one, other in combinations(boxes, 2):
        assert not overlap(boxes[one], boxes[other]), (one, other)
        assert not overlap(titles[one], titles[other]), (one, other)
    for name, title in titles.items():
        assert title["x"] + title["width"] <= ends
        assert [other for other in boxes if other != name and overlap(title, boxes[other])] == [], name
    if {"k", "v", "w_v"} <= set(boxes) and "attention_weights" not in boxes and boxes["k"]["turned"]:
        assert boxes["w_v"]["x"] - boxes["k"]["x"] - boxes["k"]["width"] >= 15


@pytest.mark.parametrize(
    ("width", "height", "words"), [(1310, 586, 6), (1310, 704, 6), (1860, 1016, 6), (1860, 1016, 12), (2500, 1376, 16)]
)
def test_the_first_screen_holds_it_all_with_its_numbers(
    script: PageScript, width: int, height: int, words: int
) -> None:
    layout = layout_of(script, Scenario("abcdefghijklmnop"[:words], tokenizer="characters"), width=width, height=height)
    head, dock = 152 * layout["scale"], 72 * min(1.5, layout["scale"])
    assert head + layout["height"] + dock <= height + 0.5
    assert layout["width"] <= width
    assert all(box["readable"] for box in layout["boxes"].values())


@given(scenarios, st.sampled_from([{"temperature": 0.1}, {"scale": False}]))
@settings(max_examples=examples(20), deadline=None)
def test_no_setting_that_changes_numbers_alone_moves_a_matrix(
    script: PageScript, scenario: Scenario, changed: dict[str, Any]
) -> None:
    assert layout_of(script, scenario) == layout_of(script, replace(scenario, **changed))


@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=16), st.data())
@settings(max_examples=examples(60), deadline=None)
def test_the_ribbons_of_a_row_add_up_to_one_width(
    script: PageScript, weights: list[float], data: st.DataObject
) -> None:
    picked = data.draw(st.integers(0, len(weights) - 1))
    masked = data.draw(st.integers(0, len(weights) - picked - 1))
    readable = torch.tensor(weights[: len(weights) - masked])
    shares = [*(readable / readable.sum()).tolist(), *[None] * masked]
    ribbons = script.run(_RIBBONS, [shares, picked, [100 * at for at in range(len(weights))]])
    assert [ribbon["word"] for ribbon in ribbons] == [at for at, share in enumerate(shares) if share is not None]
    assert sum(ribbon["width"] for ribbon in ribbons) == pytest.approx(56, abs=0.1)


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=300))
@settings(max_examples=examples(20), deadline=None)
def test_many_ribbons_as_few_lines_hand_out_the_same_whole(script: PageScript, weights: list[float]) -> None:
    shares = (torch.tensor(weights) / sum(weights)).tolist()
    middles = [100 * at for at in range(len(shares))]
    few = script.run(
        "({ ribbons: { ribbonsOf, merged } }, [shares, middles]) => merged(ribbonsOf(shares, 0, middles, 78, 1), 1)",
        [shares, middles],
    )
    each = script.run(_RIBBONS, [shares, 0, middles])
    assert len(few) <= 48
    assert len({line["word"] for line in few}) == len(few)
    paths = ["M" + path for line in few for path in line["path"].strip("M").split(" M")]
    assert sorted(paths) == sorted(ribbon["path"] for ribbon in each)
    assert sum(line["width"] * line["path"].count("M") for line in few) == pytest.approx(56, abs=0.1)


@pytest.mark.parametrize("use", ["added", "renormalized", "zeroed"])
@pytest.mark.parametrize("mask", ["causal", "padding:2", "not-self", "window:2"])
@pytest.mark.parametrize(("matrix", "row"), [("x", 5), ("x", 2), ("w_v", 0)])
def test_what_a_mask_hides_carries_nothing_on(script: PageScript, mask: str, use: str, matrix: str, row: int) -> None:
    """All that a number feeds changes with it, where no number is 0 by chance."""
    scenario = Scenario("the fluffy cat chased a mouse", init="normal", mask=mask, mask_use=use)
    fed = set(script.run(_FEEDS, [data_of(scenario), {"matrix": matrix, "row": row, "column": 1}]))
    changed = torch.zeros(6, 2, dtype=torch.bool)
    for more in (0.5, -0.7, 1.9):
        edit = Edit(matrix, row, 1, scenario.matrix(matrix)[row, 1].item() + more)
        changed |= (trace(replace(scenario, edits=(edit,))).context - trace(scenario).context).abs() > 1e-6
    assert {at for at in fed if at.startswith("context")} == {f"context,{i},{j}" for i, j in changed.nonzero().tolist()}


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
OF_CELLS = 29  # what a finger finds, with the gap of one
COLUMNS = ("k", "scaled_scores", "attention_weights", "v")  # that have one for each word that is read
_STORY = """({story_layout: {cellsOf, featureOf}, plan: {partsOf}}, {data, width}) => {
  const parts = partsOf(data.stages, data.shown);
  const {sizes, words} = cellsOf(parts, data.matrices, width, data.keys.length);
  const learned = parts.flatMap(({stage, weight, bias}) => [weight, bias].flatMap((each) => each ? [{left:
    sizes[stage.name].left, columns: data.matrices[each.name].columns}] : []));
  const endOf = ({left, columns}) => left + columns * featureOf(width - left, columns);
  return {parts, sizes, words, learned: learned.map(endOf)};
}"""
each_scenario = pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
each_width = pytest.mark.parametrize("width", WIDTHS)


def story(script: PageScript, scenario: Scenario, width: int) -> dict[str, Any]:
    """Return a story's parts, and how large their cells are."""
    told: dict[str, Any] = script.run(_STORY, {"data": board_data(scenario, traced(scenario), 0, 4), "width": width})
    return told


@each_scenario
def test_every_matrix_has_its_place_in_the_order_of_the_computation(script: PageScript, scenario: Scenario) -> None:
    told = story(script, scenario, 358)
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
def test_nothing_is_wider_than_the_screen_or_too_small_for_a_finger(
    script: PageScript, scenario: Scenario, width: int
) -> None:
    """What has a column for each word is moved sideways where these take more; what stands over what, CSS says."""
    told, matrices = story(script, scenario, width), traced(scenario).matrices
    count = len(scenario.read_tokens)
    (word,) = {told["sizes"][name]["cell"] for name in COLUMNS}
    assert word >= OF_CELLS
    x = told["sizes"]["k"]["left"]
    assert told["words"] == (x + count * word if x + count * word > width else 0)
    assert not told["words"] or word == OF_CELLS, "no wider than a finger needs, where that takes more than the screen"
    for part in told["parts"]:
        name, size = part["stage"]["name"], told["sizes"][part["stage"]["name"]]
        if part["kind"] == "row":
            assert size["left"] + matrices[name].shape[1] * size["cell"] <= width + 0.01, name
            assert not size["way"] or size["cell"] >= 38, "two in a line have their numbers"
    assert all(end <= width + 0.01 for end in told["learned"])
