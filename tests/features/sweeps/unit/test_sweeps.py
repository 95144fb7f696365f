"""The scaling experiment, with theory and PyTorch as referees."""

import math
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.explanation import row_statistics
from attnviz.explanation.row_statistics import STATISTICS, Z, averaged, share_interval, softmax_statistics, tokens_read
from attnviz.features.sweeps import draws
from attnviz.features.sweeps.arguments import MAX_DIM, MAX_DIMS, check_dims, log_steps, parse_dims
from attnviz.features.sweeps.draws import D_MODEL, N_TOKENS, drawn_scores, head_scores
from attnviz.features.sweeps.experiment import SweepStopped, sample_row, softmax_row, sweep_scaling
from attnviz.features.sweeps.settings import HEADS
from attnviz.features.sweeps.sources import SOURCES, Projections
from tests.examples import examples

# The published inputs of "Your journey starts with one step".
X = [
    [0.43, 0.15, 0.89],
    [0.55, 0.87, 0.66],
    [0.57, 0.85, 0.64],
    [0.22, 0.58, 0.33],
    [0.77, 0.25, 0.10],
    [0.05, 0.80, 0.55],
]
SOFTMAX_STATISTICS = [statistic.name for statistic in STATISTICS]


def inputs_of(source: str) -> dict[str, Any]:
    return {"source": source, "x": X if source.endswith("projections") else None}


def at(table: pd.DataFrame, column: str, scale: str) -> list[float]:
    return table.loc[table.scale == scale, column].tolist()


# Theory as referee


@pytest.mark.parametrize("source", SOURCES)
def test_the_interval_holds_the_expected_variance_for_at_least_94_of_100_seeds(source: str) -> None:
    held = []
    for seed in range(100):
        table = sweep_scaling((1, 2, 5, 100, 512), 300, seed, statistics="dot products", **inputs_of(source))
        held.append(table.expected_variance.between(table.variance_low, table.variance_high))
    assert (np.sum(held, axis=0) >= 94).all(), np.sum(held, axis=0)


@pytest.mark.parametrize("source", SOURCES)
def test_the_other_intervals_hold_the_mean_of_very_many_trials_for_at_least_94_of_100_seeds(source: str) -> None:
    arguments: dict[str, Any] = {"n_keys": 6, "scales": ("none", "sqrt"), **inputs_of(source)}
    columns = ["std", *SOFTMAX_STATISTICS] if source.endswith("projections") else SOFTMAX_STATISTICS
    truth = sweep_scaling((4, 64), 10_000, 1000, **arguments)[columns].to_numpy()
    held = []
    for seed in range(100):
        table = sweep_scaling((4, 64), 500, seed, **arguments)
        low, high = (table[[f"{name}_{bound}" for name in columns]].to_numpy() for bound in ("low", "high"))
        held.append((low - 1e-9 <= truth) & (truth <= high + 1e-9))  # some come out the same in every trial
    assert (np.sum(held, axis=0) >= 94).all(), np.sum(held, axis=0)


@given(st.floats(0, 1), st.integers(2, 10_000), st.integers(0, 10_000))
def test_the_interval_of_a_share_is_that_of_wilson_and_holds_its_mean(shown: float, trials: int, hits: int) -> None:
    low, high = share_interval(shown, shown / 10, trials)
    assert 0 <= low <= shown <= high <= 1
    p = min(hits, trials) / trials
    low, high = share_interval(p, math.sqrt(p * (1 - p) / trials), trials)
    if 0 < p < 1:  # the bounds are where a test of that share just rejects the one seen
        for bound in (low, high):
            assert (p - bound) ** 2 == pytest.approx(Z**2 * bound * (1 - bound) / trials, rel=1e-6)
    else:
        assert high - low == pytest.approx(Z**2 / (trials + Z**2))


@given(d=st.integers(1, 64), low=st.floats(-1, 1), init=st.sampled_from(["uniform", "linear", "normal"]))
@settings(max_examples=examples(10), deadline=None)
def test_expected_variance_under_projections_is_that_of_many_drawn_matrices(d: int, low: float, init: str) -> None:
    x = [[low, 0.5], [1.0, -0.3], [0.2, 0.9]]
    table = sweep_scaling([d], 4000, 0, source=f"{init}-projections", x=x, scales=("none",))
    assert table.variance[0] == pytest.approx(table.expected_variance[0], rel=0.2)


# PyTorch as referee


def test_the_classic_row() -> None:
    row = (0.1, -0.2, 0.3, -0.2, 0.5)
    assert softmax_row(row) == pytest.approx([0.1925, 0.1426, 0.2351, 0.1426, 0.2872], abs=5e-5)
    assert softmax_row(row, 8) == pytest.approx([0.0326, 0.0030, 0.1615, 0.0030, 0.8000], abs=5e-5)


