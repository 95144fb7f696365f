"""Right numbers of another design of attention: the design is named, and no slip is made of them."""

from typing import Any

import numpy as np
import pytest

from attnviz.core.scenario import Scenario
from attnviz.features.check.marking import Printed, mark_pipeline, verdict
from attnviz.features.check.marking.settings import base_of
from attnviz.words import say
from tests.features.check.unit.test_marking_heads import printed


def handed_in(names: tuple[str, ...], in_full: tuple[str, ...] = (), **settings: Any) -> dict[str, Printed]:
    """These tables of a computation with these settings, some in full, the others with three decimals."""
    scenario = Scenario("the cat sat on it", d_in=4, d_out=4, init="linear", **settings)
    tables = printed(scenario, in_full=in_full, until="")
    return {name: table for name, table in tables.items() if base_of(name) in names}


def slips(printed: dict[str, Printed], **settings: Any) -> list[str]:
    marking = mark_pipeline(printed, **settings)
    assert marking.n_not_right, "another design gives other numbers"
    return list(verdict(marking).slips)


@pytest.mark.parametrize("n_heads", [1, 2])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("until", ["scores", "scaled_scores", "attention_weights"])
def test_rotary_positions_are_named(n_heads: int, causal: bool, seed: int, until: str) -> None:
    names = ("x", "w_q", "w_k", "q", "k", until)
    found = slips(handed_in(names, positions="rotary", n_heads=n_heads, causal=causal, seed=seed), causal=causal)
    assert all(say("marking.slip.turned_by_place") in each for each in found)
    assert len(found) == n_heads


@pytest.mark.parametrize("n_heads", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_linear_biases_are_named_with_their_slope(n_heads: int, seed: int) -> None:
    names = ("x", "w_q", "w_k", "q", "k", "scaled_scores")
    found = slips(handed_in(names, positions="alibi", n_heads=n_heads, seed=seed))
    assert all("(linear biases, ALiBi)" in each for each in found)
    assert len(found) == n_heads


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_linear_attention_is_named(causal: bool, seed: int) -> None:
    (found,) = slips(handed_in(("q", "k", "attention_weights"), weighting="linear", causal=causal, seed=seed))
    assert say("marking.slip.of_features") in found


@pytest.mark.parametrize("seed", range(4))
def test_a_norm_after_the_sum_is_named(seed: int) -> None:
    # The norm of a narrow row makes the digits that C hides count.
    printed = handed_in(("x", "context", "residual_1_norm"), in_full=("context",), norm="post", seed=seed)
    printed["residual_1"] = printed.pop("residual_1_norm")
    (found,) = slips(printed)
    assert say("marking.slip.normed_first", of="R₁") in found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", ["q", "scores", "scaled_scores", "attention_weights", "context"])
def test_one_wrong_cell_is_no_other_design(name: str, seed: int) -> None:
    printed = handed_in(
        ("x", "w_q", "w_k", "w_v", "q", "k", "v", "scores", "scaled_scores", "attention_weights", "context"), seed=seed
    )
    rng = np.random.default_rng(seed)
    wrong = printed[name].array.copy()
    row, column = (int(rng.integers(size)) for size in wrong.shape)
    wrong[row, column] += 0.1
    printed[name] = Printed.of(wrong, 3)
    assert not [each for each in verdict(mark_pipeline(printed)).slips if "if that was asked for" in each]
