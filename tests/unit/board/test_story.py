"""One word's story, which a narrow screen shows: where its parts stand, for every shape that a board can have."""

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