@given(st.lists(st.floats(-50, 50), min_size=2, max_size=8), st.floats(0.01, 8))
@settings(deadline=None)
def test_softmax_statistics_are_those_of_torch(scores: list[float], factor: float) -> None:
    row = torch.tensor(scores, dtype=torch.float64) * factor
    weights = torch.softmax(row, 0)
    jacobian = torch.func.jacrev(lambda z: torch.softmax(z, 0))(row)
    found = averaged(softmax_statistics(np.array([[scores], [scores]]), factor, float))
    assert found["largest_attention_weight"] == pytest.approx(weights.max().item())
    entropy = torch.special.entr(weights).sum().item()
    assert found["normalized_entropy"] == pytest.approx(entropy / math.log(len(scores)), abs=1e-12)
    norm = torch.linalg.norm(jacobian).item()
    assert found["jacobian_norm"] == pytest.approx(norm, rel=1e-6, abs=1e-15)
    assert found["jacobian_norm_median"] == pytest.approx(norm, rel=1e-6, abs=1e-15)
    assert found["dead_key_share"] == (weights < 0.01 / len(scores)).double().mean().item()
    even = torch.zeros(len(scores), dtype=torch.float64)
    least = 0.01 * torch.linalg.norm(torch.func.jacrev(lambda z: torch.softmax(z, 0))(even)).item()
    if abs(norm - least) > 1e-6 * least:
        assert found["vanished_share"] == float(norm < least)


@given(st.floats(1, 300), st.integers(2, 9))
def test_the_gradient_of_a_row_that_one_key_takes_keeps_its_digits(gap: float, n_keys: int) -> None:
    """With one key a gap above n - 1 even ones: what it leaves is worked out in the logarithm."""
    n_others = n_keys - 1
    rest = 1 / (math.exp(gap) + n_others)  # of each other key
    largest = 1 / (1 + n_others * math.exp(-gap))
    diagonal = (largest * n_others * rest) ** 2 + n_others * (rest * (1 - rest)) ** 2
    norm = math.sqrt(diagonal + 2 * n_others * (largest * rest) ** 2 + n_others * (n_others - 1) * rest**4)
    row = np.array([[[gap, *([0.0] * (n_keys - 1))]]] * 2)
    found = averaged(softmax_statistics(row, 1.0, float))
    assert found["jacobian_norm"] == pytest.approx(norm, rel=1e-9)


# Laws


@given(
    dims=st.sets(st.integers(1, 100), min_size=2, max_size=5),
    trials=st.integers(2, 40),
    seed=st.integers(0, 2**32 - 1),
    source=st.sampled_from(SOURCES),
    chunk=st.integers(1, 5000),
)
@settings(max_examples=examples(40), deadline=None)
def test_chunks_and_other_dimensions_leave_no_trace(
    dims: set[int], trials: int, seed: int, source: str, chunk: int
) -> None:
    arguments: dict[str, Any] = {"trials": trials, "seed": seed, "n_keys": 4, **inputs_of(source)}
    together = sweep_scaling(dims, **arguments)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_statistics, "_CHUNK", chunk)
        patch.setattr(draws, "_CHUNK", chunk)
        patch.setattr(draws, "_HELD", chunk)
        patch.setattr(draws, "THREADS", 1 + chunk % 3)
        pd.testing.assert_frame_equal(sweep_scaling(dims, **arguments), together, check_exact=True)
    alone = sweep_scaling([min(dims)], **arguments)
    pd.testing.assert_frame_equal(together[: len(alone)], alone, check_exact=True)


@given(st.integers(2, 10_000), st.integers(2, 256), st.integers(1, 97), st.sets(st.integers(1, MAX_DIM), min_size=1))
def test_what_waits_for_all_trials_is_bounded_and_no_dimension_is_left_out(
    trials: int, queries: int, made: int, dims: set[int]
) -> None:
    most = draws._at_once(Projections("normal", np.zeros((queries, 1), np.float32)), trials, made)
    assert most == 1 or most * trials * queries * made <= draws._HELD
    rounds = draws._rounds(tuple(sorted(dims)), most)
    assert [d for inside, _ in rounds for d in inside] == sorted(dims)
    assert all(len(inside) <= most for inside, _ in rounds)


def test_process_wide_random_state_is_left_alone_and_plays_no_part() -> None:
    before = torch.get_rng_state()
    first = sweep_scaling((2, 40), 20, 0)
    sample_row(8, 0)
    assert torch.equal(torch.get_rng_state(), before)
    with ThreadPoolExecutor(4) as pool:
        tables = list(pool.map(lambda _: sweep_scaling((2, 40), 20, 0), range(8)))
    assert all(table.equals(first) for table in tables)


