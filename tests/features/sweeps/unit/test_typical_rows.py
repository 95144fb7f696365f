"""Typical rows: they sharpen as d grows, unless scores are divided by √d; and they're the sweep's own."""

import numpy as np
import pytest
import torch

from attnviz import sweep_scaling
from attnviz.features.sweeps.sources import BLOCK
from attnviz.features.sweeps.typical_rows import n_rows, typical_rows

DIMS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


@pytest.mark.parametrize("seed", [0, 1, 7])
@pytest.mark.parametrize("n_keys", [6, 64])
def test_undivided_rows_sharpen_as_d_grows_and_divided_ones_stay(seed: int, n_keys: int) -> None:
    raw, divided = typical_rows(DIMS, seed, 200, n_keys=n_keys)
    entropies = np.log([row.read for row in raw])
    assert (np.diff(entropies) < 0.05).all(), "at each step, but for the draws"
    assert entropies[-1] < 0.2 * entropies[0]
    assert raw[-1].weights[0] > 0.9
    stay = np.log([row.read for row in divided[2:]])  # at d = 1 and 2 a product isn't near normal yet
    assert stay.max() - stay.min() < 0.12 * np.log(n_keys)


def test_the_largest_weights_are_those_of_a_sweep_of_as_many_trials() -> None:
    rows = typical_rows((2, 8, 64), 3, 150, n_keys=10, exponents=(0.0, 0.3, 1.0))
    table = sweep_scaling((2, 8, 64), 150, 3, n_keys=10, scales=("none", 0.3, "linear"))
    for of_p, scale in zip(rows, ("none", "0.3", "linear"), strict=True):
        largest = table.largest_attention_weight[table.scale == scale]
        np.testing.assert_allclose([row.weights[0] for row in of_p], largest, rtol=1e-12)


def test_a_row_is_what_pytorch_makes_of_the_same_vectors() -> None:
    """Of a single trial, whose vectors are drawn here as the generator gives them: a block of coordinates each time."""
    generator = torch.Generator().manual_seed(int(np.random.SeedSequence(5).generate_state(1)[0]))
    drawn = torch.cat([torch.empty(7, BLOCK).normal_(generator=generator) for _ in range(2)], dim=1).double()
    for row, p in zip(typical_rows((40,), 5, 1, n_keys=6, exponents=(0.0, 0.5)), (0.0, 0.5), strict=True):
        q, k = drawn[:1, :40], drawn[1:, :40]
        wanted = torch.softmax(q @ k.T / 40**p, -1)[0].sort(descending=True).values
        np.testing.assert_allclose(row[0].weights, wanted, rtol=1e-5)


def test_each_row_is_sorted_and_sums_to_1_whatever_else_is_asked() -> None:
    raw, divided = typical_rows(DIMS, 0, 200, n_keys=6)
    for row in (*raw, *divided):
        assert (np.diff(row.weights) <= 0).all()
        assert row.weights.sum() == pytest.approx(1)
        assert 1 <= row.read <= 6
    ((alone,),) = typical_rows((64,), 0, 200, n_keys=6, exponents=(0.0,))
    np.testing.assert_allclose(alone.weights, raw[DIMS.index(64)].weights, rtol=1e-12)


def test_what_is_drawn_is_bounded_and_what_is_wrong_is_named() -> None:
    assert n_rows((4096,), 256, 200) == 16
    with pytest.raises(ValueError, match="dimension"):
        typical_rows((0,), 0, 10)
    with pytest.raises(ValueError, match="seed"):
        typical_rows((2,), -1, 10)
    with pytest.raises(ValueError, match="rows"):
        typical_rows((2,), 0, 0)
