"""The plane of keys and the mix of values: what is drawn is what torch computed, and no name lies on another."""

import math
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from attnviz import AttentionTrace, Edit, Scenario
from attnviz.board.data import board_data
from attnviz.core.scenario import traced
from tests.node import PageScript
from tests.unit.helpers import edited, setups

SIZES = st.tuples(st.integers(160, 330), st.integers(140, 420))
_PICTURES = """(modules, [data, query, [width, height], before]) => {
  const { pictureOfScores } = modules.plane_pictures;
  const { pictureOfMix, mixOf } = modules.plane_pictures;
  const { namesIn } = modules.plane_labels;
  const made = modules.made(data), size = {width, height};
  const drawn = picture => {
    const first = namesIn(picture, data.keys, size, 1);
    const own = first.places.map(({id, choice}) => [id, choice]);
    const kept = new Map(before ? Object.entries(before) : own);
    return {...picture, ...namesIn(picture, data.keys, size, 1, kept)};
  };
  const mix = pictureOfMix(made, query, size, 1, null, mixOf(made, query, null));
  return [pictureOfScores(made, query, size, 1, null), mix].map(drawn);
}"""


def pictures(
    script: PageScript, scenario: Scenario, query: int, size: tuple[int, int] = (178, 240), kept: Any = None
) -> Any:
    return script.run(_PICTURES, [board_data(scenario, traced(scenario), query, 4), query, size, kept])


def vectors(trace: AttentionTrace, query: int) -> tuple[torch.Tensor, torch.Tensor]:
    return trace.q[query].double(), trace.k.double()


@pytest.mark.parametrize("d_out", [1, 2, 3, 32])
@given(data=st.data(), size=SIZES)
def test_a_querys_length_times_the_reach_that_is_drawn_is_the_score(
    script: PageScript, d_out: int, data: st.DataObject, size: tuple[int, int]
) -> None:
    scenario = replace(data.draw(setups(max_tokens=8)), d_out=d_out)
    query = data.draw(st.integers(0, len(scenario.tokens) - 1))
    trace = traced(scenario)
    q, keys = vectors(trace, query)
    assume(q.norm() > 1e-6)
    picture, _ = pictures(script, scenario, query, size)
    (x, y), unit = picture["view"]["origin"], picture["view"]["unit"]
    direction = (q / q.norm()).tolist() if d_out == 2 else [0.0, 1.0]
    for mark in picture["marks"]:
        key = keys[mark["word"]]
        fx, fy = mark["foot"]
        reach = ((fx - x) * direction[0] + (y - fy) * direction[1]) / unit
        score = trace.scores[query, mark["word"]].item()
        assert q.norm() * reach == pytest.approx(score, rel=0.01, abs=1e-5 * (q.norm() * key.norm()).item())
        # True angle and length: how far the key itself stands from the origin and from the query's axis.
        assert math.dist(mark["at"], (x, y)) / unit == pytest.approx(key.norm().item(), rel=1e-6, abs=1e-9)
        rest = (key.norm() ** 2 - reach**2).clamp(min=0).sqrt().item()
        assert math.dist(mark["at"], (fx, fy)) / unit == pytest.approx(rest, rel=1e-3, abs=1e-5 * key.norm().item())
        if d_out == 2:
            assert [(mark["at"][0] - x) / unit, (y - mark["at"][1]) / unit] == pytest.approx(key.tolist(), abs=1e-9)


def apart(a: Any, b: Any) -> bool:
    across = a["x"] + a["width"] <= b["x"] + 1e-6 or b["x"] + b["width"] <= a["x"] + 1e-6
    return across or a["y"] + a["height"] <= b["y"] + 1e-6 or b["y"] + b["height"] <= a["y"] + 1e-6


