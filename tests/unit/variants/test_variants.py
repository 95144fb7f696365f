"""Attention since 2021: every stage is that of a float64 referee, and what comes out is that of transformers' modules.

A module's matrices are given to a scenario; all of its stages are compared, cell by cell.
"""

from collections.abc import Mapping
from typing import Any

import pytest
from torch import Tensor

from attnviz import Scenario, trace
from attnviz.core.heads import gathered
from tests.unit.variants.referee import (
    HEADS,
    PLAIN_ROPE,
    WIDTH,
    Referee,
    Seen,
    far_apart,
    later_keys,
    matrices_of,
    plain_angles,
    watched,
)

MOST = 1e-6
NARROW = WIDTH // HEADS  # numbers of a head
cases = pytest.mark.parametrize(("seed", "n"), [(0, 5), (1, 9)])


def scenario_of(seen: Seen, w: Mapping[str, Tensor], **settings: Any) -> Scenario:
    """A scenario with a module's input and matrices."""
    n = len(seen.x)
    usual: dict[str, Any] = {"positions": "rotary", "causal": True}
    usual |= {name: each.tolist() for name, each in w.items()}
    return Scenario(
        " ".join("abcdefghi"[:n]), tokenizer="whitespace", d_in=WIDTH, d_out=WIDTH, n_heads=HEADS, n_kv_heads=2,
        output=True, x=seen.x.tolist(), b_o="zeros", **usual | settings,
    )  # fmt: skip


def assert_alike(scenario: Scenario, wanted: Mapping[str, Tensor], seen: Seen | None, weights: bool = True) -> None:
    """Each stage of a scenario is the referee's, and its last ones are the module's."""
    made = trace(scenario)
    own = gathered(made.stages, made.matrices)
    compared = {name for name in wanted if name in own}
    assert {name for name, stage in made.stages.items() if stage.rule is not None and "." not in name} <= compared
    for name in compared:
        assert far_apart(own[name], wanted[name]) < MOST, name
    if seen is not None:
        assert far_apart(own["output"], seen.output) < MOST
        assert far_apart(own["attention_weights"], seen.weights) < MOST or not weights


@cases
def test_a_soft_cap_is_that_of_gemma_2(seed: int, n: int) -> None:
    rope, windows = {"rope_parameters": PLAIN_ROPE}, (3, None)
    layers = watched("Gemma2", "Gemma2Attention", seed, n, num_hidden_layers=2, query_pre_attn_scalar=NARROW,
                     attn_logit_softcapping=1.5, sliding_window=3, **rope)  # fmt: skip
    for seen, window in zip(layers, windows, strict=True):
        w = matrices_of(seen)
        referee = Referee(w, HEADS, 2, later_keys(n, window), angles=plain_angles(NARROW), cap=1.5)
        mask: dict[str, Any] = {} if window is None else {"causal": False, "mask": f"window:{window}"}
        assert_alike(scenario_of(seen, w, soft_cap=1.5, **mask), referee.stages(seen.x), seen)
        uncapped = Referee(w, HEADS, 2, referee.hide, angles=referee.angles).stages(seen.x)
        assert far_apart(uncapped["output"], seen.output) > 0.1  # or leaving it out would pass
