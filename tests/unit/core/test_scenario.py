"""What a scenario takes, what it refuses, and that its matrices are what they say."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from attnviz import Scenario
from attnviz.core import limits
from attnviz.core.settings import CHOICES, FLAGS, WHOLE
from attnviz.core.stages import EDITABLE, LAYERS, NORMS, OF_MEMORY
from tests.unit.core.test_refused import assert_for_readers

# Limits and wrong types: each message names the value and what is expected.


WRONG: list[tuple[str, Any, str]] = [
    *(("text", value, "has to be one") for value in (3, None)),
    *((name, value, f"Take one of these: {', '.join(CHOICES[name])}")
      for name in CHOICES for value in ("nothing", [CHOICES[name][0]], None)),
    *((name, value, f"take a whole number from {low} to {high}")
      for name, (low, high) in WHOLE.items() for value in (low - 1, high + 1, 2.0, True, "3")),
    *(("temperature", value, "take a number from 0.01 to 100.0")
      for value in (0, 0.0099, 100.1, math.nan, "1", 10**400)),
    *((name, value, "write true or false") for name in FLAGS for value in (1, "true", None)),
    *(("device", value, "Take one of these: cpu, mps, cuda, cuda:N") for value in ("tpu", 0)),
    ("edits", 5, "needs a matrix, a row, a column and a number"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value", "expected"), WRONG)
def test_a_wrong_value_is_named_with_what_is_expected(name: str, value: Any, expected: str) -> None:
    with pytest.raises(ValueError, match=name) as caught:
        Scenario(**{name: value})
    assert limits.in_short(value) in str(caught.value)
    assert expected in str(caught.value)
    assert_for_readers(caught.value)


# Explicit matrices


ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.5]]


@pytest.mark.parametrize(
    "given_as",
    [ROWS, tuple(map(tuple, ROWS)), np.array(ROWS), np.array(ROWS, dtype=np.float32), torch.tensor(ROWS),
     torch.tensor(ROWS, requires_grad=True), torch.tensor(ROWS).T.contiguous().T, pd.DataFrame(ROWS)],
    ids=["list", "tuple", "float64", "float32", "tensor", "leaf", "strided", "frame"],
)  # fmt: skip
def test_a_matrix_may_be_any_nested_sequence_or_array(given_as: Any) -> None:
    scenario = Scenario(w_q=given_as)
    assert scenario.matrix("w_q").tolist() == ROWS
    assert scenario == Scenario(w_q=ROWS)
    assert hash(scenario) == hash(Scenario(w_q=ROWS))


# Fills


def with_all(name: str, by: Any = None, **settings: Any) -> Scenario:
    """A scenario that has every matrix that can be given, or with X in place of E and P; `name` is given."""
    if name in NORMS:  # a block is as wide as its input
        settings = {**settings, "norm": "post", "d_out": settings.get("d_in", 3)}
    if name in ("y", *OF_MEMORY):
        settings = {**settings, "reads": "second" if name == "y" else "kept"}
    return Scenario(
        bias=True,
        output=True,
        d_ff=5,
        positions={"x": "none", "by_distance": "relative"}.get(name, "learned"),
        **settings | {name: by},
    )


@pytest.mark.parametrize("name", EDITABLE)
def test_named_fills_are_what_they_say(name: str) -> None:
    scenario = with_all(name, init="linear", d_in=3, d_out=4)
    shape = scenario.shape_of(name)
    identity = with_all(name, d_in=3, d_out=4, by="identity").matrix(name)
    assert [(i, j) for i, j in identity.nonzero().tolist()] == [(i, i) for i in range(min(shape))]
    assert identity.max() == 1
    assert torch.equal(with_all(name, d_in=3, d_out=4, by="zeros").matrix(name), torch.zeros(shape))


@pytest.mark.parametrize("init", ["uniform", "linear", "normal"])
@pytest.mark.parametrize("name", ["w_q", "w_k", "w_v", "b_q", "b_k", "b_v", *LAYERS])
def test_a_random_fill_draws_this_matrix_from_its_seed_alone(name: str, init: str) -> None:
    before = with_all(name, init=init)
    after = with_all(name, init=init, by="random:42")
    expected = with_all(name, init=init, seed=42).matrix(name)
    assert torch.equal(after.matrix(name), expected)
    for other in before.editable:
        if other != name:
            assert torch.equal(after.matrix(other), before.matrix(other)), other


BAD_FILLS = ["ones", "", "Identity", "random", "random:", "random:-1", "random:1.5", "random:abc", "random:٣",
             "random:4294967296", "random:" + "0" * 20 + "9" * 20, "random:" + "9" * 5000, "1 2\n3 4",
             "example:", "example:journey", "example:nobody"]  # fmt: skip


@pytest.mark.parametrize("fill", BAD_FILLS)
def test_a_bad_fill_names_the_good_ones(fill: str) -> None:
    with pytest.raises(
        ValueError, match="Give its numbers instead, or one of these: identity, zeros, random:N, example:ID"
    ) as caught:
        Scenario(w_k=fill)
    assert "to fill w_k" in str(caught.value)
    assert_for_readers(caught.value)