@given(scenario=edited(setups(max_d=4), extremes=True), data=st.data(), size=SIZES)
def test_all_stands_in_the_picture_no_name_on_another_and_of_up_to_8_words_each_has_one(
    script: PageScript, scenario: Scenario, data: st.DataObject, size: tuple[int, int]
) -> None:
    count = len(scenario.tokens)
    query = data.draw(st.integers(0, count - 1))
    kept = data.draw(
        st.none() | st.dictionaries(st.sampled_from([*map(str, range(count)), "main"]), st.integers(-1, 39))
    )
    trace = traced(scenario)
    for picture, matrix in zip(pictures(script, scenario, query, size, kept), (trace.k, trace.v), strict=True):
        points = [mark["at"] for mark in picture["marks"]] + ([picture["main"]["at"]] if picture["main"] else [])
        assert all(-1e-6 <= x <= size[0] + 1e-6 and -1e-6 <= y <= size[1] + 1e-6 for x, y in points)
        assert all(matrix[mark["word"]].isfinite().all() for mark in picture["marks"])
        if count > 8:
            continue
        boxes = picture["places"] + ([] if picture["crowded"] else picture["rulers"])
        for at, box in enumerate(boxes):
            assert box["x"] >= -1e-6
            assert box["x"] + box["width"] <= size[0] + 1e-6
            assert box["y"] >= -0.02
            assert box["y"] + box["height"] <= size[1] + 1e-6
            assert all(apart(box, other) for other in boxes[at + 1 :])
        named = {place["id"] for place in picture["places"]}
        assert named == {str(mark["word"]) for mark in picture["marks"]} | ({"main"} if picture["main"] else set())


# --- Moving a tip ---------------------------------------------------------------------------------------------

_MOVED = """(modules, [data, name, row, wished]) => {
  const { gripOf, editsOf } = modules.plane_tips;
  const made = modules.made(data), grip = gripOf(made, name, row);
  if (!grip) return null;
  const { columns, values } = made.matrices[grip.matrix];
  return editsOf({...grip, from: [...values.slice(row * columns, (row + 1) * columns)]}, wished);
}"""


@given(
    scenario=setups(max_tokens=4, max_d=5, whole=True),
    data=st.data(),
    name=st.sampled_from("qk"),
    way=st.tuples(st.floats(-3, 3), st.floats(-3, 3)),
)
def test_a_tip_that_is_moved_moves_its_row_by_as_little_as_it_takes(
    script: PageScript, scenario: Scenario, data: st.DataObject, name: str, way: tuple[float, float]
) -> None:
    """Against the pseudo-inverse of torch; E is moved where X is made of it."""
    scenario = replace(scenario, d_out=2)
    row = data.draw(st.integers(0, len(scenario.tokens) - 1))
    trace = traced(scenario)
    vector, w = trace[name][row].double(), trace[f"w_{name}"].double()
    wished = vector + torch.tensor(way, dtype=torch.float64)
    edits = script.run(_MOVED, [board_data(scenario, trace, 0, 4), name, row, wished.tolist()])
    matrix = scenario.token_matrix
    singular = torch.linalg.svdvals(w)
    assume(singular[-1] > 1e-2 * singular[0] or singular[-1] < 1e-6 * singular[0])
    start = trace[matrix][row].double()
    least = start + (wished - vector) @ torch.linalg.pinv(w, rtol=1e-4)
    assert [(edit["matrix"], edit["row"], edit["column"]) for edit in edits] == [
        (matrix, row, at) for at in range(len(start))
    ]
    got = [edit["value"] for edit in edits]
    assert got == pytest.approx(least.tolist(), abs=2e-4 * max(1.0, least.abs().max().item()))
    if len(w) > 1 and singular[-1] > 1e-2 * singular[0]:  # it can go anywhere
        moved = traced(replace(scenario, edits=tuple(Edit(**edit) for edit in edits)))
        assert moved[name][row].tolist() == pytest.approx(
            wished.tolist(), abs=1e-3 * (1 + least.abs().max().item()) * (1 + w.norm().item())
        )