# Progress


@pytest.mark.parametrize("source", SOURCES)
def test_progress_rises_to_one(source: str) -> None:
    seen: list[float] = []
    sweep_scaling((2, 3000), 4000, 0, n_keys=8, scales=("none",), progress=seen.append, **inputs_of(source))
    assert seen == sorted(seen)
    assert len(set(seen)) > 10
    assert seen[-1] == pytest.approx(1)


def test_progress_can_stop_a_sweep() -> None:
    seen: list[float] = []
    before = threading.active_count()

    def stop(fraction: float) -> bool:
        seen.append(fraction)
        return fraction < 0.3

    with pytest.raises(SweepStopped, match="stopped after"):
        sweep_scaling([1024], 10_000, 0, progress=stop)
    assert 0.3 <= seen[-1] < 0.32
    assert threading.active_count() == before


# Bad input


@given(st.sets(st.integers(1, MAX_DIM), min_size=1, max_size=MAX_DIMS), st.sampled_from([",", " ", ", ", ";\n"]))
def test_typed_dimensions_are_read_back_ascending(dims: set[int], separator: str) -> None:
    assert parse_dims(separator.join(map(str, dims))) == tuple(sorted(dims))


@given(st.integers(1, MAX_DIM - 1), st.integers(2, MAX_DIM), st.integers(2, MAX_DIMS))
def test_log_steps_are_equally_far_apart_but_for_rounding(first: int, last: int, how_many: int) -> None:
    if first >= last:
        with pytest.raises(ValueError, match=f"go from {first} to {last}"):
            log_steps(first, last, how_many)
        return
    dims = log_steps(first, last, how_many)
    assert (dims[0], dims[-1]) == (first, last)
    assert check_dims(dims) == dims
    exact = np.geomspace(first, last, how_many)
    assert all(np.abs(exact - dim).min() <= 0.5 + 1e-6 for dim in dims)
    if len(dims) < how_many:  # only where the steps are smaller than one
        assert exact[1] - exact[0] < 1


@pytest.mark.parametrize("n_heads", HEADS)
def test_the_scores_are_those_of_torchs_own_first_head(n_heads: int) -> None:
    generator = torch.Generator().manual_seed(7)
    x = torch.randn(N_TOKENS, D_MODEL, generator=generator)
    w_q, w_k = (torch.randn(D_MODEL, D_MODEL, generator=generator) / D_MODEL**0.5 for _ in range(2))
    layer = torch.nn.MultiheadAttention(D_MODEL, n_heads, bias=False, batch_first=True)
    with torch.no_grad():
        layer.in_proj_weight[: 2 * D_MODEL] = torch.cat((w_q.T, w_k.T))
        _, weights = layer(x[None], x[None], x[None], average_attn_weights=False)
    d_k = D_MODEL // n_heads
    np.testing.assert_allclose(softmax_row(head_scores(n_heads, 7), d_k**-0.5), weights[0, 0, 0].numpy(), atol=1e-5)


@pytest.mark.parametrize("n_heads", [0, 3, 1024, 2.0])
def test_heads_that_do_not_divide_the_width_are_named(n_heads: int) -> None:
    with pytest.raises(ValueError, match=f"{n_heads} can't be n_heads|n_heads is {n_heads}, expected a divisor"):
        head_scores(n_heads, 0)


@given(st.sampled_from((1, 2, 64, 255, 256, 257, 1024)), st.integers(0, 1000))
@settings(max_examples=examples(30), deadline=None)
def test_scores_that_are_drawn_are_as_wide_as_theory_says(d_k: int, seed: int) -> None:
    scores = drawn_scores(d_k, 1000, seed)
    assert scores.shape == (1000,)
    assert np.array_equal(scores, drawn_scores.__wrapped__(d_k, 1000, seed))
    assert drawn_scores(d_k, 1000, seed) is scores  # a page that is drawn again draws no numbers
    assert abs(scores.mean()) < 6 * (d_k / 1000) ** 0.5
    assert (scores**2).mean() == pytest.approx(d_k, rel=6 * (8 / 1000) ** 0.5)  # of a product, the square varies most


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=12))
@settings(max_examples=examples(60), deadline=None)
def test_tokens_that_are_read_in_effect_are_torchs_perplexity(scores: list[float]) -> None:
    weights = softmax_row(scores)
    entropy = torch.special.entr(torch.from_numpy(weights)).sum()
    read = tokens_read(weights)
    assert read == pytest.approx(float(entropy.exp()), rel=1e-6)
    assert 1 - 1e-9 <= read <= len(scores) + 1e-9
    assert tokens_read(np.full(len(scores), 1 / len(scores))) == pytest.approx(len(scores))
