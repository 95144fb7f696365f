"""The page's picture of a row in tiles: its numbers and sentences are those of the trace."""

import math
import re

import pytest
import torch

import attnviz
from attnviz import Scenario
from attnviz.core.attention import AttentionTrace
from attnviz.features.costs.row_in_tiles import MOST_KEYS_DRAWN, RowInTiles, row_in_tiles
from attnviz.features.costs.traffic import in_tiles, whole
from attnviz.words.numbers import written

TEXT = "the fluffy cat chased a mouse"


def traced(**settings: object) -> AttentionTrace:
    return attnviz.trace(Scenario(TEXT, **settings)).for_head(0)  # type: ignore[arg-type]


def row(query: int, size: int, **settings: object) -> RowInTiles:
    made = row_in_tiles(traced(**settings), query, size)
    assert made is not None
    return made


@pytest.mark.parametrize(
    "settings",
    [{}, {"causal": True}, {"masking": "window"}, {"n_heads": 2, "d_out": 4}, {"positions": "rotary"},
     {"positions": "alibi"}, {"temperature": 0.2}],
)  # fmt: skip
@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_the_bars_at_the_end_are_the_attention_weights(settings: dict[str, object], size: int) -> None:
    trace = traced(**settings)
    for query in range(len(trace.tokens)):
        made = row(query, size, **settings)
        bars = torch.tensor(made.bars(len(made.steps) - 1))
        torch.testing.assert_close(bars / bars.sum(), trace.attention_weights[query], rtol=0, atol=1e-6)
        assert max(bars) == 1
        torch.testing.assert_close(made.steps[-1].output[0], trace.context[query], rtol=0, atol=1e-6)


@pytest.mark.parametrize("query", range(6))
def test_a_larger_score_shrinks_all_earlier_bars_by_the_factor_that_is_told(query: int) -> None:
    made = row(query, 2, seed=5, init="normal")
    for at, step in enumerate(made.steps[1:], 1):
        told, factor = made.told(at), float(step.factor[0])
        before, now = made.bars(at - 1), made.bars(at)
        assert now[: len(before)] == pytest.approx([factor * bar for bar in before], rel=1e-4)
        assert (factor < 1) == (float(step.m[0]) > float(made.steps[at - 1].m[0]))
        assert (f"= {written(factor, 3)}, and then the tile is added" in told) == (factor < 1)
        assert ("aren't changed" in told) == (factor == 1)
    assert written(float(made.plain[0]), 3) in made.told(len(made.steps) - 1)


def test_a_tile_that_is_hidden_as_a_whole_adds_nothing_and_says_so() -> None:
    made = row(0, 2, causal=True)
    assert "begin" in made.told(0)
    assert made.bars(2)[1:] == [0.0] * 5
    assert "aren't changed" in made.told(2)
    last = row(5, 2, masking="window", mask_size=2)
    assert last.bars(0) == [0.0, 0.0]
    assert "hides all of it" in last.told(0)
    assert last.numbers(0)["m"] == "−∞"
    assert "begin" in last.told(2)


def test_only_a_softmax_of_the_scaled_scores_is_drawn_in_tiles() -> None:
    assert row_in_tiles(traced(weighting="linear"), 0, 2) is None
    assert row_in_tiles(traced(causal=True, mask_use="zeroed"), 0, 2) is None
    long = attnviz.trace(Scenario("a " * (MOST_KEYS_DRAWN + 1), d_in=3)).for_head(0)
    assert row_in_tiles(long, 0, 2) is None


def test_traffic_is_counted_as_the_algorithms_do_it() -> None:
    """A walk through both algorithms, counting each number that is read, written and multiplied."""
    n, width, rows, columns = 8, 3, 2, 4
    moved = multiplied = 0
    moved += 2 * n * width + n * n  # Q and K are read, the scores written
    moved += n * n + n * n  # these are read, the weights written
    moved += n * n + n * width + n * width  # weights and V are read, the context is written
    multiplied += n * n * width + n * n * width
    assert whole(n, width) == (multiplied, moved, n * n)
    moved = multiplied = 0
    for _ in range(0, n, rows):
        moved += rows * width
        for _ in range(0, n, columns):
            moved += 2 * columns * width
            multiplied += 2 * rows * columns * width + rows * (1 + width)
        moved += rows * width
    assert in_tiles(n, width, rows, columns) == (multiplied, moved, rows * columns)
    assert math.prod((rows, columns)) < n * n


def test_texts_hold_no_numbers_of_their_own() -> None:
    one, other = (row(1, 2, seed=seed).told(1) for seed in (1, 2))
    assert re.sub(r"[−\d.]+", "", one.split(".")[0]) == re.sub(r"[−\d.]+", "", other.split(".")[0])
    assert one != other
